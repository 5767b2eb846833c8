"""Password reset e-mails, sent by a worker, so that the response time reveals no account."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm as AllauthResetPasswordForm
from allauth.core import context, ratelimit
from allauth.core.context import request_context
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.utils import translation

from core.addresses import client_network
from core.tasks import enqueue


class ResetPasswordForm(AllauthResetPasswordForm):
    """Accepts any address; the task checks whether it has an account."""

    def clean_email(self) -> str:
        email: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        request = context.request
        key = f"{email} {client_network(request)}"
        if not ratelimit.consume(request, action="reset_password_of_mailbox", key=key):
            raise get_adapter().validation_error("rate_limited")
        return email

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        email: str = self.cleaned_data["email"]
        site = request.build_absolute_uri("/")
        enqueue("players.send_password_reset", email, site, translation.get_language())
        return email


def send_letter(*, email: str, site: str, language: str) -> None:
    """Send allauth's e-mail: a reset link, or a notice that there is no account."""
    url = urlsplit(site)
    request = WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "HTTP_HOST": url.netloc,
            "SERVER_NAME": url.hostname,
            "SERVER_PORT": str(url.port or ""),
            "wsgi.url_scheme": url.scheme,
            "wsgi.input": BytesIO(),
        }
    )
    form = AllauthResetPasswordForm({"email": email})
    with request_context(request), translation.override(language):
        if form.is_valid():
            form.save(request)
