"""API to upload and list the bank statements that `bank-reconciliation` compares."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from core.api.parsers import UploadParser
from finance.matching.actions import BYTES_MAX, keep_statement
from finance.matching.api import FileRefusal
from finance.matching.models import BankStatement
from finance.matching.report import BANK_RECONCILIATION
from finance.tokens.authentication import FinanceView
from finance.tokens.models import FinanceToken

SHOWN = 100


class UploadedStatement(serializers.ModelSerializer[BankStatement]):
    uploaded_by = serializers.CharField(source="uploader")

    class Meta:
        model = BankStatement
        fields = (
            "sha256",
            "name",
            "currency",
            "line_count",
            "first_day",
            "last_day",
            "closing_minor",
            "uploaded_by",
            "uploaded_at",
        )


class StatementUpload(serializers.Serializer[Any]):
    file = serializers.FileField(max_length=200, allow_empty_file=True)


class BankStatementsView(FinanceView):
    """List the latest 100 bank statements, or upload one."""

    parser_classes = (UploadParser,)
    scope = BANK_RECONCILIATION.name

    @extend_schema(
        operation_id="finance_bank_statements",
        summary="List uploaded bank statements",
        responses={
            200: list_serializer(UploadedStatement),
            **dict.fromkeys((401, 403, 406, 429), Refusal),
        },
    )
    def get(self, request: Request) -> Response:
        latest = BankStatement.objects.select_related("uploaded_by", "staff")[:SHOWN]
        return list_response(request, UploadedStatement(latest, many=True).data)

    @extend_schema(
        operation_id="finance_upload_bank_statement",
        summary="Upload a bank statement",
        description="MT940, CAMT.053, or CSV with the columns `date`, `text`, and `amount` or "
        "`debit` and `credit`. Uploading the same bytes again returns the same statement.",
        request={"multipart/form-data": StatementUpload},
        responses={
            201: UploadedStatement,
            200: OpenApiResponse(UploadedStatement, description="It was uploaded before."),
            400: FileRefusal,
            **dict.fromkeys((401, 403, 406, 413, 415, 429), Refusal),
        },
    )
    def post(self, request: Request) -> Response:
        asked = StatementUpload(data=request.data)
        asked.is_valid(raise_exception=True)
        sent = asked.validated_data["file"]
        statement, is_new = keep_statement(
            name=sent.name,
            body=sent.read(BYTES_MAX + 1),
            uploaded_by=cast(FinanceToken, request.auth),
        )
        made = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(UploadedStatement(statement).data, status=made)
