"""How a signed-up account becomes a player."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import get_language

from players.models import User


class HandleAdapter(DefaultAccountAdapter):
    """Saves the handle together with the rest: a user without one would break its constraint.

    The language of the page becomes the account's: mail is written in it.
    """

    def save_user(self, request: Any, user: User, form: Any, commit: bool = True) -> User:
        user.handle = form.cleaned_data["handle"]
        user.language = get_language() or user.language
        saved: User = super().save_user(request, user, form, commit=commit)
        return saved
