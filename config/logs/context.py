"""Whose business a log line is: tables, deals and the like are named in every line they cause."""

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


class RequestLogMiddleware(RequestMiddleware):
    """Logs the start and the end of each request but a move's, which come by the hundred a second.

    A refused move is logged as every request is, once it is answered. Every line a request logs
    names what its address is about.
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
    """Begin a task's lines with its name and what it is about."""
    structlog.contextvars.clear_contextvars()
    given = inspect.signature(task.run).bind_partial(*args, **kwargs).arguments
    structlog.contextvars.bind_contextvars(task=task.name, **_named(given))


@task_postrun.connect
def _forget_task(**_rest: Any) -> None:
    structlog.contextvars.clear_contextvars()


def _named(arguments: dict[str, Any]) -> dict[str, str]:
    return {NAMED[name]: str(value) for name, value in arguments.items() if name in NAMED}
