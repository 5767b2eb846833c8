"""Metrics: their values match the database, and dashboards use only existing metrics."""

import json
import re
from datetime import timedelta

import pytest
import yaml
from django.db import OperationalError, connection
from django.utils import timezone
from django_prometheus.middleware import Metrics
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config.celery import app
from core.db import replica
from core.redis import counters
from staff.monitoring.metrics import QUEUES, SiteCollector
from tables.models.deals import Deal
from tables.models.tables import Heartbeat, Table
from tables.state import clock
from tables.state.deadlines import SWEEP
from tables.tasks import play_bots
from tests.builders.processes.product import CHECKOUT
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import hand_of, move, run_out
from tests.builders.wallet.players import fund, make_player
from wallet.audit import freezes
from wallet.audit.models import WithdrawalFreeze
from wallet.ledger import posting
from wallet.ledger.models import Transfer

DASHBOARD = CHECKOUT / "deploy" / "grafana" / "pool-rummy.json"
ALERTS = CHECKOUT / "deploy" / "prometheus" / "rules.yml"
# What a kind of figure's samples are called besides its name.
ENDINGS = {
    **dict.fromkeys(("gauge", "info", "unknown"), ("",)),
    "counter": ("_total",),
    "histogram": ("_bucket", "_count", "_sum"),
    "summary": ("_count", "_sum"),
}
OF_OTHERS = re.compile(r"\b(?:rummy|django|process)_[a-z_]+")


@pytest.fixture
def figures():
    """Return the metrics of one scrape."""
    registry = CollectorRegistry()
    registry.register(SiteCollector())

    def figures():
        families = text_string_to_metric_families(generate_latest(registry).decode())
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in families
            for sample in family.samples
        }

    counters.client().delete(counters.KEY)
    yield figures
    counters.client().delete(counters.KEY)


def seconds_since(moment):
    return (timezone.now() - moment).total_seconds()


@pytest.mark.extended
@pytest.mark.django_db
def test_metrics_equal_the_rows(figures):
    table = make_game(players=2)
    move(table, 1, "ds")
    before = figures()["rummy_moves_total",]
    move(table, 1, f"x {hand_of(table, 1)[0]}")
    beat_at = timezone.now() - timedelta(seconds=40)
    Heartbeat.objects.create(name=SWEEP, beat_at=beat_at)
    freezes.check_books()
    WithdrawalFreeze.objects.create(reason="A test")

    now = figures()

    assert now["rummy_moves_total",] == before + 1
    assert now["rummy_tables_live",] == Table.objects.live().count() == 1
    assert 40 <= now["rummy_clock_heartbeat_age_seconds",] <= seconds_since(beat_at)
    assert 0 <= now["rummy_audit_age_seconds",] <= seconds_since(beat_at) - 40
    assert now["rummy_audit_new_age_seconds",] <= now["rummy_audit_age_seconds",]
    assert (now["rummy_audit_differences",], now["rummy_withdrawals_frozen",]) == (0, 1)
    assert (now["rummy_deals_unsettled",], now["rummy_settle_lag_seconds",]) == (0, 0)
    assert now["rummy_months_ahead",] == 3
    assert (now["rummy_database_up",], now["rummy_redis_up",]) == (1, 1)


@pytest.mark.extended
@pytest.mark.django_db
def test_metrics_have_the_lag_of_an_unscored_deal(figures):
    deal = play_to_the_last_deal(make_game(players=2, rules=make_rules(**SUDDEN)))
    ended_at = timezone.now() - timedelta(seconds=90)
    Deal.objects.filter(pk=deal.pk).update(ended_at=ended_at)

    now = figures()

    assert now["rummy_deals_unsettled",] == 1
    assert 90 <= now["rummy_settle_lag_seconds",] <= seconds_since(ended_at)


@pytest.mark.django_db(transaction=True)
def test_metrics_have_the_lateness_of_the_clock(figures):
    table = run_out(make_game(players=2))
    bank = timedelta(seconds=30)

    clock.apply_overdue(table_id=table.pk, now=table.due_at + bank + timedelta(seconds=1.5))

    name = "rummy_timer_lateness_seconds"
    now = figures()
    assert (now[f"{name}_bucket", "1.0"], now[f"{name}_bucket", "2.0"]) == (0, 1)
    assert (now[f"{name}_count",], now[f"{name}_sum",]) == (1, 1.5)


