"""API to upload and list the files of gateways and banks that the reconciliations compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from core.api.parsers import UploadParser
from finance.matching.actions import BYTES_MAX, Stored, keep_file, keep_statement
from finance.matching.gateways.report import GATEWAY_RECONCILIATION
from finance.matching.layouts.reading import reader_named
from finance.matching.models import BankStatement, GatewayFile, providers
from finance.matching.report import BANK_RECONCILIATION
from finance.tokens.authentication import FinanceView
from finance.tokens.models import FinanceToken

SHOWN = 100
ABOUT = ("sha256", "name", "line_count", "first_day", "last_day", "uploaded_by", "uploaded_at")


class UploadedFile(serializers.ModelSerializer[GatewayFile]):
    uploaded_by = serializers.CharField(source="uploader")

    class Meta:
        model = GatewayFile
        fields = (*ABOUT, "provider", "shape", "passed_over")


class StoredStatement(serializers.ModelSerializer[BankStatement]):
    class Meta:
        model = BankStatement
        fields = (
            *("number", "account", "currency", "line_count", "first_day", "last_day"),
            *("opening_minor", "closing_minor"),
        )
        # The models' labels are those of the admin, which shows whole amounts.
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "opening_minor": {"label": "Opening minor"},
            "closing_minor": {"label": "Closing minor"},
        }


class BankFile(serializers.Serializer[Any]):
    """A bank's file with its statements, one for each account."""

    sha256 = serializers.CharField()
    name = serializers.CharField()
    format = serializers.CharField()
    line_count = serializers.IntegerField()
    first_day = serializers.DateField()
    last_day = serializers.DateField()
    uploaded_by = serializers.CharField()
    uploaded_at = serializers.DateTimeField()
    statements = StoredStatement(many=True)


class UploadedBankFile(BankFile):
    warnings = serializers.ListField(child=serializers.CharField())


class Upload(serializers.Serializer[Any]):
    provider = serializers.ChoiceField(choices=providers())
    file = serializers.FileField(max_length=200, allow_empty_file=True)


class StatementUpload(serializers.Serializer[Any]):
    file = serializers.FileField(max_length=200, allow_empty_file=True)
    # The name of a layout of CSV; without it the file is recognized by its headings.
    layout = serializers.CharField(max_length=40, required=False)


class BadLines(serializers.Serializer[Any]):
    position = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    expected = serializers.CharField()


@extend_schema_serializer(component_name="FileRefusal")
class FileRefusal(Refusal):
    bad_lines = serializers.IntegerField(required=False)
    lines = BadLines(many=True, required=False)


def _answers(shape: type[serializers.BaseSerializer[Any]]) -> dict[int, Any]:
    return {
        201: shape,
        200: OpenApiResponse(shape, description="It was uploaded before."),
        400: FileRefusal,
        **dict.fromkeys((401, 403, 406, 413, 415, 429), Refusal),
    }


def _sent(request: Request, asked: serializers.Serializer[Any]) -> dict[str, Any]:
    sent = asked.validated_data["file"]
    token = cast(FinanceToken, request.auth)
    return {"name": sent.name, "body": sent.read(BYTES_MAX + 1), "uploaded_by": token}


def _answer(stored: Stored[Any], body: Any) -> Response:
    code = status.HTTP_201_CREATED if stored.is_new else status.HTTP_200_OK
    return Response(body, status=code)


class GatewayFilesView(FinanceView):
    """List the latest 100 gateway files, or upload one."""

    parser_classes = (UploadParser,)
    scope = GATEWAY_RECONCILIATION.name

    @extend_schema(
        operation_id="finance_gateway_files",
        summary="List uploaded gateway files",
        responses={
            200: list_serializer(UploadedFile),
            **dict.fromkeys((401, 403, 406, 429), Refusal),
        },
    )
    def get(self, request: Request) -> Response:
        latest = GatewayFile.objects.select_related("uploaded_by", "staff")[:SHOWN]
        return list_response(request, UploadedFile(latest, many=True).data)

    @extend_schema(
        operation_id="finance_upload_gateway_file",
        summary="Upload a gateway file",
        description="CSV: payments or settlement recon of Razorpay or the sandbox. JSON: "
        "settlement recon of Razorpay. Uploading the same bytes again returns the same file.",
        request={"multipart/form-data": Upload},
        responses=_answers(UploadedFile),
    )
    def post(self, request: Request) -> Response:
        asked = Upload(data=request.data)
        asked.is_valid(raise_exception=True)
        stored = keep_file(provider=asked.validated_data["provider"], **_sent(request, asked))
        return _answer(stored, UploadedFile(stored.row).data)


class BankStatementsView(FinanceView):
    """List the latest bank files, or upload one."""

    parser_classes = (UploadParser,)
    scope = BANK_RECONCILIATION.name

    @extend_schema(
        operation_id="finance_bank_statements",
        summary="List uploaded bank files",
        responses={
            200: list_serializer(BankFile),
            **dict.fromkeys((401, 403, 406, 429), Refusal),
        },
    )
    def get(self, request: Request) -> Response:
        latest = BankStatement.objects.values("sha256")[:SHOWN]
        rows = BankStatement.objects.filter(sha256__in=[one["sha256"] for one in latest])
        files: dict[str, list[BankStatement]] = {}
        for row in rows.select_related("uploaded_by", "staff").order_by("-pk"):
            files.setdefault(row.sha256, []).insert(0, row)
        return list_response(request, [_bank_file(same) for same in files.values()])

    @extend_schema(
        operation_id="finance_upload_bank_statement",
        summary="Upload a bank's file",
        description="MT940, CAMT.053, CSV of a bank with a known `layout`, or CSV with the columns "
        "`date`, `text`, and `amount` or `debit` and `credit`. Uploading the same bytes again "
        "returns the same file.",
        request={"multipart/form-data": StatementUpload},
        responses=_answers(UploadedBankFile),
    )
    def post(self, request: Request) -> Response:
        asked = StatementUpload(data=request.data)
        asked.is_valid(raise_exception=True)
        reader = reader_named(asked.validated_data.get("layout", ""))
        stored = keep_statement(reader=reader, **_sent(request, asked))
        return _answer(stored, {**_bank_file(stored.rows), "warnings": [*stored.warnings]})


def _bank_file(rows: Sequence[BankStatement]) -> dict[str, Any]:
    """Return a bank's file; all its statements were uploaded together."""
    file = {
        "sha256": rows[0].sha256,
        "name": rows[0].name,
        "format": rows[0].format,
        "line_count": sum(row.line_count for row in rows),
        "first_day": min(row.first_day for row in rows),
        "last_day": max(row.last_day for row in rows),
        "uploaded_by": rows[0].uploader,
        "uploaded_at": rows[0].uploaded_at,
        "statements": rows,
    }
    return dict(BankFile(file).data)
