"""The content security policy: strict for players, wider where a library's pages need it."""

from __future__ import annotations

from csp.constants import HEADER, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

# The admin's skin evaluates expressions in attributes; the API docs start with an inline script.
RELAXED = {
    "/admin/": {
        "script-src": [SELF, UNSAFE_EVAL, UNSAFE_INLINE],
        "style-src": [SELF, UNSAFE_INLINE],
    },
    "/api/docs/": {
        "script-src": [SELF, UNSAFE_INLINE],
        "style-src": [SELF, UNSAFE_INLINE],
    },
}


# Data for programs: a browser that takes it for a page is to load and run nothing.
DATA_PREFIX = "/api/v1/"
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# What an answer of data carries where this and Django's own middleware have not been passed.
DATA_HEADERS = {HEADER: DATA_POLICY, "X-Frame-Options": "DENY"}


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """Widens `script-src` and `style-src` under the staff's and the docs' addresses only."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not request.path.startswith(DATA_PREFIX):
            return super().process_response(request, response)
        response.headers[HEADER] = DATA_POLICY
        return response

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        for prefix, directives in RELAXED.items():
            if request.path.startswith(prefix):
                parts.replace = {**(parts.replace or {}), **directives}
        return parts
