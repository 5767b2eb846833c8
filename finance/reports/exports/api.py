"""The report API: one view for all reports, as JSON pages or as files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, cast
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from core.api.lists import link_header, list_schema, next_address
from core.api.openapi import Refusal
from finance.exceptions import BadCursor, SiteDaysOnly, UnknownFile
from finance.reports.catalogue import may_read
from finance.reports.exports.files import RENDERERS, finish_export, formats_of, send_report
from finance.reports.exports.models import Export
from finance.reports.frame.periods import OLD_NAMES, SITE_ZONE, Period
from finance.reports.frame.report import (
    CASH,
    NO_ACTIVITY,
    POINTS,
    Cursor,
    Question,
    Report,
    ReportHeader,
    Totals,
)
from finance.tokens.authentication import FinanceView
from finance.tokens.models import FinanceToken

PAGE_DEFAULT = 200
PAGE_MAX = 1_000
FILE_PARAMETER = OpenApiParameter(
    "file",
    {"type": "string", "maxLength": 64},
    description="SHA-256 of an uploaded file; required unless `cursor` is given.",
)

MONEY_PARAMETER = OpenApiParameter(
    "money", OpenApiTypes.STR, enum=[CASH, POINTS], description="Only cash or only play points."
)

PERSON_PARAMETERS = [
    OpenApiParameter(name, OpenApiTypes.UUID, description=f"Only actions {name} this person.")
    for name in ("by", "about")
]
FILTERS = ("money", "by", "about")


class ReportQuery(serializers.Serializer[Any]):
    """Query parameters of a report; `from`, a keyword, is added by `get_fields`."""

    to = serializers.DateField(required=False)
    tz = serializers.CharField(required=False, max_length=64)
    cursor = serializers.CharField(required=False, max_length=2_000)
    limit = serializers.IntegerField(min_value=1, max_value=PAGE_MAX, default=PAGE_DEFAULT)
    file = serializers.CharField(required=False, max_length=64)
    money = serializers.ChoiceField(required=False, choices=(CASH, POINTS))
    by = serializers.UUIDField(required=False)
    about = serializers.UUIDField(required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "from": serializers.DateField(required=False)}

    def validate_tz(self, asked: str) -> str:
        return OLD_NAMES.get(asked, asked)

    def start(self, report: Report) -> Cursor:
        """Return the position to read from; raise `BadCursor` for another query's cursor."""
        asked = self.validated_data
        if "cursor" not in asked:
            period = Period.asked(asked.get("from"), asked.get("to"), asked.get("tz", SITE_ZONE))
            if not period.is_site_zone and not report.any_zone:
                raise SiteDaysOnly(f"{report.name} is available only for days of {SITE_ZONE}")
            file = self._file(report.is_file) if report.is_file else ""
            late = report.has_late_entries
            question = Question.asked(period, file=file, has_late_entries=late)
            money, by, about = (self._filter(report, name) for name in FILTERS)
            return Cursor(report.name, replace(question, money=money, by=by, about=about))
        cursor = Cursor.parse(asked["cursor"], report=report.name)
        period = cursor.question.period
        known = {"from": period.first, "to": period.last, "tz": period.tz}
        known |= cursor.question.filter_values()
        if any(_plain(asked[name]) != value for name, value in known.items() if name in asked):
            raise BadCursor("the cursor belongs to another query; start without one")
        return cursor

    def _filter(self, report: Report, name: str) -> str:
        """Return a filter's value, or "" without one; raise `ValidationError` if unsupported."""
        value = str(self.validated_data.get(name, ""))
        if value and not (report.by_money if name == "money" else report.by_person):
            raise serializers.ValidationError({name: ["This report has no such filter."]})
        return value

    def _file(self, is_file: Callable[[str], bool]) -> str:
        sha256: str = self.validated_data.get("file", "")
        if not sha256:
            raise serializers.ValidationError({"file": ["Enter the SHA-256 of an uploaded file."]})
        if not is_file(sha256):
            raise UnknownFile("no file with this SHA-256 was uploaded")
        return sha256


def filters_text(asked: Mapping[str, Any]) -> str:
    """Return the parameters of a request as an export records them."""
    return urlencode(sorted(asked.items()), safe=":/")


