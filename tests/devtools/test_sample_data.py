"""Sample data: every report, queue and chart has entries, and the same seed repeats them."""

import json
import subprocess
import sys
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from devtools.sample_data import generation
from finance.matching.models import BankStatement, GatewayFile
from finance.reports.catalogue import REPORTS
from finance.reports.frame.models import DailyClose
from players.accounts.models import User
from staff.dashboard.queues import QUEUES
from tables.models.deals import Deal, Move
from tables.models.tables import Table
from tests.builders.books.full_books import Desk
from tests.builders.processes.product import environment
from tests.builders.staff.people import lay_roles
from tournaments.planning.models import Tournament
from wallet.audit.audit import audit
from wallet.audit.models import AuditRun, Seal
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer

pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(600),
]
DAYS = 5
ZONE = ZoneInfo("Asia/Kolkata")
MADE_AT = [
    (AuditRun, "ran_at"),
    (Seal, "sealed_at"),
    (Transfer, "created_at"),
    (Transfer, "effective_at"),
    (DailyClose, "closed_at"),
    (Deal, "started_at"),
    (Deal, "ended_at"),
    (Move, "made_at"),
    (Table, "finished_at"),
    (Tournament, "started_at"),
]
FILES = {
    "gateway-reconciliation": GatewayFile,
    "bank-reconciliation": BankStatement,
}


def generate():
    lay_roles()
    return generation.generate_sample_data(
        days=DAYS, seed="a test", password="x" * 12, progress=lambda line: None
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("calendar")
@pytest.mark.soak
def test_sample_data_fills_every_report_queue_and_chart(client, settings):
    settings.FINANCE_RATE = "10000/min"
    today = site_day()

    report = generate()

    assert report["ok"]
    assert audit().is_clean
    over = Account.objects.exclude(table=None).filter(table__finished_at__isnull=False)
    assert over.exists()
    assert not over.exclude(balance_minor=0).exists()
    # Before noon the sample data ends with yesterday's morning, and yesterday is closed besides.
    closed = DAYS + (generation.last_morning(timezone.now()) < today)
    assert (site_day(), DailyClose.objects.count()) == (today, closed)
    assert Transfer.objects.filter(booked_on=DailyClose.objects.last().day).exists()
    empty = [one.name for one in REPORTS if not rows_of(Desk(client), one.name)]
    assert empty == []
    # A few days are too little to find collusion: it is measured against all pairs of the site.
    waiting = [queue for queue in QUEUES if queue.model != "tables_finding"]
    assert [str(queue.label) for queue in waiting if not queue.count()] == []
    assert Tournament.objects.filter(state=Tournament.State.FINISHED).count() >= 2
    assert Table.objects.filter(phase=Table.Phase.FINISHED, currency="INR").count() >= DAYS
    for chart in charts_of(client):
        assert any(bar.value.number for bar in chart.bars), chart.title


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("calendar")
@pytest.mark.soak
@pytest.mark.parametrize("hour", [1, 13])
def test_no_sample_data_is_booked_in_the_future(client, monkeypatch, hour):
    now = datetime.combine(site_day() - timedelta(days=1), time(hour, 5), ZONE)
    monkeypatch.setattr(timezone, "now", lambda: now)
    lay_roles()

    generation.generate_sample_data(
        days=4, seed="hours", password="x" * 12, progress=lambda line: None
    )

    latest = {
        f"{model.__name__}.{field}": model.objects.aggregate(latest=Max(field))["latest"]
        for model, field in MADE_AT
    }
    assert {name: moment for name, moment in latest.items() if moment > now} == {}
    assert now - latest["AuditRun.ran_at"] < timedelta(hours=26)
    client.force_login(User.objects.get(handle="admin"))
    assert "ledger balanced" in client.get(reverse("admin:index")).text


@pytest.mark.parametrize(("hour", "days_before"), [(0, 1), (11, 1), (12, 0), (23, 0)])
def test_the_last_morning_of_sample_data_is_over_by_now(hour, days_before):
    now = datetime(2026, 5, 2, hour, 30, tzinfo=ZONE)

    assert generation.last_morning(now) == now.date() - timedelta(days=days_before)


@pytest.mark.django_db
def test_sample_data_that_would_end_in_the_future_is_refused():
    with pytest.raises(ValueError, match="the last day must be before"):
        generation.generate_sample_data(
            days=4, seed="1", password="x" * 12, progress=lambda line: None, ends_on=site_day()
        )


def rows_of(desk, name):
    asked = {}
    if name in FILES:
        asked["file"] = FILES[name].objects.order_by("pk").first().sha256
    return desk.page(name, **asked)["results"]


def charts_of(client):
    client.force_login(User.objects.get(handle="admin"))
    answer = client.get(reverse("admin:index"))
    charts = answer.context["charts"]
    assert len(charts) >= 4
    return charts


@pytest.mark.soak
def test_the_same_seed_gives_the_same_figures():
    first = report_of("--days", 4, "--seed", "7")

    assert report_of("--days", 4, "--seed", "7") == first
    assert (first["ok"], first["transfers"] > 50) == (True, True)


def report_of(*options):
    done = subprocess.run(
        [sys.executable, "manage.py", "generate_sample_data", "--json", *map(str, options)],
        cwd=settings.BASE_DIR,
        env=environment(RUMMY_EPHEMERAL="1", DEMO_PASSWORD="x" * 12),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout) | {"seconds": 0}
