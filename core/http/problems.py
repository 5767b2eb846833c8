"""Problem details (RFC 9457): the body of all the API's refusals."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.http import JsonResponse

from core.exceptions import Refusal

CONTENT_TYPE: Final = "application/problem+json"


def problem(*, status: int, code: str, message: str, **details: Any) -> dict[str, Any]:
    """Return the body of a refusal; `code` is stable, `message` is a sentence for users.

    >>> problem(status=404, code="not_found", message="No such table.")["title"]
    'Not Found'
    """
    return {
        "type": f"urn:problem-type:rummy:{code}",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": message,
        "code": code,
        "message": message,
        **details,
    }


class ProblemResponse(JsonResponse):
    """A refusal by a view or middleware outside REST framework."""

    def __init__(self, *, status: int, code: str, message: str, **details: Any) -> None:
        body = problem(status=status, code=code, message=message, **details)
        super().__init__(body, status=status, content_type=CONTENT_TYPE)


def refusal_response(refusal: Refusal) -> ProblemResponse:
    """Return the response to a refusal that a view or middleware has caught."""
    return ProblemResponse(
        status=refusal.status, code=refusal.code, message=str(refusal), **refusal.details
    )
