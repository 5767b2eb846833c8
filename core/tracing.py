"""Spans within a trace, and the trace's name for messages to other processes.

A request or a task begins a trace where tracing is switched on (`config.logs.traces`); the parts of
its work that no library knows of, such as a pipeline of statements or a socket, add spans here.
Where it is off nothing is imported, and a span costs a comparison.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol


class Tracer(Protocol):
    """What `config.logs.traces` switches on."""

    def span(
        self, name: str, parent: dict[str, str] | None, attributes: dict[str, Any]
    ) -> AbstractContextManager[Any]:
        """Return a span of the present trace, or of the one that `parent` names."""

    def names(self) -> dict[str, str]:
        """Return the headers that name the present span, empty outside of a trace."""


_NO_SPAN: Final[AbstractContextManager[Any]] = nullcontext()
_tracer: Tracer | None = None


def switch_on(tracer: Tracer | None) -> None:
    """Send spans to this tracer from now on; None switches them off."""
    global _tracer  # noqa: PLW0603  One per process, set when it starts.
    _tracer = tracer


def span(
    name: str, parent: dict[str, str] | None = None, **attributes: Any
) -> AbstractContextManager[Any]:
    """Return a span to work in; outside of a trace, and without a parent, none is made."""
    return _NO_SPAN if _tracer is None else _tracer.span(name, parent, attributes)


def with_trace(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message to another process that names the present trace."""
    names = {} if _tracer is None else _tracer.names()
    return {**message, "trace": names} if names else message


def trace_id() -> str:
    """Return the present trace's id in hexadecimal, "" outside of one."""
    return "" if _tracer is None else _tracer.names().get("traceparent", "")[3:35]
