"""Require a second factor from staff, and the pages on which they set one up."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from core.exceptions import Refusal
from core.http.problems import ProblemResponse
from players.accounts.models import User
from players.sign_in import enrolment
from players.sign_in.security.changes import has_factor, has_shown_factor, lacks_factor
from players.sign_in.security.proof import CODE_PAGE

# Paths that are always open: the second-factor pages, display settings, translations, static files.
OPEN: Final = ("/staff/second-factor/", "/account/look/", "/i18n/", "/jsi18n/", "/static/")
SIGN_OUT: Final = frozenset({"account_logout"})
# URL names open to accounts with a factor that this session has not used.
TO_SHOW_IT: Final = SIGN_OUT | {"mfa_reauthenticate"}
# URL names open after using an enrolment link: before, and after the factor is set up.
TO_ENROL: Final = SIGN_OUT | {"account_reauthenticate", CODE_PAGE, "mfa_activate_totp"}
TO_NOTE_CODES: Final = TO_SHOW_IT | {"mfa_view_recovery_codes", "mfa_download_recovery_codes"}


class SecondFactorMiddleware:
    """With `STAFF_MFA_REQUIRED`, refuse staff sessions that have not used a second factor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.STAFF_MFA_REQUIRED or request.path.startswith(OPEN):
            return self.get_response(request)
        if not request.user.is_authenticated or not lacks_factor(request.session, request.user):
            return self.get_response(request)
        if _name_of(request) in _open_pages(request):
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return ProblemResponse(
                status=HTTPStatus.FORBIDDEN,
                code="second_factor_required",
                message="Staff must use their second factor before the API.",
            )
        if "HX-Request" in request.headers:
            # A fragment of a page: a redirect would insert a whole page there.
            return HttpResponse(status=204 if request.method == "GET" else 403)
        query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
        return redirect(f"{reverse('staff-second-factor')}?{query}")


def _open_pages(request: HttpRequest) -> frozenset[str]:
    """Return the URL names that a session without a used factor may open."""
    is_granted = enrolment.is_granted(request.session)
    if has_factor(request.user):
        return TO_NOTE_CODES if is_granted else TO_SHOW_IT
    return TO_ENROL if is_granted else SIGN_OUT


def _name_of(request: HttpRequest) -> str | None:
    try:
        return resolve(request.path_info).url_name
    except Resolver404:
        return None


@login_required
def second_factor_view(request: HttpRequest) -> HttpResponse:
    """Show what is missing with links; a POST sends an enrolment link to the account's address."""
    onward = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, allowed_hosts=None):
        onward = reverse("admin:index")
    person = cast(User, request.user)
    if not person.is_staff or has_shown_factor(request.session, person):
        return redirect(onward)
    if request.method == "POST" and not has_factor(person):
        _send_link(request, person)
        return redirect(request.get_full_path())
    context = {
        "has_factor": has_factor(person),
        "is_granted": enrolment.is_granted(request.session),
        "address": _hidden(person.email or ""),
        "code_url": f"{reverse('mfa_reauthenticate')}?{urlencode({'next': onward})}",
    }
    return render(request, "staff/second_factor.html", context)


def _send_link(request: HttpRequest, player: User) -> None:
    try:
        enrolment.ask_for_link(player=player)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("We have sent a link to your e-mail address."))


@login_required
def enrol_view(request: HttpRequest, token: str) -> HttpResponse:
    """Page of an enrolment link; only a POST uses the link, so that mail scanners do not."""
    refusal: Any = ""
    if request.method == "POST":
        try:
            enrolment.use_link(token=token, player=cast(User, request.user))
        except Refusal as refused:
            refusal = refused
        else:
            enrolment.grant(request.session)
            return redirect("mfa_activate_totp")
    return render(request, "staff/enrol.html", {"refusal": refusal})


def _hidden(address: str) -> str:
    """Return a masked address, which its owner recognises but which reveals little to others.

    >>> _hidden("asha@example.com")
    'a***@example.com'
    """
    name, _at, host = address.partition("@")
    return f"{name[:1]}***@{host}"
