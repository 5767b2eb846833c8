"""What answers say to browsers and caches, and which encoding requests are in."""

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


# No cache keeps what was answered to one person, the browser's own included.
PERSONAL = "private, no-store"
# Data for programs: a browser that takes it for a page is to load and run nothing.
DATA_PREFIX = "/api/v1/"
UTF_8 = "utf-8"
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"


class PageCompressionMiddleware(GZipMiddleware):
    """Compresses pages, which on a slow line come in half the time.

    Django adds random bytes to the length and masks the CSRF token anew in each answer, so that
    the size tells nothing of a page's secrets. Data for programs are short and many: they go as
    they are.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class BodyLengthMiddleware(MiddlewareMixin):
    """Refuses a body that is sent in chunks, without `Content-Length`.

    Django would not hold it to its limits, and Django's forms and REST framework pass over it:
    the operation would be done as if no field had been sent. A proxy that buffers bodies, as nginx
    does, adds the length, so this reaches only clients that are connected without one.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        if request.META.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" not in request.META:
            return None
        return ProblemResponse(
            status=HTTPStatus.LENGTH_REQUIRED,
            code="length_required",
            message="Send the body whole, with a Content-Length.",
        )


class EncodingMiddleware(MiddlewareMixin):
    """Refuses requests in another encoding than UTF-8, before anything reads one.

    Django raises an error where such a form is first read, which may be within a middleware or
    within the page of that error.
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
            message="Requests are in UTF-8.",
        )


class AnswerHeadersMiddleware(CSPMiddleware):
    """Sets the content security policy, and keeps personal answers out of caches.

    `script-src` and `style-src` are wider under the staff's and the docs' addresses only. An answer
    is personal if the asker is known by a cookie or a token. What is the same for everybody says so
    itself (`Cache-Control: public`), and is left alone.
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
    """Django's, for data for programs: a request with the same tag gets 304 if nothing changed.

    Pages carry a token of their own each time, so that no two of them are the same.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if not request.path.startswith(DATA_PREFIX):
            return response
        return super().process_response(request, response)


class PageMessageMiddleware(MessageMiddleware):
    """Django's, for pages: data for programs carries no messages, and their storage takes time."""

    def process_request(self, request: HttpRequest) -> None:
        if not request.path.startswith(DATA_PREFIX):
            super().process_request(request)
