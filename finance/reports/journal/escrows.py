"""Amounts that passed through the escrows of finished games and tournaments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any, TypedDict

from django.db.models import Count, F, Q, QuerySet, Sum

from finance.reports.frame.report import Position, Question, Report, Row, Totals
from finance.reports.journal.journal import entries_after
from wallet.ledger.models import PLAYER_KINDS, Account, Entry, Transfer
from wallet.stakes.models import Stake

Kind = Account.Kind
THEIRS = {*PLAYER_KINDS, Kind.TICKET.value}


@dataclass
class Flow:
    """Sums of an escrow in minor units; paid in + operator = refunded + prizes + rake."""

    paid_in_minor: int = 0
    # The operator's contribution to the prize pool, less the part returned to the operator.
    operator_minor: int = 0
    refunded_minor: int = 0
    prizes_minor: int = 0
    rake_minor: int = 0

    @property
    def left_minor(self) -> int:
        """Return the balance left in the escrow; 0 once the game is over."""
        came = self.paid_in_minor + self.operator_minor
        return came - self.refunded_minor - self.prizes_minor - self.rake_minor


class EndedRow(TypedDict):
    """The columns that finished games and tournaments have in common."""

    currency: str
    ended_at: datetime
    booked_on: date
    players: int
    entries: int
    paid_in_minor: int
    operator_minor: int
    refunded_minor: int
    prizes_minor: int
    rake_minor: int
    left_minor: int


FLOWS = tuple(field.name for field in fields(Flow))


def ended(question: Question) -> QuerySet[Entry]:
    """Return the entries that closed an escrow in the period: the last entry of each."""
    return question.entries().filter(
        account__kind=Kind.ESCROW,
        account__status=Account.Status.CLOSED,
        account_version=F("account__version"),
    )


def flows(escrows: Iterable[int] | QuerySet[Entry, Any]) -> dict[int, Flow]:
    """Return the sums of each escrow from the other sides of its transfers."""
    sides: QuerySet[Entry, Any] = (
        Entry.objects.order_by()
        .filter(transfer__entries__account__in=escrows)
        .exclude(account__kind=Kind.ESCROW)
        .values("account__kind", "transfer__kind", escrow=F("transfer__entries__account"))
        .annotate(
            came=Sum("amount_minor", filter=Q(amount_minor__gt=0), default=0),
            went=Sum("amount_minor", filter=Q(amount_minor__lt=0), default=0),
        )
    )
    found: dict[int, Flow] = defaultdict(Flow)
    for side in sides.iterator():
        flow, came, went = found[side["escrow"]], int(side["came"]), int(side["went"])
        if side["account__kind"] == Kind.RAKE:
            flow.rake_minor += came + went
        elif side["account__kind"] not in THEIRS:
            flow.operator_minor -= came + went
        else:
            flow.paid_in_minor -= went
            if side["transfer__kind"] == Transfer.Kind.REFUND:
                flow.refunded_minor += came
            else:
                flow.prizes_minor += came
    return found


def people(escrows: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return the number of players and of paid entries of each escrow."""
    counts = Stake.objects.filter(escrow__in=escrows).order_by().values_list("escrow")
    return {
        escrow: (players, entries)
        for escrow, players, entries in counts.annotate(Count("player", distinct=True), Count("pk"))
    }


def report_of(
    name: str,
    title: str,
    games: Callable[[], QuerySet[Any]],
    row: Callable[[Any], Row],
    *,
    link: str,
    shape: type[Any],
) -> Report:
    """Return a report of one model's finished games; `link` is its relation from the account."""

    def closing(question: Question) -> QuerySet[Entry]:
        return ended(question).filter(**{f"account__{link}__isnull": False})

    def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
        last = list(entries_after(closing(question), after, size))
        escrows = [entry.account_id for entry in last]
        found = {
            game.escrow_account_id: game for game in games().filter(escrow_account__in=escrows)
        }
        moved, came = flows(escrows), people(escrows)
        return [
            (
                (entry.transfer.xid, entry.pk),
                {
                    **row(found[escrow]),
                    **_ending(entry, moved[escrow], *came.get(escrow, (0, 0))),
                },
            )
            for escrow, entry in zip(escrows, last, strict=True)
        ]

    def totals(question: Question) -> Totals:
        return totals_of(closing(question))

    return Report(name, title, shape, page, totals)


def _ending(entry: Entry, flow: Flow, players: int, entries: int) -> Row:
    """Return the columns of `EndedRow`; `entry` is the last one of the escrow."""
    return {
        "currency": entry.currency,
        "ended_at": entry.transfer.created_at,
        "booked_on": entry.transfer.booked_on,
        "players": players,
        "entries": entries,
        **asdict(flow),
        "left_minor": flow.left_minor,
    }


def totals_of(closing: QuerySet[Entry]) -> Totals:
    """Return the sums of all these escrows by currency; `left_minor` must be 0."""
    currencies = dict(closing.order_by().values_list("account", "currency"))
    sums: Totals = {}
    of = flows(closing.order_by().values("account"))
    for escrow, currency in sorted(currencies.items()):
        total = sums.setdefault(
            currency, {"ended": 0} | dict.fromkeys(FLOWS, 0) | {"left_minor": 0}
        )
        total["ended"] += 1
        for name, minor in asdict(of[escrow]).items():
            total[name] += minor
        total["left_minor"] += of[escrow].left_minor
    return sums
