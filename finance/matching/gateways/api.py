"""API to upload and list the gateway files that `gateway-reconciliation` compares."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.lists import list_response, list_serializer
from core.api.openapi import Refusal
from core.api.parsers import UploadParser
from finance.matching.gateways import actions as gateway_files
from finance.matching.gateways.report import GATEWAY_RECONCILIATION
from finance.matching.models import GatewayFile, providers
from finance.tokens.authentication import FinanceView
from finance.tokens.models import FinanceToken

SHOWN = 100


class UploadedFile(serializers.ModelSerializer[GatewayFile]):
    uploaded_by = serializers.CharField(source="uploader")

    class Meta:
        model = GatewayFile
        fields = (
            "sha256",
            "provider",
            "shape",
            "name",
            "line_count",
            "passed_over",
            "first_day",
            "last_day",
            "uploaded_by",
            "uploaded_at",
        )


class Upload(serializers.Serializer[Any]):
    provider = serializers.ChoiceField(choices=providers())
    file = serializers.FileField(max_length=200, allow_empty_file=True)


class BadLines(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    code = serializers.CharField()
    message = serializers.CharField()


@extend_schema_serializer(component_name="FileRefusal")
class FileRefusal(Refusal):
    bad_lines = serializers.IntegerField(required=False)
    lines = BadLines(many=True, required=False)


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
        responses={
            201: UploadedFile,
            200: OpenApiResponse(UploadedFile, description="It was uploaded before."),
            400: FileRefusal,
            **dict.fromkeys((401, 403, 406, 413, 415, 429), Refusal),
        },
    )
    def post(self, request: Request) -> Response:
        asked = Upload(data=request.data)
        asked.is_valid(raise_exception=True)
        sent = asked.validated_data["file"]
        file, is_new = gateway_files.keep_file(
            provider=asked.validated_data["provider"],
            name=sent.name,
            body=sent.read(gateway_files.BYTES_MAX + 1),
            uploaded_by=cast(FinanceToken, request.auth),
        )
        made = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(UploadedFile(file).data, status=made)
