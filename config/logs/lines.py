"""Log lines of the project, Django and Celery, as key=value or JSON."""

from __future__ import annotations

from typing import Any, Final

import structlog
from django.core.exceptions import ImproperlyConfigured

from config.environment import env
from core import tracing

# By LOG_FORMAT. Both turn times, exceptions and other values into text.
RENDERERS: Final[dict[str, structlog.types.Processor]] = {
    "lines": structlog.processors.LogfmtRenderer(),
    "json": structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
}


def renderer(name: str) -> structlog.types.Processor:
    """Return the logging configuration of a format; raise for an unknown one."""
    if name not in RENDERERS:
        raise ImproperlyConfigured(f"LOG_FORMAT is {name!r}: {' or '.join(RENDERERS)}")
    return RENDERERS[name]


def named_trace(_logger: Any, _method: str, line: Any) -> Any:
    """Add the trace id to a line if tracing is on."""
    if trace := tracing.trace_id():
        line["trace"] = trace
    return line


# Processors of every line.
PROCESSORS: Final[list[structlog.types.Processor]] = [
    structlog.contextvars.merge_contextvars,
    named_trace,
    structlog.processors.TimeStamper(fmt="iso"),
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.format_exc_info,
]

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *PROCESSORS,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
LOGGING: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": PROCESSORS,
            "processor": renderer(env.str("LOG_FORMAT", "lines")),
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO")},
    "filters": {"conflicts": {"()": "config.logs.context.ConflictsAreOrdinary"}},
    "loggers": {name: {"level": "WARNING"} for name in ("axes", "celery.beat", "django_structlog")}
    # The parser of bank statements logs their contents.
    | {"django.request": {"filters": ["conflicts"]}, "mt940": {"level": "CRITICAL"}},
}
