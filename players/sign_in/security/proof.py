"""Re-authentication of signed-in players.

A session does not prove that its owner is at the browser. Actions that could give away the account
or its money need a proof within the last minutes: a code of the second factor if there is one, else
the password, else a code sent to the account's address.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.core import ratelimit
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.http.error_answers import is_program
from core.http.problems import refusal_response
from players.exceptions import ReauthenticationRequired

CODE_PAGE: Final = "reauthenticate-by-code"
# The name by which allauth limits wrong guesses.
WRONG_GUESS: Final = "reauthentication_failed"
# Pages without re-authentication: sign-in and sign-out, the proofs themselves, links from e-mails,
# and pages that only read data or end sessions.
OPEN: Final = frozenset(
    {
        "account_login",
        "account_logout",
        "account_inactive",
        "account_signup",
        "account_reauthenticate",
        "account_confirm_login_code",
        "account_email_verification_sent",
        "account_confirm_email",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key",
        "account_reset_password_from_key_done",
        "mfa_authenticate",
        "mfa_reauthenticate",
        "mfa_index",
        "usersessions_list",
        CODE_PAGE,
    }
)


def is_proved(request: Any) -> bool:
    """Return whether this session has a recent proof.

    True for guests without any method, whose account is only the session. A token's session never
    has a proof.
    """
    if request.user.is_guest and not methods_of(request.user):
        return True
    records = get_authentication_records(request, request.user)
    proofs = [record["at"] for record in records if record.get("reauthenticated")]
    return bool(proofs) and time.time() - proofs[-1] < app_settings.REAUTHENTICATION_TIMEOUT


def require_proof(request: Any) -> None:
    """Raise `ReauthenticationRequired` for a request without a recent proof."""
    if not is_proved(request):
        raise reauthentication_required()


def reauthentication_required() -> ReauthenticationRequired:
    """Return the refusal with the URL of the re-authentication page."""
    return ReauthenticationRequired(
        _("Confirm that it is you at %(page)s, then send the request again.")
        % {"page": reverse("account_reauthenticate")}
    )


def methods_of(user: Any) -> list[dict[str, Any]]:
    """Return the player's re-authentication methods, the usual one first."""
    found: list[dict[str, Any]] = get_adapter().get_reauthentication_methods(user)
    return found


def proof_url(user: Any, *, back_to: str) -> str:
    """Return the URL of the player's re-authentication page, which redirects to `back_to`."""
    methods = methods_of(user)
    if not methods:
        raise PermissionDenied("the account has no re-authentication method")
    return f"{methods[0]['url']}?{urlencode({'next': back_to})}"


def ask_for_proof(request: HttpRequest, *, back_to: str) -> HttpResponse:
    """Redirect to re-authentication and then back to a page, where the player submits again.

    The refused request is not stored: the next person to enter the password in this browser would
    execute it unseen. API clients get the refusal as problem details.
    """
    if is_program(request):
        return refusal_response(reauthentication_required())
    if request.method != "GET":
        messages.info(request, _("First confirm that it is you, then submit again."))
    return redirect(proof_url(request.user, back_to=back_to))


@dataclass
class Guess:
    """One guess; the `with` block sets `is_right`."""

    is_right: bool = False


@contextmanager
def guess(request: Any, user: Any) -> Iterator[Guess]:
    """Count a guess before it is checked, so that concurrent requests get no extra guesses.

    A right guess resets the count. Raise `ValidationError` after too many wrong ones.
    """
    if not ratelimit.consume(request, action=WRONG_GUESS, user=user):
        raise get_adapter().validation_error("too_many_login_attempts")
    made = Guess()
    yield made
    if made.is_right:
        ratelimit.clear(request, action=WRONG_GUESS, user=user)
