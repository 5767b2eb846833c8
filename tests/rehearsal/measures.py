"""What an event cost: asked from outside through the proxy, and counted in the database."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from dataclasses import asdict, dataclass

from django.db import Error, close_old_connections
from django.db.models import Sum

from tables.table.deal_models import Move
from tests.soak.crowd import Person, Tally
from wallet.audit import audit
from wallet.ledger.models import Account, Entry

EVERY_SECONDS = 0.1
TIMEOUT_SECONDS = 3.0


@dataclass(frozen=True)
class Line:
    """One event of the report; seconds but for the counts."""

    event: str
    moves_lost: int
    paise_off: int
    hidden_shown: int
    p99_before: float | None
    p99_during: float | None
    p99_after: float | None
    without_service: float
    failed_probes: int
    audit: str
    note: str

    @property
    def ok(self) -> bool:
        is_whole = not (self.moves_lost or self.paise_off or self.hidden_shown)
        return is_whole and self.audit == "clean"

    def as_row(self) -> str:
        return " | ".join("–" if value is None else str(value) for value in asdict(self).values())


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
        """Return for how long no probe was answered since then, and how many failed."""
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


def moves_lost(acknowledged: set[str]) -> int:
    """Return how many moves were answered with 200 and are not in the database."""
    kept = Move.objects.filter(move_id__in=acknowledged).values_list("move_id", flat=True)
    return len(acknowledged - {str(move_id) for move_id in kept})


def paise_off() -> int:
    """Return by how much balances and entries differ, of all accounts together."""
    booked: dict[int, int] = dict(
        Entry.objects.values_list("account")
        .annotate(Sum("amount_minor"))
        .values_list("account", "amount_minor__sum")
    )
    return sum(
        abs(balance - booked.get(pk, 0))
        for pk, balance in Account.objects.values_list("pk", "balance_minor")
    )


def audited() -> str:
    found = audit.audit()
    return "clean" if found.is_clean else f"{len(found.findings)} findings"


@dataclass(frozen=True)
class Times:
    """The calm before an event, the event, the calm after it, and the end of that."""

    calm: float
    struck: float
    over: float
    end: float


def measured(event: str, note: str, tally: Tally, prober: Prober, times: Times) -> Line:
    """Return the line of an event; hands shown are those of the whole run so far."""
    lost, off, found = _looked_at(tally, event)
    outage, failed = prober.outage(times.struck)
    return Line(
        event=event,
        moves_lost=lost,
        paise_off=off,
        hidden_shown=tally.counts["hidden cards"],
        p99_before=p99(tally, times.calm, times.struck),
        p99_during=p99(tally, times.struck, times.over),
        p99_after=p99(tally, times.over, times.end),
        without_service=outage,
        failed_probes=failed,
        audit=found,
        note=note,
    )


def _looked_at(tally: Tally, event: str) -> tuple[int, int, str]:
    """Return moves lost, paise off and the audit's word; the database may be on its way back."""
    for _ in range(30):
        try:
            close_old_connections()
            lost, found, until = moves_lost(set(tally.acknowledged)), audited(), time.monotonic()
            # Balances and entries are read by a statement each: wait for a moment between moves.
            while (off := paise_off()) and time.monotonic() < until + 10:
                time.sleep(0.2)
        except Error:
            time.sleep(1)
        else:
            return lost, off, found
    raise AssertionError(f"the database never came back after: {event}")
