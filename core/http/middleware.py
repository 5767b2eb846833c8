"""Middleware for headers of answers, compression, and the encoding and length of requests."""

from __future__ import annotations

import codecs
from http import HTTPStatus

from csp.constants import HEADER, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.contrib.messages.middleware import MessageMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.http import ConditionalGetMiddleware
from django.utils.deprecation import MiddlewareMixin

from core.http.problems import ProblemResponse

# The admin's theme evaluates expressions in attributes; the API docs have an inline script.
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


# Personal answers must not be cached, not even by the browser.
PERSONAL = "private, no-store"
# For data: a browser that shows it as a page must not load or run anything.
DATA_PREFIX = "/api/v1/"
UTF_8 = "utf-8"
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"


class PageCompressionMiddleware(GZipMiddleware):
    """Compress pages, which halves their loading time on a slow connection.

    Django adds random bytes to the length and masks the CSRF token differently in each answer, so
    that the size reveals nothing about a page's secrets. Data for programs is short and frequent
    and is not compressed.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class BodyLengthMiddleware(MiddlewareMixin):
    """Refuse a chunked body without `Content-Length`.

    Django would not apply its size limits, and Django's forms and REST framework ignore such a
    body: the operation would run as if no field had been sent. A proxy that buffers bodies, such as
    nginx, adds the length, so this affects only clients without such a proxy.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        if request.META.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" not in request.META:
            return None
        return ProblemResponse(
            status=HTTPStatus.LENGTH_REQUIRED,
            code="length_required",
            message="Send the body with a Content-Length header.",
        )


class EncodingMiddleware(MiddlewareMixin):
    """Refuse requests in other encodings than UTF-8 before their form is read.

    Django raises an error on the first read, which may be in a middleware or in the error page.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        named = request.encoding
        if named is None or named == UTF_8:
            return None
        if codecs.lookup(named).name == UTF_8:
            request.encoding = UTF_8
            return None
        return ProblemResponse(
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            code="unsupported_media_type",
            message="Send requests encoded in UTF-8.",
        )


class AnswerHeadersMiddleware(CSPMiddleware):
    """Set the content security policy, and keep personal answers out of caches.

    `script-src` and `style-src` allow more only under the paths of staff pages and docs. An answer
    is personal if the request had a cookie or a token. Answers with `Cache-Control: public` are not
    changed.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not request.path.startswith(DATA_PREFIX):
            super().process_request(request)

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_known = request.COOKIES or "Authorization" in request.headers
        if (is_known or response.cookies) and not response.has_header("Cache-Control"):
            response.headers["Cache-Control"] = PERSONAL
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


class DataTagMiddleware(ConditionalGetMiddleware):
    """Django's conditional GET, only for data: a request with a current ETag gets 304.

    Pages contain a different CSRF token each time, so their ETags would never match.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not request.path.startswith(DATA_PREFIX):
            return response
        return super().process_response(request, response)


class PageMessageMiddleware(MessageMiddleware):
    """Django's message middleware, only for pages: data has no messages, and loading takes time."""

    def process_request(self, request: HttpRequest) -> None:
        if not request.path.startswith(DATA_PREFIX):
            super().process_request(request)
