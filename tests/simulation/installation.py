"""A small installation that lives through days of games and payments while its network fails."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any, Final
from unittest.mock import patch

from django.db import connection
from django.test.utils import override_settings

from core.partitions import partitions
from devtools.sample_data import days as sample_days
from devtools.sample_data import games, generation
from devtools.sample_data.days import Days
from devtools.sample_data.fake_clock import FakeClock, advance_frozen, fake_clock, freeze
from tables.exceptions import TableError
from tables.models.deals import Move
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.models import Result, Window
from tables.state.deadlines import SWEEP
from tests.builders.tables.soundness import assert_over_and_sound
from tests.model import traces
from tests.simulation.network import ConnectionLost, Network
from tournaments.entries.models import Entry as Entrant
from tournaments.planning.models import Tournament
from wallet.audit import freezes as withdrawal_freezes
from wallet.audit import seals
from wallet.audit.models import WithdrawalFreeze
from wallet.deposits.models import Deposit
from wallet.ledger.models import Account, Entry, Transfer
from wallet.withdrawals.models import Withdrawal

# The same on every machine and day, so that a seed always replays the same days.
BEGINS_ON: Final = date(2026, 4, 6)
PASSWORD: Final = "simulated-and-unused"
# What happens on a day depends on the length of the whole: it is the same for any part of it.
WHOLE: Final = 365
# How often a player leaves, at each step of a game.
LEAVES: Final = 0.02
# Refusals that players of this process have received, by code.
REFUSED: Counter[str] = Counter()


@dataclass
class Report:
    """What happened, and what was found; the same seed gives the same `events`."""

    seed: int
    days: int
    findings: list[str] = field(default_factory=list)
    events: str = ""
    games: int = 0
    tournaments: int = 0
    deposits: int = 0
    withdrawals: int = 0
    transfers: int = 0
    moves: int = 0
    pools_as_traces: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def as_row(self) -> dict[str, object]:
        return {"ok": not self.findings} | asdict(self)


def simulate(
    seed: int, days: int, *, progress: Callable[[str], object], seconds: float | None = None
) -> Report:
    """Let so many days pass, at most so many real seconds; stop at the first finding."""
    began, report = time.monotonic(), Report(seed, days)
    chance = Random(f"network {seed}")
    network = Network(chance)
    with _frozen_clock(f"simulation {seed}", network) as site_clock, network.installed():
        partitions.make_months()
        activity = generation._prepare(site_clock, PASSWORD, WHOLE)
        for no in range(days):
            day = BEGINS_ON + timedelta(days=no)
            report.findings += _live(activity, network, no, day)
            report.days = no + 1
            progress(
                f"{day}  {activity.games} games, {sum(network.counts.values())} events of the "
                f"network, {time.monotonic() - began:.0f} s"
            )
            is_late = seconds is not None and time.monotonic() - began > seconds
            if report.findings or is_late:
                break
        REFUSED.update(activity.cashier.refused)
        _count(report, network)
    report.seconds = round(time.monotonic() - began, 1)
    return report


@contextmanager
def _frozen_clock(seed: str, network: Network) -> Iterator[FakeClock]:
    """Start the fake clock; between its moves no time passes in the database either."""

    def agree(site_clock: FakeClock) -> None:
        advance_frozen(site_clock, sweep="" if network.is_jumping else SWEEP)

    with ExitStack() as patches:
        enter = patches.enter_context
        enter(override_settings(BOT_THINK_SECONDS=0.0))
        enter(patch.object(games, "Game", FaultyGame))
        enter(patch.object(sample_days, "Game", FaultyGame))
        site_clock = enter(fake_clock(began_on=BEGINS_ON, seed=seed))
        freeze(site_clock)
        enter(patch.object(FakeClock, "agree", agree))
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")
        yield site_clock


class FaultyGame(games.Game):
    """A game whose players leave by chance, and go on when the table has changed meanwhile."""

    def step(self, table: Table) -> None:
        if self._happens(LEAVES) and (seats := list(table.seats.present())):
            # Later than a deal that has just begun: a trace orders events by their time.
            self.site_clock.think(1)
            with _refusals():
                seating.leave(seat_id=self.site_clock.chance.choice(seats).pk)
            return
        with _refusals():
            super().step(table)


@contextmanager
def _refusals() -> Iterator[None]:
    """Go on after a refusal: the clock, a worker or another player was faster."""
    try:
        yield
    except (TableError, Window.DoesNotExist, ConnectionLost) as refusal:
        REFUSED[getattr(refusal, "code", type(refusal).__name__)] += 1


def _live(activity: Days, network: Network, no: int, day: date) -> list[str]:
    """Live through a day; return what is wrong in the night after it."""
    ends = activity.site_clock.at(day + timedelta(days=1), 12)
    try:
        activity.generate_day(no, day, until=ends)
        network.calm()
    except Exception as error:  # A finding, whatever it is; the seed replays it.
        return [f"{day}: {type(error).__name__}: {error}"]
    return [f"{day}: {finding}" for finding in _findings(activity.site_clock)]


def _findings(site_clock: FakeClock) -> Iterator[str]:
    """Yield what must not be: stopped withdrawals, money in finished games, work that is stuck.

    The rows since the last full audit are audited, all rows on Mondays (`Days.generate_day`).
    """
    seals.seal_ledger()
    withdrawal_freezes.check_new_rows()
    freezes = WithdrawalFreeze.objects.active()
    yield from (line for freeze in freezes for line in freeze.findings.splitlines())
    over = Table.objects.filter(phase__in=Table.OVER)
    for table in over.filter(finished_at__gt=site_clock.now - timedelta(days=1)):
        try:
            assert_over_and_sound(table)
        except AssertionError as broken:
            yield f"{table.name}: {broken}"
    escrows = Account.objects.filter(kind=Account.Kind.ESCROW).exclude(balance_minor=0)
    yield from (f"escrow of {account}" for account in escrows.filter(table__in=over))
    live = Table.objects.live()
    yield from (f"{table.name} owes a step" for table in live.filter(settlement_due=True))
    long_ago = site_clock.now - timedelta(hours=1)
    yield from (f"{table.name} is stuck" for table in live.filter(due_at__lt=long_ago))
    tournaments = Tournament.objects.exclude(state__in=Tournament.OVER)
    yield from (f"{each} is stuck" for each in tournaments.filter(due_at__lt=long_ago))
    yield from traces.differences(
        list(over.filter(finished_at__gt=site_clock.now - timedelta(days=1)))
    )


def _count(report: Report, network: Network) -> None:
    report.games = Table.objects.filter(phase__in=Table.OVER).count()
    report.tournaments = Tournament.objects.filter(state__in=Tournament.OVER).count()
    report.deposits, report.withdrawals = Deposit.objects.count(), Withdrawal.objects.count()
    report.transfers, report.moves = Transfer.objects.count(), Move.objects.count()
    over = Table.objects.filter(phase__in=Table.OVER).select_related("profile")
    report.pools_as_traces = sum(map(traces.is_modelled, over))
    report.faults = dict(sorted(network.counts.items()))
    report.refusals = dict(sorted(REFUSED.items()))
    report.events = event_hash()


def event_hash() -> str:
    """Return a hash of all facts: transfers, moves, places, tournaments, payments."""
    facts: list[Any] = [
        Entry.objects.order_by("pk").values_list(
            "transfer__key", "transfer__kind", "account__kind", "account__player", "amount_minor"
        ),
        Move.objects.order_by("table", "deal", "ply").values_list(
            "table", "deal", "text", "made_at"
        ),
        Result.objects.order_by("pk").values_list("table", "seat", "place", "prize_minor"),
        Entrant.objects.order_by("pk").values_list("tournament", "player", "state"),
        Withdrawal.objects.order_by("pk").values_list(
            "player", "deposit_minor", "tax_minor", "status"
        ),
    ]
    digest = hashlib.sha256()
    for rows in facts:
        for row in rows:
            digest.update(repr(row).encode())
    return digest.hexdigest()[:16]
