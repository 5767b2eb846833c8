"""The base of the API's views for signed-in people."""

from __future__ import annotations

from typing import cast

from rest_framework.views import APIView

from players.accounts.models import User


class PlayerAPIView(APIView):
    """Base API view whose permissions let in signed-in people only."""

    @property
    def player(self) -> User:
        return cast(User, self.request.user)
