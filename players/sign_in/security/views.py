"""Base views of pages that need re-authentication."""

from __future__ import annotations

from functools import wraps
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from core.exceptions import Refusal
from players.accounts.pages import PlayerFormView, PlayerView
from players.exceptions import ReauthenticationRequired
from players.sign_in.security.proof import ask_for_proof, is_proved, proof_url


class ProvedPostView(PlayerView):
    """A page that is readable when signed in, and needs a recent proof to submit."""

    # URL name of the page to return to after the proof; empty for this page.
    proved_page: ClassVar[str] = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        is_asked = request.user.is_authenticated and self.needs_proof(request, **kwargs)
        if is_asked and not is_proved(request):
            return ask_for_proof(request, back_to=self.back_to)
        return super().dispatch(request, *args, **kwargs)

    def needs_proof(self, request: HttpRequest, **_parts: Any) -> bool:
        return request.method not in ("GET", "HEAD", "OPTIONS")

    @property
    def back_to(self) -> str:
        return reverse(self.proved_page) if self.proved_page else self.request.path

    @property
    def proof_url(self) -> str:
        """Return the URL of the re-authentication page; "" if the session has a recent proof."""
        return "" if is_proved(self.request) else proof_url(self.player, back_to=self.back_to)


class LimitFormView(PlayerFormView):
    """A form whose service decides whether it needs a recent proof."""

    def refused(self, form: Any, refusal: Refusal) -> HttpResponse:
        if isinstance(refusal, ReauthenticationRequired):
            return ask_for_proof(self.request, back_to=self.request.path)
        return super().refused(form, refusal)


def proved_action(action: Any) -> Any:
    """Decorate an admin action so that it needs a recent proof."""

    @wraps(action)
    def ask_first(admin: Any, request: HttpRequest, chosen: Any) -> HttpResponse | None:
        if not is_proved(request):
            return ask_for_proof(request, back_to=request.get_full_path())
        answer: HttpResponse | None = action(admin, request, chosen)
        return answer

    return ask_first
