"""How a signed-up account becomes a player."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from core import addresses
from players.accounts import consent, look
from players.accounts.models import User
from players.phones.numbers import keep_number
from players.sign_in.programs import ProgramAdapter


class HandleAdapter(ProgramAdapter):
    """Saves handle and mobile number together with the rest: no user is without a handle.

    The page has said what signing up agrees to; its version is the account's.

    The language of the page becomes the account's: mail is written in it. From the next sign-in on
    the account's is the page's, in whatever browser.
    """

    def save_user(self, request: Any, user: User, form: Any, commit: bool = True) -> User:
        user.handle = form.cleaned_data["handle"]
        user.language = get_language() or user.language
        user.consent_version = consent.VERSION
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit=commit)
            if commit and form.cleaned_data["mobile"]:
                keep_number(player=saved, number=form.cleaned_data["mobile"])
        return saved

    def post_login(self, request: Any, user: User, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        if user.language in dict(settings.LANGUAGES):
            look.keep(answer, settings.LANGUAGE_COOKIE_NAME, user.language)
        return answer

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that allauth counts its rates by and shows among the sessions."""
        return addresses.client_address(request)
