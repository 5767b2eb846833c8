"""Traces of requests, tasks and sockets by OpenTelemetry (`OTEL_EXPORTER_OTLP_ENDPOINT`).

OpenTelemetry's own libraries begin a trace with each request and task and add Redis and SQL;
`core.tracing` adds spans that they do not cover. The SDK reads its other variables itself, such as
`OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_HEADERS`.

Only the attributes named here are exported: queries, paths and errors may contain cards, names,
addresses and bank accounts.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from core import tracing

# Statements have placeholders for values, routes have the names of their arguments.
ATTRIBUTES: Final = frozenset(
    {
        "http.request.method",
        "http.method",
        "http.route",
        "http.response.status_code",
        "http.status_code",
        "db.system",
        "db.system.name",
        "db.statement",
        "db.query.text",
        "db.operation",
        "celery.action",
        "celery.task_name",
        "messaging.destination",
        "messaging.destination.name",
        "rummy.table",
        "rummy.version",
        "rummy.statements",
        "rummy.views",
    }
)


def trace_to(endpoint: str) -> None:
    """Start sending traces to this endpoint; raise if the libraries are missing."""
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        raise ImproperlyConfigured(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set and OpenTelemetry is not installed: install the "
            "extra `tracing`, or unset it."
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    trace_with(BatchSpanProcessor(without_values(exporter)))


def trace_with(processor: Any) -> None:
    """Send all spans of this process to the processor."""
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    name = os.environ.get("OTEL_SERVICE_NAME", "pool-rummy")
    place = f"{socket.gethostname()}-{os.getpid()}"
    resource = Resource.create({"service.name": name, "service.instance.id": place})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(processor)
    trace.set_tracer_provider(provider)
    _instrument()
    tracing.switch_on(_Spans(provider.get_tracer("rummy")))


def _instrument() -> None:
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
    from opentelemetry.instrumentation.redis import RedisInstrumentor

    for library in (CeleryInstrumentor, PsycopgInstrumentor, RedisInstrumentor):
        library().instrument()
    # After the middleware that answers probes: they come every second, with hosts not allowed here.
    DjangoInstrumentor().instrument(middleware_position=1)


class _Spans:
    """The project's spans, within a trace begun by a library."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer

    @contextmanager
    def span(
        self, name: str, parent: dict[str, str] | None, attributes: dict[str, Any]
    ) -> Iterator[Any]:
        from opentelemetry import trace
        from opentelemetry.propagate import extract

        context = extract(parent) if parent else None
        if not trace.get_current_span(context).get_span_context().is_valid:
            yield None
            return
        named = {f"rummy.{key}": value for key, value in attributes.items()}
        with self._tracer.start_as_current_span(name, context=context, attributes=named) as span:
            yield span

    def names(self) -> dict[str, str]:
        from opentelemetry.propagate import inject

        names: dict[str, str] = {}
        inject(names)
        return names


def without_values(exporter: Any) -> Any:
    """Return an exporter that removes values that may be a player's from each span."""
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import SpanKind

    begin = (SpanKind.SERVER, SpanKind.CONSUMER)

    class Exporter(SpanExporter):
        def export(self, spans: Sequence[Any]) -> Any:
            # Statements outside a request or task, such as a connection's own, are not exported.
            ours = [span for span in spans if span.parent or span.kind in begin]
            return exporter.export([_without_values(span) for span in ours])

        def shutdown(self) -> None:
            exporter.shutdown()

        def force_flush(self, timeout_millis: int = 30_000) -> bool:
            return bool(exporter.force_flush(timeout_millis))

    return Exporter()


def _without_values(span: Any) -> Any:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Status

    kept = {name: value for name, value in span.attributes.items() if name in ATTRIBUTES}
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=kept,
        links=span.links,
        kind=span.kind,
        # Error messages in status and events contain the offending values.
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )
