"""Webhook for notices of identity providers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from core.http.problems import ProblemResponse
from players.exceptions import PlayerError
from players.identity.asking import receive_notice


@method_decorator(csrf_exempt, name="dispatch")
class NoticeView(View):
    """Receive provider notices; a plain Django view, because the signature covers the raw body."""

    throttle_scope = "webhooks"

    def post(self, request: HttpRequest, provider: str) -> HttpResponse:
        try:
            is_ours = receive_notice(provider=provider, body=request.body, headers=request.headers)
        except PlayerError as refusal:
            return ProblemResponse(status=refusal.status, code=refusal.code, message=str(refusal))
        return JsonResponse({"outcome": "received" if is_ours else "ignored"})
