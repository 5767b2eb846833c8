"""Spans within a trace, and the trace's headers for messages to other processes.

With tracing on (`config.logs.traces`) a request or task begins a trace; work that no library
instruments, such as a pipeline of statements or a socket, adds spans with this module. With tracing
off nothing is imported, and a span costs one comparison.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Protocol


class Tracer(Protocol):
    """The interface of the tracer that `config.logs.traces` sets."""

    def span(
        self, name: str, parent: dict[str, str] | None, attributes: dict[str, Any]
    ) -> AbstractContextManager[Any]:
        """Return a span of the present trace, or of the one in the headers `parent`."""

    def names(self) -> dict[str, str]:
        """Return the headers of the present span, {} outside a trace."""


_NO_SPAN: Final[AbstractContextManager[Any]] = nullcontext()
_tracer: Tracer | None = None


def switch_on(tracer: Tracer | None) -> None:
    """Send further spans to this tracer; None switches tracing off."""
    global _tracer  # noqa: PLW0603  One per process, set when it starts.
    _tracer = tracer


def span(
    name: str, parent: dict[str, str] | None = None, **attributes: Any
) -> AbstractContextManager[Any]:
    """Return a context manager for a span; outside a trace and without a parent it does nothing."""
    return _NO_SPAN if _tracer is None else _tracer.span(name, parent, attributes)


def with_trace(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message to another process with the headers of the present trace."""
    names = {} if _tracer is None else _tracer.names()
    return {**message, "trace": names} if names else message


def trace_id() -> str:
    """Return the present trace's id in hexadecimal, "" outside a trace."""
    return "" if _tracer is None else _tracer.names().get("traceparent", "")[3:35]
