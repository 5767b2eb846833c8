"""The account page with its sessions and recent changes, and the view that ends a session."""

from __future__ import annotations

from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from core.clock import database_now
from players.accounts.pages import PlayerView, ProfileView
from players.sign_in.actions import end_own_session
from players.sign_in.security.changes import held_until
from players.sign_in.security.models import AccountChange

CHANGES_SHOWN: Final = 20


class AccountView(ProfileView):
    """Shows the account with its sessions and recent changes."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        sessions = UserSession.objects.purge_and_list(self.player)
        return super().get_context_data(
            sessions=sorted(sessions, key=lambda session: session.created_at, reverse=True),
            changes=AccountChange.objects.of_player(self.player)[:CHANGES_SHOWN],
            held_until=held_until(self.player, database_now()),
            **kwargs,
        )


class EndSessionView(PlayerView):
    """Signs the caller out of one of their sessions; an ended session is no error."""

    def post(self, request: HttpRequest, session_id: int) -> HttpResponse:
        end_own_session(player=self.player, session_id=session_id)
        messages.success(request, _("The session has ended."))
        return redirect("account")
