"""The API's OpenAPI description, generated once per process and kept in memory.

Generating it takes more than a second, so it does not depend on a request's parameters, headers or
language.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views import View
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from core.api.openapi import COMPONENTS, PROBLEM, REFUSAL, schema_of
from core.http import problems

YAML: Final = "application/vnd.oai.openapi"
JSON: Final = "application/json"
LANGUAGE: Final = "en"
_working: Final = Lock()


@dataclass(frozen=True, slots=True)
class Description:
    """The description in one format, ready to be sent."""

    media_type: str
    body: bytes
    etag: str


def description(media_type: str) -> Description:
    """Return the description as JSON or YAML; the first call generates both."""
    with _working:  # Only one of several concurrent first calls generates it.
        return _descriptions()[media_type]


@cache
def _descriptions() -> dict[str, Description]:
    with translation.override(LANGUAGE):
        document = SchemaGenerator().get_schema(request=None, public=True)
        bodies = {
            YAML: OpenApiYamlRenderer().render(document),
            JSON: json.dumps(document, ensure_ascii=False).encode(),
        }
    return {
        media_type: Description(media_type, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
        for media_type, body in bodies.items()
    }


RATE_HEADERS: Final = {
    "RateLimit-Policy": "string",
    "RateLimit": "string",
    "Retry-After": "integer",
}


def add_refusals(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Add the refusals common to all operations; a postprocessing hook of drf-spectacular.

    Middleware refuses unknown parameters and too many requests; views do not declare these.
    """
    schemas = result["components"].setdefault("schemas", {})
    schemas |= {REFUSAL: _any_refusal(), **COMPONENTS}
    for shape in schemas.values():
        for schema in shape.get("properties", {}).values():
            if schema.get("format") == "decimal":  # The pattern accepts a blank string.
                schema.setdefault("minLength", 1)
    for path, methods in result["paths"].items():
        for operation in methods.values():
            _add_refusals(path, operation)
    return result


def name_requests(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Name request schemas; the framework would append "Request" to "MoveRequest" again."""
    text = json.dumps(result, default=str).replace('RequestRequest"', 'Request"')
    return json.loads(text)


def _any_refusal() -> dict[str, Any]:
    """Return the schema common to all refusals, with the optional fields that some of them add."""
    moment = schema_of(datetime)
    more = {
        "amount_max_minor": schema_of(int),
        "amount_min_minor": schema_of(int),
        "errors": {"type": "object", "additionalProperties": {}},
        "field": schema_of(str),
        "fields": schema_of(list[str]),
        "parameter": schema_of(str),
        "parameters": schema_of(list[str]),
        "since": moment,
        "steps": {"type": "array", "items": {"type": "object", "additionalProperties": {}}},
        "until": moment,
    }
    return {"type": "object", "properties": PROBLEM | more, "required": [*PROBLEM]}


def _add_refusals(path: str, operation: dict[str, Any]) -> None:
    said = operation["responses"]
    parameters = operation.get("parameters", [])
    for parameter in parameters:
        if parameter["in"] == "query" and parameter["schema"].get("type") == "string":
            parameter["schema"].setdefault("minLength", 1)
    for status, meaning in (
        ("400", "The request cannot be read, or has an unknown parameter or field."),
        ("403", "Not signed in, or not permitted."),
        ("404", "The object does not exist or belongs to somebody else."),
        ("429", "Too many requests."),
    ):
        if status == "403" and {} in operation.get("security", [{}]) and "401" not in said:
            continue
        if status == "404" and not any(one["in"] == "path" for one in parameters):
            continue
        answer = said.setdefault(status, {"description": meaning})
        shape = {"schema": {"$ref": f"#/components/schemas/{REFUSAL}"}}
        answer.setdefault("content", {JSON: shape})
    for status, answer in said.items():
        if status >= "400" and "content" in answer:
            (shape, *_) = answer["content"].values()
            answer["content"] = {problems.CONTENT_TYPE: shape}
    said["429"]["headers"] = {
        name: {"schema": {"type": kind}} for name, kind in RATE_HEADERS.items()
    }


class DescriptionView(View):
    """Serve the description as JSON (`?format=json` or `Accept`), else as YAML."""

    throttle_scope = "public"

    def get(self, request: HttpRequest) -> HttpResponse:
        found = description(_wanted(request))
        answer: Any = get_conditional_response(request, etag=found.etag)
        if answer is None:
            answer = HttpResponse(found.body, content_type=found.media_type)
        answer["ETag"] = found.etag
        answer["Cache-Control"] = "public, max-age=300"
        patch_vary_headers(answer, ["Accept"])
        response: HttpResponse = answer
        return response


def _wanted(request: HttpRequest) -> str:
    chosen = request.GET.get("format")
    if chosen in ("json", "yaml"):
        return JSON if chosen == "json" else YAML
    return JSON if request.get_preferred_type([YAML, JSON]) == JSON else YAML