def _plain(asked: Any) -> Any:
    """Return a parameter's value as a `Question` stores it: ids as text."""
    return str(asked) if isinstance(asked, UUID) else asked


def page_schema(report: Report) -> dict[str, Any]:
    """Return the schema of a page of a report."""
    return list_schema(report.shape, header=ReportHeader, note=str, totals=Totals)


class MayReadReport(BasePermission):
    """Allow readers of the view's report."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return may_read(view.report, request.auth)


class ReportView(FinanceView):
    """Return one report: JSON in pages, other formats as one file."""

    permission_classes = (MayReadReport,)
    renderer_classes = (JSONRenderer,)
    report: ClassVar[Report]

    def answer(self, request: Request) -> HttpResponseBase:
        query = ReportQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        token = cast(FinanceToken, request.auth)
        start = query.start(self.report)
        start = replace(start, question=self.report.shown_to(start.question, token.scopes))
        chosen = request.accepted_renderer.format
        filters = filters_text(request.query_params)
        if chosen != JSONRenderer.format:
            return send_report(
                request._request,
                self.report,
                start.question,
                chosen=chosen,
                reader=token,
                filters=filters,
            )
        export = Export.objects.create(
            token=token, report=self.report.name, format=chosen, filters=filters
        )
        page = json_page(self.report, start, request, query.validated_data["limit"])
        body = msgspec.json.encode(page)
        sha256, rows = hashlib.sha256(body).hexdigest(), len(page["results"])
        finish_export(export=export, rows=rows, sha256=sha256)
        headers = link_header(page["next"])
        return HttpResponse(body, content_type="application/json", headers=headers)


def json_page(report: Report, start: Cursor, request: Request, limit: int) -> dict[str, Any]:
    """Return a page of a report, with the URL of the next one."""
    # One row more than requested shows whether there is a next page.
    found = report.page(start.question, start.after, limit + 1)
    shown, more = found[:limit], len(found) > limit
    return {
        "header": report.header(start.question),
        "note": "" if shown else NO_ACTIVITY,
        "results": [{name: row[name] for name in report.columns} for _, row in shown],
        "next": next_address(request, {"cursor": start.past(shown[-1][0])} if more else None),
        "totals": report.totals(start.question),
    }


def view_of(report: Report) -> type[ReportView]:
    """Return the view class of one report, with its API description."""
    files_of = [one for one in RENDERERS if one.format in formats_of(report)]
    renderers: list[type[BaseRenderer]] = [*ReportView.renderer_classes, *files_of]
    name = f"{report.name.title().replace('-', '')}View"
    formats = [renderer.format for renderer in renderers]
    files = {(200, renderer.media_type): OpenApiTypes.BINARY for renderer in files_of}

    @extend_schema(
        operation_id=f"finance_{report.name.replace('-', '_')}",
        summary=report.title,
        description=f"Columns: {', '.join(report.columns)}.",
        parameters=[
            OpenApiParameter("from", OpenApiTypes.DATE, description="First day."),
            OpenApiParameter("to", OpenApiTypes.DATE, description="Last day; default: today."),
            OpenApiParameter("tz", OpenApiTypes.STR, description="Time zone.", default=SITE_ZONE),
            OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` of a page."),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 1, "maximum": PAGE_MAX, "default": PAGE_DEFAULT},
            ),
            OpenApiParameter("format", OpenApiTypes.STR, enum=formats),
            *([FILE_PARAMETER] if report.wants_file else []),
            *([MONEY_PARAMETER] if report.by_money else []),
            *(PERSON_PARAMETERS if report.by_person else []),
        ],
        responses={
            (200, "application/json"): page_schema(report),
            **files,
            # 404 for `?format=` and 406 for `Accept` with an unknown format.
            **{(code, "application/json"): Refusal for code in (400, 401, 403, 404, 406, 429)},
        },
    )
    def get(self: ReportView, request: Request) -> HttpResponseBase:
        return self.answer(request)

    of_this = {"report": report, "renderer_classes": tuple(renderers), "get": get}
    return type(name, (ReportView,), of_this)
