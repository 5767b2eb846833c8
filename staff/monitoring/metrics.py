"""The house's own figures on /metrics, read when they are asked for.

They are read from the database and Redis, so that any process can report them for all; figures of a
single process (requests, latencies) come from django-prometheus.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import redis
import structlog
from django.db import DatabaseError
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
from staff.monitoring.queues import queue_depths
from staff.monitoring.sessions import strange_settings
from tables.integrity.moderation.table_figures import last_sweep, unsettled_deals
from tables.models.deals import Move
from tables.models.tables import Table
from wallet.audit import seal_heads
from wallet.audit.models import AuditRun, SentHead
from wallet.audit.seals import missing_seals, unsealed
from wallet.deposits.models import StaffTask
from wallet.ledger.models import Transfer
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.withdrawals.models import Withdrawal

log = structlog.get_logger(__name__)


class SiteCollector(Collector):
    """Collect the current values; an unavailable server is reported as a value, not an error."""

    def describe(self) -> Iterator[Metric]:
        """Name nothing beforehand: registering must not ask the database."""
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
    # Numbers given out: those of moves that were rolled back are among them.
    yield CounterMetricFamily("rummy_moves", "Moves made.", value=moves)
    live = Table.objects.live().count()
    yield _gauge("rummy_tables_live", "Tables with a game that is on.", live)
    yield from _of_settling(now)
    beat = last_sweep()
    yield _age("rummy_clock_heartbeat_age_seconds", "Since the clock's last sweep.", beat, now)
    words = "How far this process's clock is ahead of the database's, or behind (negative)."
    yield _gauge("rummy_clock_skew_seconds", words, clock_skew().total_seconds())
    yield from _of_seals(now)
    ahead = months_ahead(now.date())
    yield _gauge("rummy_months_ahead", "Months that rows to come have a place in.", ahead)
    yield from _of_audits(now)
    frozen = WithdrawalFreeze.objects.active().count()
    yield _gauge("rummy_withdrawals_frozen", "1 while no withdrawal leaves.", frozen)
    overdue = Withdrawal.objects.overdue(now).count()
    yield _gauge("rummy_withdrawals_overdue", "Withdrawals past what was promised.", overdue)
    undone = StaffTask.objects.undone().count()
    strange = len(strange_settings())
    yield _gauge("rummy_session_settings_strange", "Settings that are not the house's.", strange)
    yield _gauge("rummy_staff_tasks", "Tasks that wait for staff.", undone)
    exports = ExportJob.objects.unfinished().count()
    yield _gauge("rummy_exports_unfinished", "Exports queued or being written.", exports)


def _of_audits(now: datetime) -> Iterator[Metric]:
    audit, full = AuditRun.objects.first(), AuditRun.objects.full().first()
    ran_at = full.ran_at if full else None
    yield _age("rummy_audit_age_seconds", "Since the ledger's last full audit.", ran_at, now)
    ran_at = audit.ran_at if audit else None
    words = "Since new entries were audited, by a full audit or a short one."
    yield _age("rummy_audit_new_age_seconds", words, ran_at, now)
    differences = audit.differences if audit else 0
    yield _gauge("rummy_audit_differences", "What the last audit found.", differences)


def _of_seals(now: datetime) -> Iterator[Metric]:
    oldest = unsealed().order_by("xid", "pk").first()
    lag = (now - oldest.created_at).total_seconds() if oldest else 0.0
    yield _gauge("rummy_seal_lag_seconds", "How long the oldest unsealed transfer has waited.", lag)
    missing = missing_seals()
    yield _gauge("rummy_seals_missing", "Seals that were made and are not there.", missing)
    if seal_heads.destinations():
        sent = SentHead.objects.first()
        sent_at = sent.sent_at if sent else None
        yield _age("rummy_seal_head_age_seconds", "Since a seal was sent away.", sent_at, now)


def _of_settling(now: datetime) -> Iterator[Metric]:
    number, since = unsettled_deals()
    yield _gauge("rummy_deals_unsettled", "Deals played and not scored yet.", number)
    lag = (now - since).total_seconds() if since else 0.0
    yield _gauge("rummy_settle_lag_seconds", "How long the oldest of them has waited.", lag)


def _of_redis() -> Iterator[Metric]:
    depth = GaugeMetricFamily("rummy_queue_depth", "Tasks that wait.", labels=["queue"])
    for queue, number in queue_depths().items():
        depth.add_metric([queue], number)
    yield depth
    counts_by_name = counters.counted()
    yield CounterMetricFamily(
        "rummy_ledger_retries",
        "Postings asked for again after a deadlock.",
        value=counts_by_name.get("ledger_retry", 0),
    )
    yield _histogram(
        "rummy_timer_lateness_seconds", "How late clocks were applied.", counts_by_name
    )


def _of_replica() -> Iterator[Metric]:
    # Every second the clock writes one row: the replica lags by as much as its row is older.
    theirs, ours = last_sweep(database=replica.REPLICA), last_sweep()
    lag = max((ours - theirs).total_seconds(), 0.0) if ours and theirs else 0.0
    yield _gauge("rummy_replica_lag_seconds", "By how much the replica is behind.", lag)


def _histogram(name: str, meaning: str, counts_by_name: dict[str, float]) -> Metric:
    ends = [*map(str, counters.BUCKETS), "+Inf"]
    counts = [counts_by_name.get(f"timer_late:{end}", 0) for end in ends]
    so_far = [(end, sum(counts[: place + 1])) for place, end in enumerate(ends)]
    total = counts_by_name.get("timer_late:sum", 0)
    return HistogramMetricFamily(name, meaning, buckets=so_far, sum_value=total)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _age(name: str, meaning: str, since: datetime | None, now: datetime) -> Metric:
    """Return the age of an event in seconds, at least 0; without one it is the site's age."""
    since = since or Transfer.objects.order_by("pk").values_list("created_at", flat=True).first()
    return _gauge(name, meaning, max(0.0, (now - since).total_seconds()) if since else 0.0)
