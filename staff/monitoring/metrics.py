"""The site's own metrics on `/metrics`, read at each scrape.

They are read from the database and Redis, so that any process can report them for all. Metrics of a
single process (requests, latencies) come from django-prometheus.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import redis
import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Max
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from core.clock import clock_skew, database_now
from core.db import replica
from core.partitions.partitions import months_ahead
from core.redis import counters
from finance.reports.exports.models import ExportJob
from tables.integrity.moderation.table_figures import last_sweep, unsettled_deals
from tables.models.deals import Move
from tables.models.tables import Table
from wallet.audit.models import AuditRun, SentHead, WithdrawalFreeze
from wallet.audit.seals import destinations, missing_seals, unsealed
from wallet.deposits.models import StaffTask
from wallet.ledger.models import Transfer
from wallet.withdrawals.models import Withdrawal

QUEUES: Final = ("settle", "bots", "clock", "exports", "messages", "intake")
# Default search path; a login with another one has it as `reset_val`.
PLAIN_PATH = '"$user", public'

log = structlog.get_logger(__name__)


class SiteCollector(Collector):
    """Collect the current values; an unavailable server is reported as a value, not an error."""

    def describe(self) -> Iterator[Metric]:
        """Describe no metrics, so that registering does not query the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        yield from self._collect_from("database", _of_rows)
        yield from self._collect_from("redis", _of_redis)
        if replica.is_configured():
            yield from self._collect_from("replica", _of_replica)

    def _collect_from(self, server: str, figures: Any) -> Iterator[Metric]:
        try:
            found = list(figures())
        except (DatabaseError, redis.RedisError) as error:
            log.warning("metrics_missing", server=server, error=str(error))
            found = []
        is_up = float(bool(found))
        yield from found
        yield _gauge(f"rummy_{server}_up", f"Whether {server} answered this scrape.", is_up)


def _of_rows() -> Iterator[Metric]:
    now = database_now()
    moves = Move.objects.aggregate(last=Max("pk"))["last"] or 0
    # The last primary key, which also counts moves that were rolled back.
    yield CounterMetricFamily("rummy_moves", "Moves made.", value=moves)
    live = Table.objects.live().count()
    yield _gauge("rummy_tables_live", "Tables with an unfinished game.", live)
    yield from _of_settling(now)
    beat = last_sweep()
    yield _age(
        "rummy_clock_heartbeat_age_seconds", "Seconds since the clock's last sweep.", beat, now
    )
    meaning = "Seconds by which this process's clock is ahead of the database's (negative: behind)."
    yield _gauge("rummy_clock_skew_seconds", meaning, clock_skew().total_seconds())
    yield from _of_seals(now)
    ahead = months_ahead(now.date())
    yield _gauge("rummy_months_ahead", "Future months with partitions.", ahead)
    yield from _of_audits(now)
    frozen = WithdrawalFreeze.objects.active().count()
    yield _gauge("rummy_withdrawals_frozen", "1 while all withdrawals are frozen.", frozen)
    overdue = Withdrawal.objects.overdue(now).count()
    yield _gauge("rummy_withdrawals_overdue", "Pending withdrawals past their due time.", overdue)
    undone = StaffTask.objects.undone().count()
    strange = len(strange_settings())
    yield _gauge(
        "rummy_session_settings_strange",
        "Database session settings that differ from the configuration.",
        strange,
    )
    yield _gauge("rummy_staff_tasks", "Open tasks for staff.", undone)
    exports = ExportJob.objects.unfinished().count()
    yield _gauge("rummy_exports_unfinished", "Exports queued or being written.", exports)


def _of_audits(now: datetime) -> Iterator[Metric]:
    audit, full = AuditRun.objects.first(), AuditRun.objects.full().first()
    ran_at = full.ran_at if full else None
    yield _age("rummy_audit_age_seconds", "Seconds since the last full ledger audit.", ran_at, now)
    ran_at = audit.ran_at if audit else None
    meaning = "Seconds since the last audit of new entries, full or short."
    yield _age("rummy_audit_new_age_seconds", meaning, ran_at, now)
    differences = audit.differences if audit else 0
    yield _gauge("rummy_audit_differences", "Differences found by the last audit.", differences)


