"""Views that read and answer only JSON, without REST framework's request objects."""

from __future__ import annotations

from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.authentication import CSRFCheck
from rest_framework.exceptions import (
    MethodNotAllowed,
    NotAcceptable,
    NotAuthenticated,
    PermissionDenied,
    UnsupportedMediaType,
)
from rest_framework.renderers import JSONRenderer
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from core.api.parsers import StrictJSONParser
from core.api.query_parameters import FORMS
from core.api.refusals import api_exception_handler
from core.http import problems

JSON: Final = "application/json"
ANYTHING: Final = "*/*"
# Neither keeps state of a request.
_CSRF: Final = CSRFCheck(lambda request: HttpResponse())
_PARSER: Final = StrictJSONParser()
_RENDERER: Final = JSONRenderer()
_FORMAT: Final = api_settings.URL_FORMAT_OVERRIDE


class JSONView(APIView):
    """An `APIView` for signed-in players whose handlers take Django's request and the read body.

    Handlers return a dataclass, which is sent as JSON. The checks are those of an `APIView` with
    session, parser and renderer, in a third of the time; the same handler answers refusals.
    """

    http_method_names = ["get", "post", "put", "patch", "delete"]  # noqa: RUF012

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            self._refuse(request)
            sent = self._handler(request)(request, self._body(request), *args, **kwargs)
        except Exception as error:  # Raised again unless it is a refusal.
            refusal = api_exception_handler(error, {"view": self, "request": request})
            if refusal is None:
                raise
            # There is no other way to sign in and so no challenge: answer 403.
            status = 403 if isinstance(error, NotAuthenticated) else refusal.status_code
            body = refusal.data | {"status": status, "title": HTTPStatus(status).phrase}
            answer = HttpResponse(
                _RENDERER.render(body), content_type=problems.CONTENT_TYPE, status=status
            )
            if status == MethodNotAllowed.status_code:
                answer.headers["Allow"] = ", ".join(self.allowed_methods)
            return answer
        return HttpResponse(msgspec.json.encode(sent), content_type=JSON)

    def _handler(self, request: HttpRequest) -> Any:
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            raise MethodNotAllowed(request.method or "")
        return handler

    def _refuse(self, request: HttpRequest) -> None:
        accept = request.META.get("HTTP_ACCEPT", ANYTHING)
        if accept not in (ANYTHING, JSON) and not request.accepts(JSON):
            raise NotAcceptable
        if request.META.get("QUERY_STRING") and request.GET.get(_FORMAT, "json") != "json":
            raise Http404
        if not request.user.is_authenticated:
            raise NotAuthenticated
        if (kind := request.content_type or "") in FORMS:  # The CSRF check would read the body.
            raise UnsupportedMediaType(kind)
        if reason := _CSRF.process_view(request, None, (), {}):  # type: ignore[arg-type]
            raise PermissionDenied(f"CSRF Failed: {reason}")

    def _body(self, request: HttpRequest) -> Any:
        if not request.body:
            return {}
        if request.content_type != JSON:
            raise UnsupportedMediaType(request.content_type or "")
        context = {"encoding": request.encoding or "utf-8", "view": self, "request": request}
        return _PARSER.parse(BytesIO(request.body), JSON, context)
