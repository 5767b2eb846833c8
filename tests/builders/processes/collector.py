"""A collector of OpenTelemetry that keeps the spans it is sent, from any process."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.builders.processes.http_servers import Quiet, serving


@dataclass(frozen=True)
class Seen:
    """A span as it arrived."""

    trace: str
    span: str
    parent: str
    name: str
    # Host and number of the process that worked in it.
    process: str
    attributes: dict[str, str]


class Collected:
    """Where to send spans, and those that came; `bodies` are the messages as they were sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.spans: list[Seen] = []
        self.bodies: list[bytes] = []

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            process = _texts(sent.resource.attributes)["service.instance.id"]
            self.spans += [
                Seen(
                    trace=span.trace_id.hex(),
                    span=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    name=span.name,
                    process=process,
                    attributes=_texts(span.attributes),
                )
                for scope in sent.scope_spans
                for span in scope.spans
            ]


@contextmanager
def collecting() -> Iterator[Collected]:
    """Run a collector on a free port."""

    class Take(Quiet, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.body()
            is_packed = self.headers.get("Content-Encoding") == "gzip"
            collected.take(gzip.decompress(body) if is_packed else body)
            self.answer(200)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
    collected = Collected(f"http://127.0.0.1:{server.server_port}")
    with serving(server):
        yield collected


def _texts(attributes: Any) -> dict[str, str]:
    return {each.key: str(each.value.string_value or each.value.int_value) for each in attributes}
