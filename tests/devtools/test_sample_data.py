"""Sample data: every report, queue and chart has entries, and the same seed repeats them."""

import json
import subprocess
import sys
from collections import Counter
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import DateTimeField, F
from django.urls import reverse
from django.utils import timezone

from devtools.sample_data import generation, unfinished
from finance.matching.models import BankStatement, GatewayFile
from finance.reports.catalogue import REPORTS
from finance.reports.frame.models import DailyClose
from players.accounts.models import User
from players.cases.models import HelpRequest
from staff.cases.kinds import DATA_REQUESTS, DISPUTES, FLAGS, HELP_REQUESTS, TASKS
from staff.cases.queue import Filters, queue
from staff.dashboard.queues import QUEUES
from tables.models.deals import Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.seats.models import ReviewFlag
from tests.builders.books.full_books import Desk
from tests.builders.processes.product import environment
from tests.builders.staff.people import lay_roles
from tournaments.planning.models import Tournament
from wallet.audit.audit import audit
from wallet.audit.models import AuditRun
from wallet.deposits.models import Deposit
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer

pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(600),
]
DAYS = 5
ZONE = ZoneInfo("Asia/Kolkata")
# Fields with deadlines and other times to come.
TO_COME = {
    "finance.FinanceToken.expires_at",
    "players.Break.ends_at",
    "players.IdentityCheck.expires_at",
    "players.IdentityDocument.delete_at",
    "players.OwnLimit.begins_at",
    "players.RegionChange.begins_at",
    "sessions.Session.expire_date",
    "tables.Table.bot_due_at",
    "tables.Table.due_at",
    "tables.Window.expires_at",
    "tournaments.Tournament.due_at",
    "tournaments.Tournament.registers_at",
    "tournaments.Tournament.slot_at",
    "tournaments.Tournament.starts_at",
    "wallet.BonusGrant.expires_at",
    "wallet.DepositTerm.begins_at",
    "wallet.Withdrawal.due_at",
}
# The least and the greatest share of the hands that end so.
USUAL_SHARES = {
    "first_drop": (0.06, 0.25),
    "middle_drop": (0.01, 0.15),
    "wrong_show": (0, 0.04),
    "won": (0.2, 0.5),
    "lost": (0.2, 0.6),
}
FILES = {
    "gateway-reconciliation": GatewayFile,
    "bank-reconciliation": BankStatement,
}


def generate(days=DAYS):
    lay_roles()
    return generation.generate_sample_data(
        days=days, seed="a test", password="x" * 12, progress=lambda line: None
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("calendar")
@pytest.mark.soak
def test_sample_data_fills_every_report_queue_and_chart(client, settings):
    settings.FINANCE_RATE = "10000/min"
    first = timezone.localdate(timezone.now() - generation.LAST_HOURS) - timedelta(days=DAYS)

    report = generate()

    assert report["ok"]
    assert audit().is_clean
    over = Account.objects.exclude(table=None).filter(table__finished_at__isnull=False)
    assert over.exists()
    assert not over.exclude(balance_minor=0).exists()
    assert DailyClose.objects.count() == (site_day() - first).days
    assert Transfer.objects.filter(booked_on=DailyClose.objects.last().day).exists()
    empty = [one.name for one in REPORTS if not rows_of(Desk(client), one.name)]
    assert empty == []
    assert Tournament.objects.filter(state=Tournament.State.FINISHED).count() >= 2
    assert Table.objects.filter(phase=Table.Phase.FINISHED, currency="INR").count() >= DAYS
    for chart in charts_of(client):
        assert any(number for one in chart.series for number in one.numbers), chart.title
    check_story()


def check_story():
    """The sample data reads like the last weeks of a site that people play on."""
    now = timezone.now()
    # Time goes up to now and never past it, except for deadlines.
    assert set(later_than(now)) - TO_COME == set()
    assert now - Move.objects.latest("made_at").made_at < timedelta(minutes=4)
    assert now - Transfer.objects.latest("created_at").created_at < timedelta(minutes=16)
    # Accounts are older than their games and payments.
    assert not Seat.objects.filter(joined_at__lt=F("player__date_joined")).exists()
    assert not Deposit.objects.filter(created_at__lt=F("player__date_joined")).exists()
    # There is a table to watch, and one to join.
    assert Table.objects.filter(phase=Table.Phase.PLAYING).count() >= len(unfinished.RUNNING)
    assert Table.objects.joinable().filter(seats__left_at=None, seats__isnull=False).exists()
    # A few days are too little to find collusion: it is measured against all pairs of the site.
    waiting = [one for one in QUEUES if one.model != "tables_finding"]
    assert [str(one.label) for one in waiting if not one.count()] == []
    boss = User.objects.get(handle="admin")
    kinds = {row[0] for row in queue(boss, Filters())}
    assert kinds >= {kind.name for kind in (DISPUTES, FLAGS, TASKS, DATA_REQUESTS, HELP_REQUESTS)}
    # Messages to support: one of a player about a game, and one of a visitor.
    written = HelpRequest.objects.order_by("pk")
    assert [(bool(each.player), bool(each.about)) for each in written] == [
        (True, True),
        (False, False),
    ]
    # Hands end as they do among people; the two who collude are left out.
    pair = {who for one in ReviewFlag.objects.all() for who in (one.seat.player, one.other.player)}
    ends = Counter(Score.objects.exclude(seat__player__in=pair).values_list("how", flat=True))
    shares = {how: number / ends.total() for how, number in ends.items()}
    for how, (least, most) in USUAL_SHARES.items():
        assert least <= shares.get(how, 0) <= most, (how, shares)
    draws = Counter(Move.objects.filter(text__regex=" d[so]$").values_list("text", flat=True))
    taken = sum(number for text, number in draws.items() if text.endswith("do"))
    assert 0.05 <= taken / draws.total() <= 0.5


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("calendar")
@pytest.mark.soak
@pytest.mark.parametrize("hour", [1, 13])
def test_no_sample_data_is_booked_in_the_future(client, monkeypatch, hour):
    now = datetime.combine(site_day() - timedelta(days=1), time(hour, 5), ZONE)
    monkeypatch.setattr(timezone, "now", lambda: now)
    installed = later_than(now)  # The rows of the migrations are of the present time.

    report = generate(4)

    ends_at = now + timedelta(seconds=report["seconds"])
    assert set(later_than(ends_at) - installed) - TO_COME == set()
    assert now - AuditRun.objects.latest("ran_at").ran_at < timedelta(hours=26)
    client.force_login(User.objects.get(handle="admin"))
    assert "ledger balanced" in client.get(reverse("admin:index")).text


def later_than(moment):
    """Return the number of rows with a time after this moment, by the label of the field."""
    fields = [
        (model, field.name)
        for model in apps.get_models()
        if model._meta.managed
        for field in model._meta.concrete_fields
        if isinstance(field, DateTimeField) and field.model is model
    ]
    counted = {
        f"{model._meta.label}.{name}": model._base_manager.filter(**{f"{name}__gt": moment}).count()
        for model, name in fields
    }
    return +Counter(counted)


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
