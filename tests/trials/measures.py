"""What a trial measures: the cost of an event, and whether anything was lost at the end."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from django.db import Error, close_old_connections
from django.db.models import F, Sum
from django.db.models.functions import Coalesce

from devtools.simulation.tables import report_on as games_of
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tests.builders.tables.soundness import assert_over_and_sound
from tests.model import traces
from tests.trials.installation import Installation
from tests.trials.people.crowd import Crowd, Person, Tally
from tournaments.planning.models import Tournament
from wallet.audit import audit
from wallet.ledger.models import Account
from wallet.stakes.models import Stake

EVERY_SECONDS = 0.3
TIMEOUT_SECONDS = 3.0


@dataclass(frozen=True)
class Line:
    """The line of the report for one event: counts, and times in seconds."""

    event: str
    lost: int
    off: int
    shown: int
    before: float | None
    during: float | None
    after: float | None
    no_page: float
    no_move: float
    probes: int
    moves: int
    audit: str
    note: str
    ok: bool

    def as_row(self) -> str:
        printed = (getattr(self, name) for name in _printed())
        return _row("–" if value is None else str(value) for value in printed)


def head() -> str:
    """Return the first two lines of the table."""
    names = [name.replace("_", " ") for name in _printed()]
    rule = ["---" if name in ("event", "audit", "note") else "---:" for name in names]
    return f"{_row(names)}\n{_row(rule)}"


def _printed() -> list[str]:
    return [each.name for each in fields(Line) if each.name != "ok"]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


class Prober(threading.Thread):
    """Asks for a page that reads the database, each time on a connection of its own."""

    def __init__(self, port: int, tls: ssl.SSLContext, person: Person) -> None:
        super().__init__(daemon=True)
        self.port, self.tls, self.person = port, tls, person
        self.stop = threading.Event()
        # When each probe began and ended, and whether it got its page.
        self.probes: list[tuple[float, float, bool]] = []

    def run(self) -> None:
        while not self.stop.wait(EVERY_SECONDS):
            began = time.monotonic()
            is_answered = self.answers()
            self.probes.append((began, time.monotonic(), is_answered))

    def answers(self) -> bool:
        line = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT_SECONDS, context=self.tls
        )
        try:
            line.request("GET", "/lobby/", headers={"Cookie": self.person.cookie})
            return line.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            line.close()

    def outage(self, since: float) -> tuple[float, int]:
        """Return the seconds since then in which no probe was answered, and the failed probes."""
        down_since, total, failed = None, 0.0, 0
        for began, ended, is_answered in list(self.probes):
            if ended < since:
                continue
            failed += not is_answered
            if not is_answered and down_since is None:
                down_since = began
            elif is_answered and down_since is not None:
                total, down_since = total + ended - down_since, None
        if down_since is not None:
            total += time.monotonic() - down_since
        return round(total, 1), failed


def p99(tally: Tally, begin: float, end: float) -> float | None:
    """Return the 99th percentile of the moves first sent in that time, None without any."""
    took = sorted(seconds for sent_at, seconds in list(tally.answered) if begin <= sent_at < end)
    return round(took[min(len(took) - 1, int(len(took) * 0.99))], 3) if took else None


def longest_silence(tally: Tally, begin: float, end: float) -> float:
    """Return the longest time in which no move was answered, of anybody."""
    answered = sorted(sent_at + seconds for sent_at, seconds in list(tally.answered))
    moments = [begin, *(moment for moment in answered if begin < moment < end), end]
    return round(max(after - before for before, after in pairwise(moments)), 1)


def moves_lost(acknowledged: set[str]) -> int:
    """Return how many moves were answered with 200 and are not in the database."""
    kept = Move.objects.filter(move_id__in=acknowledged).values_list("move_id", flat=True)
    return len(acknowledged - {str(move_id) for move_id in kept})


def paise_off() -> int:
    """Return by how much balances and entries differ, of all accounts together, at one moment."""
    booked = Account.objects.annotate(booked=Coalesce(Sum("entries__amount_minor"), 0))
    differing = booked.exclude(booked=F("balance_minor")).values_list("booked", "balance_minor")
    return sum(abs(entries - balance) for entries, balance in differing)


def audited() -> str:
    found = audit.audit()
    return "clean" if found.is_clean else f"{len(found.findings)} findings"


def observed(
    name: str,
    happen: Callable[[], str | None],
    tally: Tally,
    prober: Prober,
    calm: float,
) -> Line:
    """Trigger an event between two calm periods and return its line of the report."""
    began = time.monotonic()
    time.sleep(calm)
    struck = time.monotonic()
    try:
        note, happened = happen() or "", True
    except AssertionError as error:  # The checks below are made all the same.
        note, happened = f"not over: {error}", False
    over = time.monotonic()
    time.sleep(calm)
    end = time.monotonic()
    lost, off, found = _looked_at(tally, name)
    no_page, failed = prober.outage(struck)
    shown = tally.counts["hidden cards"]
    return Line(
        event=name,
        lost=lost,
        off=off,
        shown=shown,
        before=p99(tally, began, struck),
        during=p99(tally, struck, over),
        after=p99(tally, over, end),
        no_page=no_page,
        no_move=longest_silence(tally, struck, end),
        probes=failed,
        moves=sum(struck <= sent_at < end for sent_at, _ in list(tally.answered)),
        audit=found,
        note=note,
        ok=happened and not (lost or off or shown) and found == "clean",
    )


def _looked_at(tally: Tally, event: str) -> tuple[int, int, str]:
    """Return lost moves, paise off and the audit's result; retry until the database answers."""
    said = ""
    for _ in range(30):
        try:
            close_old_connections()
            lost, off, found = moves_lost(set(tally.acknowledged)), paise_off(), audited()
        except Error as error:
            said = str(error)
            time.sleep(1)
        else:
            return lost, off, found
    raise AssertionError(f"the database never came back after: {event}: {said}")


