"""Whether a signed-in player has just proved who they are, and where they do so.

A session that is merely open may be anybody's who sits at the browser. What could give the account
or its money away needs a proof of the last minutes: a code of the second factor where there is one,
else the password, else a code sent to the account's address.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.http.error_answers import is_program
from core.http.problems import ProblemResponse
from players.exceptions import ReauthenticationRequired

CODE_PAGE: Final = "reauthenticate-by-code"
# Signing in and out, proofs themselves, links from e-mails, and what only reads or ends sessions.
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
    """Return whether this session has a proof of the last minutes.

    A guest has nothing to prove with: the session is all there is of the account. A token's session
    never has a proof.
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
    """Return the refusal, which names the page of the proof."""
    return ReauthenticationRequired(
        _("First confirm that it is you, at %(page)s, then send it again.")
        % {"page": reverse("account_reauthenticate")}
    )


def methods_of(user: Any) -> list[dict[str, Any]]:
    """Return the ways in which a player can prove who they are, the usual one first."""
    found: list[dict[str, Any]] = get_adapter().get_reauthentication_methods(user)
    return found


def proof_url(user: Any, *, back_to: str) -> str:
    """Return the page on which a player proves who they are; it leads back to a path."""
    methods = methods_of(user)
    if not methods:
        raise PermissionDenied("no way to prove who this is")
    return f"{methods[0]['url']}?{urlencode({'next': back_to})}"


def ask_for_proof(request: HttpRequest, *, back_to: str) -> HttpResponse:
    """Lead to the proof and then back to a page, where the player sends what they wanted again.

    The refused request is not kept: the next person who gives the password in this browser would
    carry it out without having seen it. A program reads the refusal that the API gives.
    """
    if is_program(request):
        refusal = reauthentication_required()
        status = HTTPStatus(refusal.status)
        return ProblemResponse(status=status, code=refusal.code, message=str(refusal))
    if request.method != "GET":
        messages.info(request, _("First confirm that it is you. Then send it again."))
    return redirect(proof_url(request.user, back_to=back_to))
