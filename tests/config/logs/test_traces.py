"""A move is one trace, from the request to socket and worker; without the setting there is none."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from websockets.sync.client import connect

from config.logs import lines, traces
from core import tracing
from devtools.children import start_child, stop_children
from devtools.stack import QUIET_WORKER, TASKS
from tests.builders.processes.collector import collecting
from tests.builders.processes.live_server import running
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import reread, seat_at

PATIENCE_SECONDS = 60
TOKEN = "t" * 32
# What the proxy names the trace (deploy/nginx.conf).
TRACE = "0af7651916cd43dd8448eb211c80319c"


def test_without_tracing_no_span_is_made_and_messages_stay_as_they_are():
    message = {"version": 7}

    assert tracing.span("pipeline", statements=2) is tracing.span("hint")
    with tracing.span("hint") as span:
        assert span is None
    assert tracing.with_trace(message) is message
    assert tracing.trace_id() == ""


def test_tracing_without_its_libraries_is_refused(monkeypatch):
    monkeypatch.setattr(traces, "find_spec", lambda name: None)

    with pytest.raises(ImproperlyConfigured, match="extra `tracing`"):
        traces.trace_to("http://127.0.0.1:4318")


@pytest.fixture
def kept():
    """The spans that would be sent, and a tracer that makes them."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(traces.without_values(exporter)))
    return exporter, provider.get_tracer("test")


def test_exported_span_has_no_values(kept):
    exporter, tracer = kept
    refused = ValueError("DETAIL: Key (email)=(asha@example.com)")

    with suppress(ValueError), tracer.start_as_current_span("GET", kind=SpanKind.SERVER) as span:
        span.set_attribute("http.route", "invite/<code>/")
        span.set_attribute("http.target", "/invite/secret-code/?email=asha@example.com")
        span.set_attribute("net.peer.ip", "203.0.113.7")
        raise refused

    [sent] = exporter.get_finished_spans()
    assert dict(sent.attributes) == {"http.route": "invite/<code>/"}
    assert "asha" not in sent.to_json()
    assert not sent.events
    assert not sent.status.is_ok


def test_span_without_a_request_or_task_is_not_exported(kept):
    exporter, tracer = kept

    with tracer.start_as_current_span("SELECT", kind=SpanKind.CLIENT):
        pass
    with tracer.start_as_current_span("run/tables.sweep_clock", kind=SpanKind.CONSUMER):
        tracer.start_span("SELECT", kind=SpanKind.CLIENT).end()

    assert [span.name for span in exporter.get_finished_spans()] == [
        "SELECT",
        "run/tables.sweep_clock",
    ]


def test_own_span_begins_no_trace_and_continues_that_of_another_process(kept):
    exporter, tracer = kept
    spans = traces._Spans(tracer)

    with spans.span("pipeline", None, {}) as outside:
        assert outside is None
        assert spans.names() == {}
    with tracer.start_as_current_span("POST", kind=SpanKind.SERVER):
        names = spans.names()
    with spans.span("views", names, {"table": "t-1"}):
        pass

    first, second = exporter.get_finished_spans()
    assert second.context.trace_id == first.context.trace_id
    assert second.parent.span_id == first.context.span_id
    assert dict(second.attributes) == {"rummy.table": "t-1"}


def test_log_line_names_its_trace(kept):
    _, tracer = kept
    tracing.switch_on(traces._Spans(tracer))
    try:
        with tracer.start_as_current_span("POST", kind=SpanKind.SERVER) as span:
            inside = lines.named_trace(None, "info", {"event": "moved"})
        outside = lines.named_trace(None, "info", {"event": "swept"})
    finally:
        tracing.switch_on(None)

    trace = format(span.get_span_context().trace_id, "032x")
    assert inside == {"event": "moved", "trace": trace}
    assert outside == {"event": "swept"}


@contextmanager
def worker(environment, log):
    command = [*TASKS, "worker", "-Q", "settle", "--pool", "threads", *QUIET_WORKER]
    child = start_child(command, log=log, death_signal=signal.SIGKILL, env=environment)
    try:
        yield child
    finally:
        stop_children([child], seconds=10)


def drop(port, table, seat):
    """Drop over HTTP, behind what names the trace."""
    client = Client()
    client.force_login(seat.player)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    line = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    body = {"move_id": str(uuid4()), "move": "drop", "expected_version": reread(table).version}
    headers = {
        "Cookie": f"{settings.SESSION_COOKIE_NAME}={session}; csrftoken={TOKEN}",
        "X-CSRFToken": TOKEN,
        "Content-Type": "application/json",
        "traceparent": f"00-{TRACE}-{TRACE[:16]}-01",
    }
    line.request("POST", f"/api/v1/tables/{table.public_id}/moves/", json.dumps(body), headers)
    answer = line.getresponse()
    assert answer.status == 200, answer.read()
    return session


def wait_for_trace(collected, log):
    """Wait for the deal's settlement and the two views it and the drop led to; return all spans."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        came = [span for span in collected.spans if span.trace == TRACE]
        names = [span.name for span in came]
        if names.count("socket") >= 2 and "run/tables.settle_deal" in names:
            return came
        assert time.monotonic() < deadline, f"{names}\n{log.read_text()}"
        time.sleep(0.05)


@pytest.mark.process
@pytest.mark.extended
@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
@pytest.mark.soak
def test_move_is_one_trace_from_the_request_to_the_settled_deal(test_database, tmp_path):
    table = make_game(players=2)
    player = seat_at(table, 1).player

    with collecting() as collected:
        environment = test_database | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collected.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        with (
            running("web", environment, tmp_path / "web.log") as (web, _),
            running("live", environment, tmp_path / "live.log") as (live, _),
            worker(environment, tmp_path / "worker.log"),
        ):
            here = f"127.0.0.1:{live}"
            address = f"ws://{here}/ws/tables/{table.public_id}/"
            with connect(address, origin=f"http://{here}", open_timeout=PATIENCE_SECONDS) as ws:
                json.loads(ws.recv(timeout=PATIENCE_SECONDS))
                session = drop(web, table, seat_at(table, 1))
                came = wait_for_trace(collected, tmp_path / "worker.log")

    by_id = {span.span: span for span in came}

    def way_to(span):
        """Return the names from the request to this span."""
        above = by_id.get(span.parent)
        return [*(way_to(above) if above else []), span.name]

    [request] = [span for span in came if span.name.startswith("POST ")]
    [settling] = [span for span in came if span.name == "run/tables.settle_deal"]
    shown = [span for span in came if span.name == "socket"]
    assert request.parent == TRACE[:16]
    assert {way_to(span)[0] for span in came} == {request.name}
    assert way_to(settling) == [request.name, "apply_async/tables.settle_deal", settling.name]
    assert [request.name, "hint", "views", "socket"] in [way_to(span) for span in shown]
    assert [*way_to(settling), "hint", "views", "socket"] in [way_to(span) for span in shown]
    assert len({request.process, settling.process, *(span.process for span in shown)}) == 3
    for process in (request.process, settling.process, shown[0].process):
        asked = [
            span for span in came if span.process == process and "db.system" in span.attributes
        ]
        assert any("SELECT" in span.attributes.get("db.statement", "") for span in asked)
    sent = b"".join(collected.bodies)
    assert b"/moves/" in sent
    assert session.encode() not in sent
    assert player.handle.encode() not in sent
