"""Exports of simulated games, verified by independent readers.

Plain Python adds up the CSV; beancount asserts every account's balance at the start and end of
every period.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

import pytest
from beancount import loader
from beancount.core.data import Transaction

from devtools.simulation import tables as simulation
from finance.closing import actions as closing
from finance.reports.journal.beancount import account_name
from tables.lobby.table_templates.profiles import register_profile
from tables.models.tables import Table
from tests.builders.books.full_books import Desk, a_day_passes, play_pool
from tests.builders.processes.product import CHECKOUT
from tests.builders.tables.deals import SUDDEN, let_bots_finish
from tests.builders.tables.making import make_rules
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(client, settings):
    settings.FINANCE_RATE = "10000/min"
    return Desk(client)


def play_simulated() -> Table:
    """A pool of bots from buy-in to payout, as `simulate` opens it; its deals end quickly."""
    table = simulation.open_bot_game(
        profile=register_profile(make_rules(**SUDDEN)),
        name="Simulation 1",
        players=2,
        entry_minor=100_01,
        rake_bps=1_250,
    )
    return let_bots_finish(table)


@dataclass
class Readings:
    """The sum of entries and the last balance of each account, read from CSV."""

    sums: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    last: dict[str, tuple[int, int]] = field(default_factory=dict)
    transfers: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    entries: int = 0

    @classmethod
    def of(cls, text: bytes) -> Readings:
        read = cls()
        lines = [one for one in io.StringIO(text.decode(), newline="") if one[:2] != "# "]
        for row in csv.DictReader(lines):
            minor, version = int(row["amount_minor"]), int(row["account_version"])
            read.entries += 1
            read.sums[row["account"]] += minor
            read.transfers[row["transfer"], row["currency"]] += minor
            before = read.last.get(row["account"])
            assert before is None or before[0] < version
            read.last[row["account"]] = (version, int(row["balance_after_minor"]))
        return read


def assert_books_close(desk: Desk, first: date, last: date) -> None:
    """Check that opening + movements = closing for every account and period."""
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    until = {day: Readings.of(desk.file("journal", format="csv", to=day)) for day in days}
    until[first - timedelta(days=1)] = Readings()
    assert until[last].entries > 0
    assert set(until[last].transfers.values()) == {0}
    for start in days:
        for end in (day for day in days if day >= start):
            period = {"from": start, "to": end}
            moved = Readings.of(desk.file("journal", format="csv", **period))
            opened = until[start - timedelta(days=1)]
            for account, closed in until[end].sums.items():
                assert opened.sums.get(account, 0) + moved.sums.get(account, 0) == closed
                assert until[end].last[account][1] == closed
            assert_beancount_agrees(desk, period, until[end])
    now = {str(a.public_id): a.balance_minor for a in Account.objects.filter(version__gt=0)}
    assert until[last].sums == now


def assert_beancount_agrees(desk: Desk, period: dict[str, date], closed: Readings) -> None:
    """Check that all balance assertions of the beancount file hold and its sums equal the CSV's."""
    entries, errors, _ = loader.load_string(
        desk.file("journal", format="beancount", **period).decode()
    )
    assert errors == []
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                sums[posting.account] += posting.units.number
    public_ids = {account_name(a): str(a.public_id) for a in Account.objects.all()}
    shown = {public_ids[name]: int(-sum_ * 100) for name, sum_ in sums.items()}
    assert {one: minor for one, minor in shown.items() if minor} == {
        one: minor for one, minor in closed.sums.items() if minor
    }


def assert_games_add_up(desk: Desk, number: int) -> None:
    """Check that entries = prizes + rake in the report of games and in the journal."""
    rows = desk.page("games")["results"]
    assert len(rows) == number
    text = desk.file("journal", format="csv").decode()
    lines = [one for one in io.StringIO(text, newline="") if one[:2] != "# "]
    paid: dict[str, int] = defaultdict(int)
    out: dict[str, int] = defaultdict(int)
    for row in csv.DictReader(lines):
        if row["account_kind"] == "escrow":
            minor = int(row["amount_minor"])
            (paid if minor > 0 else out)[row["account_ref"]] += abs(minor)
    for row in rows:
        ref = f"table:{row['game']}"
        assert paid[ref] == out[ref] == row["paid_in_minor"]
        assert row["prizes_minor"] + row["refunded_minor"] + row["rake_minor"] == paid[ref]


@pytest.mark.extended
def test_simulated_games_are_verified_by_independent_readers(desk):
    play_simulated()
    first = a_day_passes()
    closing.close_days()
    play_pool()

    assert_books_close(desk, first, first + timedelta(days=1))
    assert_games_add_up(desk, 2)


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("variant", ["pool-101", "points", "best-of-3"])
def test_whole_simulations_are_verified_by_independent_readers(desk, test_database, variant):
    """Run `manage.py simulate` with its workers on the tests' database."""
    command = ["simulate", "--variant", variant, "--tables", "4", "--seed", "7", "--json"]
    done = subprocess.run(
        [sys.executable, "manage.py", *command, "--timeout", "1500"],
        cwd=CHECKOUT,
        env=test_database,
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["ok"], done.stderr

    today = closing.end_days()
    assert_books_close(desk, today - timedelta(days=1), today)
    assert_games_add_up(desk, report["games"])
