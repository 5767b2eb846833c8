"""Turns what services refuse into answers with a stable code, for the API and for pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from rummy import RummyError
from tables.exceptions import TableError
from wallet.exceptions import WalletError

REFUSALS = (TableError, WalletError, RummyError)


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer `{"code", "message"}`: a refusal of ours with its status (409 unless it says more)."""
    if isinstance(error, REFUSALS):
        answer = {"code": error.code, "message": str(error)}
        answer |= getattr(error, "details", {})
        return Response(answer, status=getattr(error, "status", status.HTTP_409_CONFLICT))
    response = exception_handler(error, context)
    if response is not None and "code" not in response.data:
        detail = getattr(error, "detail", None)
        code = getattr(detail, "code", None) or getattr(error, "default_code", "error")
        message = detail if isinstance(detail, str) else str(error)
        errors = {"errors": response.data} if detail is not None and detail is not message else {}
        response.data = {"code": code, "message": message, **errors}
    return response


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 in the caller's language: the API's callers read codes, people read a page."""
    if request.path.startswith("/api/"):
        answer = {"code": "not_found", "message": "There is nothing at this address."}
        return JsonResponse(answer, status=status.HTTP_404_NOT_FOUND)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 likewise; what went wrong is in the log, never in the answer."""
    if request.path.startswith("/api/"):
        answer = {"code": "server_error", "message": "Something went wrong on our side."}
        return JsonResponse(answer, status=status.HTTP_500_INTERNAL_SERVER_ERROR)
    return defaults.server_error(request)
