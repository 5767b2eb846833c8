"""Whose business a log line is: tables, deals and the like are named in every line they cause."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog
from celery.signals import task_postrun, task_prerun
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

# Arguments of addresses and tasks, and what a line calls them.
NAMED = {
    "table_id": "table",
    "deal_id": "deal",
    "tournament_id": "tournament",
    "export_id": "export",
    "job_id": "export",
}


class ConflictsAreOrdinary(logging.Filter):
    """Log a conflict (409) as information: two players click at once, and one of them loses."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", None) == HTTPStatus.CONFLICT:
            record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        return logging.getLogger(record.name).isEnabledFor(record.levelno)


class LogContextMiddleware(MiddlewareMixin):
    """Names what an address is about in every line its request logs."""

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        structlog.contextvars.bind_contextvars(**_named(kwargs))


@task_prerun.connect
def _name_task(task: Any, args: Any, kwargs: dict[str, Any], **_rest: Any) -> None:
    """Begin a task's lines with its name and what it is about."""
    structlog.contextvars.clear_contextvars()
    given = inspect.signature(task.run).bind_partial(*args, **kwargs).arguments
    structlog.contextvars.bind_contextvars(task=task.name, **_named(given))


@task_postrun.connect
def _forget_task(**_rest: Any) -> None:
    structlog.contextvars.clear_contextvars()


def _named(arguments: dict[str, Any]) -> dict[str, str]:
    return {NAMED[name]: str(told) for name, told in arguments.items() if name in NAMED}
