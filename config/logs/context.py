"""Context of log lines: each names the table, deal or other object it is about."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from celery.signals import task_postrun, task_prerun
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django_structlog.middlewares import RequestMiddleware

# Arguments of URLs and tasks, and their names in log lines.
NAMED = {
    "table_id": "table",
    "deal_id": "deal",
    "tournament_id": "tournament",
    "export_id": "export",
    "job_id": "export",
}


class ConflictsAreOrdinary(logging.Filter):
    """Log conflicts (409) at level INFO: they are normal when two players act at once."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", None) == HTTPStatus.CONFLICT:
            record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        return logging.getLogger(record.name).isEnabledFor(record.levelno)


class RequestLogMiddleware(RequestMiddleware):
    """Log the start and end of each request except moves, of which hundreds come per second.

    A refused move is logged like any request when it is answered. All lines of a request name the
    objects in its URL.
    """

    def prepare(self, request: HttpRequest) -> None:
        if not _is_move(request):
            super().prepare(request)
            return
        structlog.contextvars.bind_contextvars(request_id=str(uuid4()), user_id=request.user.pk)

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        if _is_move(request) and response.status_code == HTTPStatus.OK:
            structlog.contextvars.clear_contextvars()
        else:
            super().handle_response(request, response)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        structlog.contextvars.bind_contextvars(**_named(kwargs))


def _is_move(request: HttpRequest) -> bool:
    return request.path_info.endswith("/moves/")


@task_prerun.connect
def _name_task(task: Any, args: Any, kwargs: dict[str, Any], **_rest: Any) -> None:
    """Add a task's name and the objects in its arguments to its log lines."""
    structlog.contextvars.clear_contextvars()
    given = inspect.signature(task.run).bind_partial(*args, **kwargs).arguments
    structlog.contextvars.bind_contextvars(task=task.name, **_named(given))


@task_postrun.connect
def _forget_task(**_rest: Any) -> None:
    structlog.contextvars.clear_contextvars()


def _named(arguments: dict[str, Any]) -> dict[str, str]:
    return {NAMED[name]: str(value) for name, value in arguments.items() if name in NAMED}
