"""Reports of a process to services that the operator names: unexpected errors and traces."""

from __future__ import annotations

from django.conf import settings

from config.logs import errors, traces


def start_reports() -> None:
    """Send the errors and traces of this process to the services of the settings, if any."""
    if settings.SENTRY_DSN:
        errors.report_errors(settings.SENTRY_DSN)
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        traces.trace_to(settings.OTEL_EXPORTER_OTLP_ENDPOINT)