def all_is_over() -> bool:
    """Return whether no table and no tournament is live."""
    tournaments = Tournament.objects.exclude(state__in=Tournament.OVER)
    return not (Table.objects.live().exists() or tournaments.exists())


def sum_of_versions() -> int:
    """Return the sum of all tables' versions, which rises with every change."""
    return int(Table.objects.aggregate(sum=Sum("version"))["sum"] or 0)


def escrow_left() -> int:
    """Return what all escrows hold, in minor units, and the number of stakes in them."""
    held = Account.objects.filter(kind=Account.Kind.ESCROW).values_list("balance_minor", flat=True)
    return sum(map(abs, held)) + Stake.objects.in_escrow().count()


def report_on(site: Installation, crowd: Crowd, seconds: float) -> dict[str, Any]:
    """Return the figures of all games of a trial; `ok` only if nothing was found."""
    tables, counts = Table.objects.select_related("profile"), crowd.tally.counts
    games = games_of(list(tables), seconds=seconds, seed="")
    phases, phase = [table.phase for table in tables], Table.Phase
    lost, left = moves_lost(crowd.tally.acknowledged), escrow_left()
    is_paid = games["entries_minor"] == games["paid_minor"] + games["rake_minor"]
    findings = [finding for table in tables for finding in _findings(table)]
    findings += traces.differences(list(tables))
    findings += [
        finding
        for finding, is_found in {
            f"{lost} acknowledged moves are not in the database": lost,
            f"escrows and stakes in them: {left}": left,
            "a socket sent an older view": counts["older views"],
            "a view showed another player's hand": counts["hidden cards"],
            "no view was received over a socket": not counts["views received"],
            "entries are not paid out": not is_paid and phase.CANCELLED not in phases,
        }.items()
        if is_found
    ]
    findings += games["audit"] if games["audit"] != "clean" else []
    shown = ("deals", "moves", "eliminations", "rejoins", "splits", "auto_splits", "audit")
    return {
        "ok": not findings,
        "findings": findings[:20],
        "tables": len(phases),
        "finished": phases.count(phase.FINISHED),
        "cancelled": phases.count(phase.CANCELLED),
        "kills": dict(site.kills),
        "ended_by_themselves": dict(site.ended_by_themselves),
        **{name: games[name] for name in shown},
        "drops": Move.objects.filter(text__endswith=" drop").count(),
        "clock_moves": Move.objects.filter(origin=Move.Origin.CLOCK).count(),
        "left": Seat.objects.filter(left_at__isnull=False).count(),
        "acknowledged_moves": len(crowd.tally.acknowledged),
        "requests": dict(counts),
        "seconds": round(seconds, 1),
    }


def _findings(table: Table) -> list[str]:
    try:
        assert_over_and_sound(table)
    except AssertionError as broken:
        return [f"{table.name}: {broken or 'inconsistent'}"]
    return []
