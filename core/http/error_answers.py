"""Answer programs with problem details where Django or a library answers with an error page."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.http.problems import ProblemResponse

API_PREFIX: Final = "/api/"
HTML: Final = "text/html"
JSON: Final = "application/json"
REFUSALS: Final[dict[int, tuple[str, str | Promise]]] = {
    400: ("invalid", _("The request is not valid.")),
    403: (
        "permission_denied",
        _("This is not allowed, or the CSRF token is missing or out of date."),
    ),
    404: ("not_found", _("There is nothing at this address.")),
    405: ("method_not_allowed", _("This address does not take this method.")),
    413: ("body_too_large", _("The body is too large.")),
    429: ("throttled", _("Too many requests. Try again later.")),
    500: ("server_error", _("Something went wrong on our side.")),
    503: ("unavailable", _("The site cannot answer now. Try again soon.")),
}


def is_program(request: HttpRequest) -> bool:
    """Return whether to answer an error as JSON.

    True under `/api/`, for a script's request (`X-Requested-With`), for a JSON body, and if
    `Accept` prefers JSON to HTML. Browsers always name HTML first.
    """
    if request.path.startswith(API_PREFIX) or request.content_type == JSON:
        return True
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        return True
    return request.get_preferred_type([HTML, JSON]) == JSON


class ErrorAnswerMiddleware(MiddlewareMixin):
    """Replace error pages by problem details for programs; headers stay."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        refusal = REFUSALS.get(response.status_code)
        if refusal is None or not response.headers.get("Content-Type", HTML).startswith(HTML):
            return response
        if not request.path.startswith(API_PREFIX):
            patch_vary_headers(response, ["Accept"])
        if not is_program(request):
            return response
        code, message = refusal
        answer = ProblemResponse(
            status=HTTPStatus(response.status_code), code=code, message=str(message)
        )
        for name, value in response.headers.items():
            if name.lower() not in ("content-type", "content-length"):
                answer.headers[name] = value
        answer.cookies = response.cookies
        return answer
