"""Liveness (`/healthz`) and readiness (`/readyz`) of a process, for monitoring.

The middleware answers before all others: a load balancer has no session, uses no TLS internally and
addresses a process by its IP address. The response names the failing check without details.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from threading import Lock

import redis
import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.deprecation import MiddlewareMixin
from django_prometheus.exports import ExportToDjangoView

from core.clock import SKEW_MAX, DatabaseNow, clock_skew
from core.db import made_by
from core.redis import counters
from tables.models.tables import Heartbeat
from tables.state.deadlines import SWEEP

# Maximum age of the clock's last heartbeat.
CLOCK_SILENT_FOR = timedelta(seconds=10)
# Results are cached this long, so that anonymous requests cannot load the database.
ASKED_ANEW_AFTER_SECONDS = 1.0

log = structlog.get_logger(__name__)


class HealthMiddleware(MiddlewareMixin):
    """Answer `/healthz` and `/readyz`, and `/metrics` if it is enabled; pass on other requests."""

    asked_at = 0.0
    checks: dict[str, bool] | None = None
    is_migrated = False
    is_of_present_sources = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self.asking = Lock()

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path == "/healthz":
            return _answer({"alive": True}, status=200)
        if request.path == "/readyz":
            checks = self._checks()
            is_ready = all(checks.values())
            return _answer({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)
        if settings.METRICS and request.path == "/metrics":
            figures: HttpResponse = ExportToDjangoView(request)
            return figures  # Before host checks: scraped by a service name such as `web:8000`.
        return None

    def _checks(self) -> dict[str, bool]:
        """Run the checks if the result is old; concurrent requests get the previous result.

        If a server does not respond, only one thread waits for it, so that `/healthz` still works.
        """
        known = self.checks
        is_fresh = time.monotonic() - self.asked_at <= ASKED_ANEW_AFTER_SECONDS
        if known is not None and (is_fresh or not self.asking.acquire(blocking=False)):
            return known
        if known is None:
            self.asking.acquire()
        try:
            if self.checks is known:  # Otherwise another thread has run them meanwhile.
                self.checks = self.run_checks()
                self.asked_at = time.monotonic()
            return self.checks or {}
        finally:
            self.asking.release()

    def run_checks(self) -> dict[str, bool]:
        """Return the checks of `/readyz` and whether each passes now."""
        # If the database is down, the other checks that need it are skipped.
        is_there = _passes("database", _database)
        return {
            "database": is_there,
            "redis": _passes("redis", counters.client().ping),
            "migrations": is_there and _passes("migrations", self._migrations),
            "schema": is_there and _passes("schema", self._schema),
            "clock": is_there and _passes("clock", _clock),
            "clock_skew": is_there and _passes("clock_skew", _clocks_agree),
        }

    def _migrations(self) -> bool:
        # Migrations stay applied, so a positive result is kept.
        if not self.is_migrated:
            executor = MigrationExecutor(connection)
            targets = executor.loader.graph.leaf_nodes()
            self.is_migrated = not executor.migration_plan(targets)
        return self.is_migrated

    def _schema(self) -> bool:
        """Return whether the current SQL and migrations made the database; True is kept."""
        if not self.is_of_present_sources:
            with connection.cursor() as cursor:
                self.is_of_present_sources = not made_by.is_outdated(cursor)
            if not self.is_of_present_sources:
                log.warning("not_ready", check="schema", error=made_by.REFUSAL)
        return self.is_of_present_sources


def _passes(name: str, check: Callable[[], object]) -> bool:
    try:
        return bool(check())
    except (DatabaseError, redis.RedisError) as error:
        log.warning("not_ready", check=name, error=str(error))
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _clock() -> bool:
    since = DatabaseNow() - CLOCK_SILENT_FOR
    return Heartbeat.objects.filter(name=SWEEP, beat_at__gte=since).exists()


def _clocks_agree() -> bool:
    skew = clock_skew()
    if abs(skew) <= SKEW_MAX:
        return True
    seconds = round(skew.total_seconds(), 3)
    log.warning("not_ready", check="clock_skew", ahead_of_database_seconds=seconds)
    return False


def _answer(checks: dict[str, object], *, status: int) -> HttpResponse:
    answer = JsonResponse(checks, status=status)
    answer["Cache-Control"] = "no-store"
    return answer