@pytest.mark.django_db
def test_metrics_have_queue_depths_and_retries(figures):
    with app.connection_for_write() as broker:
        for queue in QUEUES:
            broker.default_channel.queue_purge(queue)
        play_bots.apply_async((1,))
        play_bots.apply_async((2,))
        counters.count("ledger_retry")

        now = figures()

        assert {queue: now["rummy_queue_depth", queue] for queue in QUEUES} == {
            **dict.fromkeys(QUEUES, 0),
            "bots": 2,
        }
        assert now["rummy_ledger_retries_total",] == 1
        broker.default_channel.queue_purge("bots")


@pytest.mark.django_db
def test_metrics_report_an_unavailable_server_and_the_others(figures):
    def away(execute, sql, params, many, context):
        raise OperationalError("gone")

    with connection.execute_wrapper(away):
        now = figures()

    assert (now["rummy_database_up",], now["rummy_redis_up",]) == (0, 1)
    assert "rummy_moves_total" not in {name for name, *_ in now}


@pytest.mark.django_db(transaction=True)
def test_posting_succeeds_without_redis(settings):
    settings.REDIS_URL = "unix:///nowhere.sock"
    counters.count("ledger_retry")
    counters.measure("timer_late", 1)
    mine = fund(make_player(), deposit=5)
    entries = [(mine["deposit"], -1), (mine["winnings"], 1)]
    posting.post(key="n:1", kind=Transfer.Kind.ADJUSTMENT, entries=entries)

    assert Transfer.objects.filter(key="n:1").exists()


def test_every_queue_that_tasks_are_sent_to_is_counted():
    routed = {route["queue"] for route in app.conf.task_routes.values()}

    assert set(QUEUES) == routed | {app.conf.task_default_queue}


@pytest.mark.django_db
def test_dashboard_and_alerts_use_existing_metrics(figures, settings, monkeypatch):
    # Replica metrics need a configured replica; here it is the primary itself, without lag.
    monkeypatch.setattr(replica, "is_configured", lambda: True)
    monkeypatch.setattr(replica, "REPLICA", replica.PRIMARY)
    settings.SEAL_HEADS_EMAIL = "keeper@example.com"  # Enables the metric of sent seals.
    Metrics.get_instance()  # As its middleware does, where figures are switched on.
    board = json.loads(DASHBOARD.read_text())
    asked = {target["expr"] for panel in board["panels"] for target in panel.get("targets", [])}
    (rules,) = yaml.safe_load(ALERTS.read_text())["groups"]
    asked |= {rule["expr"] for rule in rules["rules"]}
    names = {name for expression in asked for name in OF_OTHERS.findall(expression)}
    known = {name for name, *_ in figures()}
    for family in REGISTRY.collect():
        known |= {family.name + ending for ending in ENDINGS[family.type]}

    assert names - known == set()
    assert {name for name in names if name.startswith("rummy_")} >= {
        "rummy_moves_total",
        "rummy_settle_lag_seconds",
        "rummy_queue_depth",
        "rummy_timer_lateness_seconds_bucket",
        "rummy_ledger_retries_total",
        "rummy_audit_age_seconds",
        "rummy_audit_new_age_seconds",
        "rummy_clock_heartbeat_age_seconds",
        "rummy_seal_lag_seconds",
        "rummy_seals_missing",
        "rummy_replica_lag_seconds",
    }
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 8


def test_grafana_counts_site_metrics_once_for_many_processes():
    """Every process reports the same site metrics, so they must not be summed."""
    asked = re.findall(r'"expr": "(.*)"', DASHBOARD.read_text())
    of_the_site = [expression for expression in asked if "rummy_" in expression]

    assert len(of_the_site) > 10
    outermost = re.compile(r"^(?:max|min)\b|^histogram_quantile\([\d.]+, max by \(le\)")
    assert [one for one in of_the_site if not outermost.match(one) or "sum" in one] == []
