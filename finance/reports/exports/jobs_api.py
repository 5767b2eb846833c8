"""API of exports written by workers: start, check, cancel and download."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.openapi import Refusal
from finance.reports.catalogue import BY_NAME, may_read
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.api import ReportQuery, filters_text
from finance.reports.exports.files import MEDIA_TYPES, RENDERERS, formats_of, send_finished
from finance.reports.exports.models import ExportJob
from finance.tokens.authentication import BearsToken, FinanceView
from finance.tokens.models import FinanceToken


class ExportQuery(ReportQuery):
    """The report, its query and the file format of an export."""

    cursor, limit = None, None  # type: ignore[assignment]
    report = serializers.ChoiceField(choices=sorted(BY_NAME))
    format = serializers.ChoiceField(choices=sorted(MEDIA_TYPES))

    def validate(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["format"] not in formats_of(BY_NAME[asked["report"]]):
            raise serializers.ValidationError({"format": ["The report has no such format."]})
        return asked


class ExportShape(serializers.ModelSerializer[ExportJob]):
    id = serializers.UUIDField(source="public_id")
    report = serializers.ChoiceField(choices=sorted(BY_NAME))
    status = serializers.ChoiceField(choices=ExportJob.Status.values)
    # In percent; null if the number of rows is unknown.
    progress = serializers.SerializerMethodField()
    download = serializers.SerializerMethodField()

    class Meta:
        model = ExportJob
        fields = (
            "id",
            "report",
            "format",
            "filters",
            "status",
            "progress",
            "rows_done",
            "rows_total",
            "created_at",
            "finished_at",
            "expires_at",
            "size_bytes",
            "sha256",
            "code",
            "download",
        )

    def get_progress(self, job: ExportJob) -> int | None:
        if job.status in (ExportJob.Status.DONE, ExportJob.Status.GONE):
            return 100
        return min(99, job.rows_done * 100 // job.rows_total) if job.rows_total else None

    def get_download(self, job: ExportJob) -> str | None:
        """Return the file's URL; the same token can download it until `expires_at`."""
        if job.status != ExportJob.Status.DONE:
            return None
        return reverse("finance-export-file", args=[job.public_id])


class OfToken(FinanceView):
    """Base of views that find only the exports of the request's token."""

    permission_classes = (BearsToken,)

    def job(self, request: Request, export_id: UUID) -> ExportJob:
        return get_object_or_404(ExportJob, public_id=export_id, token=request.auth)


class ExportsView(OfToken):
    """Start an export that a worker writes."""

    @extend_schema(
        operation_id="finance_start_export",
        summary="Start an export",
        request=ExportQuery,
        responses={
            202: ExportShape,
            **dict.fromkeys((400, 401, 403, 404, 406, 409, 413, 415, 429), Refusal),
        },
    )
    def post(self, request: Request) -> Response:
        query = ExportQuery(data=request.data)
        query.is_valid(raise_exception=True)
        asked, token = query.validated_data, cast(FinanceToken, request.auth)
        report = BY_NAME[asked["report"]]
        if not may_read(report, token):
            raise PermissionDenied
        job = export_jobs.start_export(
            reader=token,
            report=report,
            chosen=asked["format"],
            question=query.start(report).question,
            filters=filters_text(asked),
        )
        return Response(ExportShape(job).data, status=status.HTTP_202_ACCEPTED)


class ExportView(OfToken):
    """Return the progress of an export, or cancel it."""

    @extend_schema(
        operation_id="finance_export",
        summary="An export's progress",
        responses={200: ExportShape, **dict.fromkeys((401, 403, 404, 406, 429), Refusal)},
    )
    def get(self, request: Request, export_id: UUID) -> Response:
        return Response(ExportShape(self.job(request, export_id)).data)

    @extend_schema(
        operation_id="finance_cancel_export",
        summary="Cancel an export",
        description="Stops an unfinished export; deletes the file of a finished one.",
        responses={200: ExportShape, **dict.fromkeys((401, 403, 404, 406, 429), Refusal)},
    )
    def delete(self, request: Request, export_id: UUID) -> Response:
        job = self.job(request, export_id)
        return Response(ExportShape(export_jobs.cancel_export(job_id=job.pk)).data)


class ExportFileView(OfToken):
    """Return the finished file; every download is recorded."""

    @extend_schema(
        operation_id="finance_export_file",
        summary="An export's file",
        responses={
            **{(200, renderer.media_type): OpenApiTypes.BINARY for renderer in RENDERERS},
            **{(code, "application/json"): Refusal for code in (401, 403, 404, 406, 409, 410, 429)},
        },
    )
    def get(self, request: Request, export_id: UUID) -> HttpResponseBase:
        job, token = self.job(request, export_id), cast(FinanceToken, request.auth)
        if not may_read(BY_NAME[job.report], token):
            raise PermissionDenied
        file = export_jobs.open_finished(job)
        return send_finished(request._request, job, file, reader=token)