def _of_seals(now: datetime) -> Iterator[Metric]:
    oldest = unsealed().order_by("xid", "pk").first()
    lag = (now - oldest.created_at).total_seconds() if oldest else 0.0
    yield _gauge("rummy_seal_lag_seconds", "Age of the oldest unsealed transfer in seconds.", lag)
    missing = missing_seals()
    yield _gauge("rummy_seals_missing", "Missing seals.", missing)
    if destinations():
        sent = SentHead.objects.first()
        sent_at = sent.sent_at if sent else None
        yield _age(
            "rummy_seal_head_age_seconds",
            "Seconds since a seal was sent to an external destination.",
            sent_at,
            now,
        )


def _of_settling(now: datetime) -> Iterator[Metric]:
    number, since = unsettled_deals()
    yield _gauge("rummy_deals_unsettled", "Deals that are played but not scored.", number)
    lag = (now - since).total_seconds() if since else 0.0
    yield _gauge("rummy_settle_lag_seconds", "Age of the oldest unscored deal in seconds.", lag)


def _of_redis() -> Iterator[Metric]:
    depth = GaugeMetricFamily("rummy_queue_depth", "Tasks in the queue.", labels=["queue"])
    for queue, number in queue_depths().items():
        depth.add_metric([queue], number)
    yield depth
    counts_by_name = counters.counted()
    yield CounterMetricFamily(
        "rummy_ledger_retries",
        "Postings retried after a deadlock.",
        value=counts_by_name.get("ledger_retry", 0),
    )
    yield _histogram(
        "rummy_timer_lateness_seconds", "Delay of expired turn clocks in seconds.", counts_by_name
    )


def _of_replica() -> Iterator[Metric]:
    # The clock writes a heartbeat every second; the lag is the difference between the two.
    theirs, ours = last_sweep(database=replica.REPLICA), last_sweep()
    lag = max((ours - theirs).total_seconds(), 0.0) if ours and theirs else 0.0
    yield _gauge(
        "rummy_replica_lag_seconds", "Replication lag of the read replica in seconds.", lag
    )


def _histogram(name: str, meaning: str, counts_by_name: dict[str, float]) -> Metric:
    ends = [*map(str, counters.BUCKETS), "+Inf"]
    counts = [counts_by_name.get(f"timer_late:{end}", 0) for end in ends]
    so_far = [(end, sum(counts[: place + 1])) for place, end in enumerate(ends)]
    total = counts_by_name.get("timer_late:sum", 0)
    return HistogramMetricFamily(name, meaning, buckets=so_far, sum_value=total)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _age(name: str, meaning: str, since: datetime | None, now: datetime) -> Metric:
    """Return the age of an event in seconds, at least 0; without one, the first transfer's age."""
    since = since or Transfer.objects.order_by("pk").values_list("created_at", flat=True).first()
    return _gauge(name, meaning, max(0.0, (now - since).total_seconds()) if since else 0.0)


def queue_depths() -> dict[str, int]:
    """Return the number of messages in each queue; raise `redis.RedisError` on failure."""
    with counters.client().pipeline(transaction=False) as asked:
        for queue in QUEUES:
            asked.llen(queue)
        return dict(zip(QUEUES, asked.execute(), strict=True))


def strange_settings() -> list[str]:
    """Return the settings of this session and its login that differ from the configuration.

    A limit is reported if the session has another value, or if a login that should have its own
    limits has none; a search path if it has another value.
    """
    session = connection.settings_dict["OPTIONS"].get("session", {})
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT name, current_setting(name), reset_val
            FROM pg_settings WHERE name = ANY(%s) ORDER BY name
            """,
            [list(settings.DATABASE_SESSION)],
        )
        found = cursor.fetchall()
    has_own_limits = "role" not in session
    return [
        name
        for name, now, of_login in found
        if session.get(name, now) != now
        or (name == "search_path" and of_login not in {PLAIN_PATH, "public"})
        or (name != "search_path" and has_own_limits and of_login == "0")
    ]
