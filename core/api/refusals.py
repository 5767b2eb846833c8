"""Responses to refusals and errors, with stable codes, for the API and for pages."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views import defaults
from redis import RedisError
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.exceptions import Refusal
from core.http import throttle_middleware
from core.http.problems import CONTENT_TYPE, problem

RETRY_AFTER_SECONDS: Final = 5
# The server ended a session that was idle in its transaction; Django has no class for it.
SESSION_ENDED: Final = frozenset({"25P03"})


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return problem details for an exception; a refusal has its own status (409 by default)."""
    if isinstance(error, _refusals()):
        return _response(
            status=getattr(error, "status", status.HTTP_409_CONFLICT),
            code=error.code,
            message=str(error),
            **getattr(error, "details", {}),
        )
    if isinstance(error, RequestDataTooBig):
        return _response(
            status=status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
            code="body_too_large",
            message="The body is too large.",
        )
    if isinstance(error, Http404):
        # The exception's message would reveal the names of models.
        error = NotFound()
    response = exception_handler(error, context)
    if response is None or _has_code(response.data):
        return response
    if isinstance(error, ValidationError):
        response.data = problem(
            status=response.status_code,
            code=_code_of_invalid(context.get("request")),
            message="The request is not valid.",
            errors=_sendable(error.detail),
        )
    else:
        detail = getattr(error, "detail", "")
        code = getattr(detail, "code", "error")
        response.data = problem(status=response.status_code, code=code, message=str(detail))
    response.content_type = CONTENT_TYPE
    return response


def _response(**refusal: Any) -> Response:
    return Response(problem(**refusal), status=refusal["status"], content_type=CONTENT_TYPE)


@cache
def _refusals() -> tuple[type[Any], ...]:
    """Return `Refusal` and the exception classes of libraries named in the settings."""
    return (Refusal, *map(import_string, settings.REFUSALS))


def _code_of_invalid(request: Any) -> str:
    """Return `bad_parameter` for reads, whose input is the query string; else `invalid`."""
    return "bad_parameter" if getattr(request, "method", "") in ("GET", "HEAD") else "invalid"


def _has_code(data: Any) -> bool:
    """Return whether a body has a code; a field named "code" has a list of errors instead."""
    return isinstance(data, dict) and isinstance(data.get("code"), str)


def _sendable(detail: Any) -> Any:
    """Return the errors with lone surrogates escaped, because they may quote the input."""
    if isinstance(detail, dict):
        return {name: _sendable(inner) for name, inner in detail.items()}
    if isinstance(detail, list):
        return [_sendable(inner) for inner in detail]
    return str(detail).encode(errors="backslashreplace").decode()


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404, which `ErrorAnswerMiddleware` turns into JSON for programs.

    Views are throttled before they run; unknown paths reach no view, so they are throttled here.
    """
    return throttle_middleware.refused(request) or defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, which `ErrorAnswerMiddleware` turns into JSON for programs.

    Answer 503 with `Retry-After` if the database or Redis is unavailable or a statement timed out:
    requests are idempotent and can be repeated. Details are only logged.
    """
    response = defaults.server_error(request)
    if _is_temporary(sys.exception()):
        response.status_code = status.HTTP_503_SERVICE_UNAVAILABLE
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _is_temporary(error: BaseException | None) -> bool:
    """Return whether a server was unavailable, timed out or ended the session."""
    if isinstance(error, DatabaseError):
        ended = getattr(error.__cause__, "sqlstate", None) in SESSION_ENDED
        return ended or isinstance(error, OperationalError)
    return isinstance(error, (InterfaceError, RedisError))
