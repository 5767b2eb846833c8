"""Keeps staff without a second factor from everything but the pages on which they get one."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from core.http.problems import ProblemResponse

FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
# Signing in and out, and one's own factors; the page that leads there; languages, looks and words.
OPEN: Final = (
    "/accounts/",
    "/staff/second-factor/",
    "/account/look/",
    "/i18n/",
    "/jsi18n/",
    "/static/",
)


class SecondFactorMiddleware:
    """With `STAFF_MFA_REQUIRED`, a session of staff has shown a second factor, or is kept out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.STAFF_MFA_REQUIRED or request.path.startswith(OPEN):
            return self.get_response(request)
        if not request.user.is_authenticated or not request.user.is_staff:
            return self.get_response(request)
        if has_shown_factor(request):
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return ProblemResponse(
                status=HTTPStatus.FORBIDDEN,
                code="second_factor_required",
                message="Staff use the API after their second factor.",
            )
        if "HX-Request" in request.headers:
            # A part of a page, in whose place no other page must stand: none then.
            return HttpResponse(status=204 if request.method == "GET" else 403)
        query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
        return redirect(f"{reverse('staff-second-factor')}?{query}")


def has_shown_factor(request: HttpRequest) -> bool:
    """Return whether this session has given a second factor that is still the account's.

    A session from before the factor was made has not: it is asked for a code first.
    """
    records = get_authentication_records(request, request.user)
    shown = any(record.get("method") == "mfa" for record in records)
    return shown and is_mfa_enabled(request.user, FACTORS)


@login_required
def second_factor_view(request: HttpRequest) -> HttpResponse:
    """Say what is missing, step by step, and lead there."""
    onward = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, allowed_hosts=None):
        onward = reverse("admin:index")
    if not request.user.is_staff or has_shown_factor(request):
        return redirect(onward)
    addresses = EmailAddress.objects.filter(user=request.user.pk)
    context = {
        "is_verified": not addresses.filter(verified=False).exists(),
        "has_factor": is_mfa_enabled(request.user, FACTORS),
        "code_url": f"{reverse('mfa_reauthenticate')}?{urlencode({'next': onward})}",
    }
    return render(request, "staff/second_factor.html", context)
