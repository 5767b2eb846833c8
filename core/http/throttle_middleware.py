"""Apply the rates of `core.http.rates` to every request before its view runs.

A view sets its scope as `throttle_scope`; None means that the view has its own throttles. Without
the attribute the method decides: a read, a write, or a money order under the wallet's paths.
Requests without a sign-in are counted as `strangers`, by address alone. Requests for static files
and health checks are answered before this middleware.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _

from core.addresses import client_network
from core.exceptions import Busy
from core.http import rates
from core.http.error_answers import API_PREFIX, is_program
from core.http.problems import ProblemResponse, refusal_response

SAFE: Final = ("GET", "HEAD", "OPTIONS")
MONEY_PREFIXES: Final = ("/api/v1/wallet/", "/wallet/")
# For refusals of libraries that give no time.
RETRY_AFTER_SECONDS: Final = "60"
# For requests for which the process has no capacity.
BUSY_SECONDS: Final = "3"
CODE: Final = "throttled"
BY_METHOD: Final = "by method"


class ThrottleMiddleware(MiddlewareMixin):
    """Count requests, refuse those over a rate, and add headers about what is left for programs."""

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _args: tuple[Any, ...],
        _kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        return refused(request, view)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 503 if the process has no capacity for a request."""
        return _busy(request, error) if isinstance(error, Busy) else None

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        verdict = getattr(request, "throttled_by", None)
        if verdict is not None and (verdict.is_refused or request.path.startswith(API_PREFIX)):
            for name, value in verdict.headers.items():
                response.headers[name] = value
        if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            response.headers.setdefault("Retry-After", RETRY_AFTER_SECONDS)
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            response.headers.setdefault("Retry-After", BUSY_SECONDS)
        return response


def refused(
    request: HttpRequest, view: Callable[..., HttpResponseBase] | None = None
) -> HttpResponse | None:
    """Count a request unless it was counted, and return a refusal if it exceeds a rate.

    A path without a route has no view and is counted by its method (`handler404`).
    """
    verdict = _verdict(request, view)
    request.throttled_by = verdict  # type: ignore[attr-defined]
    if verdict is None or not verdict.is_refused:
        return None
    return _refusal(request)


def _verdict(
    request: HttpRequest, view: Callable[..., HttpResponseBase] | None
) -> rates.Verdict | None:
    # A path without a route is counted only once, although this runs twice.
    if hasattr(request, "throttled_by"):
        found: rates.Verdict | None = request.throttled_by
        return found
    kind = getattr(view, "view_class", None) or getattr(view, "cls", None)
    named = getattr(kind, "throttle_scope", BY_METHOD)
    if named is None:
        return None
    scope = _by_method(request) if named == BY_METHOD else named
    network = client_network(request)
    # Scopes counted by address alone need no session query.
    if rates.is_by_player(scope) and request.user.is_authenticated:
        return rates.take(scope, player=request.user.pk, network=network)
    return rates.take("strangers" if named == BY_METHOD else scope, network=network)


def _by_method(request: HttpRequest) -> str:
    if request.method in SAFE:
        return "reads"
    return "money" if request.path.startswith(MONEY_PREFIXES) else "writes"


def _busy(request: HttpRequest, error: Busy) -> HttpResponse:
    if request.path.startswith(API_PREFIX):
        return refusal_response(error)
    return render(request, "503.html", {"message": str(error)}, status=error.status)


def _refusal(request: HttpRequest) -> HttpResponse:
    status = HTTPStatus.TOO_MANY_REQUESTS
    if is_program(request):
        message = _("Too many requests. Try again later.")
        return ProblemResponse(status=status, code=CODE, message=message)
    return render(request, "429.html", status=status)
