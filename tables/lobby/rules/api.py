"""The API of rules profiles."""

from __future__ import annotations

from typing import get_args

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import rummy
from core.api.openapi import as_json, refusal, schema_of
from tables.state.rules import rules_called

VERSION_MAX = 10**9 - 1
RULES = {"oneOf": [schema_of(rules) for rules in get_args(rummy.AnyRules)]}


class RulesView(APIView):
    """Return a profile's rules as data: the requested version, or the latest.

    A version never changes.
    """

    permission_classes = (AllowAny,)
    throttle_scope = "public"

    @extend_schema(
        operation_id="rules",
        parameters=[
            OpenApiParameter("version", {"type": "integer", "minimum": 1, "maximum": VERSION_MAX}),
            OpenApiParameter("name", OpenApiTypes.STR, OpenApiParameter.PATH),
        ],
        responses={200: OpenApiResponse(RULES, "The rules."), 404: refusal()},
        auth=[],
    )
    def get(self, request: Request, name: str) -> Response:
        version = request.query_params.get("version")
        known = "\0" not in name
        rules = rules_called(name, int(version) if version else None) if known else None
        if rules is None:
            raise NotFound
        return Response(as_json(rules))
