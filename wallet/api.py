"""What finance's machines may read."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.authentication import FinanceTokenAuthentication, HasScope
from wallet.csv_stream import CSVRenderer, csv_response
from wallet.journal import COLUMNS, BadCursor, Cursor, Selection, journal_row
from wallet.models import FinanceToken

PAGE_DEFAULT = 200
PAGE_MAX = 1_000
LIMIT = {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE_DEFAULT}


class JournalQuery(serializers.Serializer[Any]):
    """What of the journal is asked for; `from` is a word of Python's, hence the detour."""

    to = serializers.DateField(required=False)
    cursor = serializers.CharField(required=False)
    limit = serializers.IntegerField(min_value=1, max_value=PAGE_MAX, default=PAGE_DEFAULT)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "from": serializers.DateField(required=False)}

    def start(self) -> Cursor:
        """Return where to read on: a cursor knows the days it was made for."""
        asked = self.validated_data
        if "cursor" not in asked:
            return Cursor(Selection.of_days(asked.get("from"), asked.get("to")))
        cursor = Cursor.parse(asked["cursor"])
        days = {"from": cursor.selection.booked_from, "to": cursor.selection.booked_to}
        if any(asked[name] != day for name, day in days.items() if name in asked):
            raise BadCursor("the cursor belongs to other days")
        return cursor


class JournalEntry(serializers.Serializer[Any]):
    transfer = serializers.UUIDField()
    key = serializers.CharField()
    kind = serializers.CharField()
    booked_on = serializers.DateField()
    effective_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    account = serializers.UUIDField()
    account_kind = serializers.CharField()
    account_ref = serializers.CharField(allow_blank=True)
    account_version = serializers.IntegerField()
    player = serializers.CharField(allow_blank=True)
    currency = serializers.CharField()
    amount_minor = serializers.IntegerField()
    amount = serializers.CharField()
    balance_after_minor = serializers.IntegerField()
    reverses = serializers.CharField(allow_blank=True)
    memo = serializers.CharField(allow_blank=True)
    actor = serializers.CharField(allow_blank=True)


class ControlTotals(serializers.Serializer[Any]):
    entries = serializers.IntegerField()
    transfers = serializers.IntegerField()
    in_minor = serializers.IntegerField()
    out_minor = serializers.IntegerField()


class Refusal(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()


class JournalPage(serializers.Serializer[Any]):
    totals = serializers.DictField(child=ControlTotals())
    results = JournalEntry(many=True)
    next = serializers.CharField(allow_null=True)


class JournalView(APIView):
    """Read the journal: entries of all transfers, settled, each exactly once.

    JSON comes in pages; `next` is the cursor of the following page, null on the last. CSV
    (`?format=csv` or `Accept: text/csv`) is streamed whole. `totals` (in CSV the header
    `X-Control-Totals`) say what the complete selection adds up to.
    """

    authentication_classes = (FinanceTokenAuthentication,)
    permission_classes = (HasScope,)
    renderer_classes = (JSONRenderer, CSVRenderer)
    scope = FinanceToken.Scope.JOURNAL

    @extend_schema(
        operation_id="finance_journal",
        tags=["finance"],
        parameters=[
            OpenApiParameter("from", OpenApiTypes.DATE, description="First booked day."),
            OpenApiParameter("to", OpenApiTypes.DATE, description="Last booked day."),
            OpenApiParameter("cursor", OpenApiTypes.STR, description="`next` of a page."),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE_DEFAULT},
            ),
            OpenApiParameter("format", OpenApiTypes.STR, enum=["json", "csv"]),
        ],
        responses={
            (200, "application/json"): JournalPage,
            (200, "text/csv"): OpenApiTypes.STR,
            # A bad question; no token in force; another scope; no such format, asked either way.
            **{(code, "application/json"): Refusal for code in (400, 401, 403, 404, 406)},
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = JournalQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        start = query.start()
        totals = start.selection.control_totals()
        if request.accepted_renderer.format == CSVRenderer.format:
            chunks = (map(journal_row, chunk) for chunk in start.selection.chunks(start))
            response = csv_response(
                request._request, filename="journal.csv", columns=COLUMNS, chunks=chunks
            )
            response["X-Control-Totals"] = json.dumps(totals)
            return response
        size = query.validated_data["limit"]
        # One more than asked for tells whether there is a next page.
        entries = start.selection.page(start, size + 1)
        page, more = entries[:size], len(entries) > size
        following = str(start.past(page[-1])) if more else None
        rows = [journal_row(entry) for entry in page]
        return Response({"totals": totals, "results": rows, "next": following})
