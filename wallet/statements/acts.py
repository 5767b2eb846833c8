"""A player's statement as acts: one row per game, deposit or withdrawal instead of per entry.

The journal is not changed: an act groups the player's entries of one booking day that belong
together. A game is an act of each day on which it moved the player's money; a withdrawal is one act
from the request on, since paying it moves no money that the player could spend.

The balance is what the player can spend: bonus, deposit and winnings of one currency. Acts of whole
days add up to its change, in every period.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import groupby, islice
from typing import Final

from django.core import signing
from django.db import models
from django.db.models import Min, Sum
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from players.accounts.models import User
from players.accounts.zones import site_zone
from wallet.ledger.days import site_day
from wallet.ledger.models import Bucket, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_money, minor_units
from wallet.statements.statement import Statement

CURSOR_SALT: Final = "wallet.statements.acts.cursor"
# Entries read at once, and acts described at once.
READ: Final = 200
Kind = Transfer.Kind


class ActKind(models.TextChoices):
    GAME = "game", _("Games")
    DEPOSIT = "deposit", _("Deposits")
    WITHDRAWAL = "withdrawal", _("Withdrawals")
    BONUS = "bonus", _("Bonuses")
    POINTS = "points", _("Free points")
    TAX = "tax", _("Tax at year end")
    CORRECTION = "correction", _("Corrections")


# Kinds that only one of play points and cash has.
OF_POINTS: Final = frozenset({ActKind.POINTS})
OF_CASH: Final = frozenset(ActKind) - {ActKind.GAME, ActKind.POINTS, ActKind.CORRECTION}
KINDS: Final = {
    Kind.BUY_IN: ActKind.GAME,
    Kind.PRIZE: ActKind.GAME,
    Kind.REFUND: ActKind.GAME,
    Kind.CASH_OUT: ActKind.GAME,
    Kind.RAKE: ActKind.GAME,
    Kind.DEPOSIT: ActKind.DEPOSIT,
    Kind.CHARGEBACK: ActKind.DEPOSIT,
    Kind.FEE: ActKind.DEPOSIT,
    Kind.WITHDRAWAL: ActKind.WITHDRAWAL,
    # Only withdrawals are reversed (policies.sql).
    Kind.REVERSAL: ActKind.WITHDRAWAL,
    Kind.BONUS: ActKind.BONUS,
    Kind.RELEASE: ActKind.BONUS,
    Kind.EXPIRY: ActKind.BONUS,
    Kind.GRANT: ActKind.POINTS,
    Kind.TAX: ActKind.TAX,
    Kind.ADJUSTMENT: ActKind.CORRECTION,
    Kind.RESTITUTION: ActKind.CORRECTION,
}


@dataclass(frozen=True)
class Part:
    """One transfer of an act, and what it changed of the player's balance."""

    transfer: Transfer
    money: Money

    @property
    def kind(self) -> Transfer.Kind:
        return Kind(self.transfer.kind)


@dataclass(frozen=True)
class Act:
    """One row of the statement."""

    kind: ActKind
    # The transfers, latest first.
    parts: tuple[Part, ...]
    # The key of its latest entry, which orders the acts.
    last: int
    day: date
    money: Money
    # What the player could spend afterwards; None where other kinds are left out.
    balance: Money | None = None

    @property
    def at(self) -> datetime:
        return self.parts[0].transfer.created_at

    @property
    def transfer(self) -> Transfer:
        """The transfer that began the act."""
        return self.parts[-1].transfer

    def sum_of(self, *kinds: Transfer.Kind) -> Money:
        found = [part.money for part in self.parts if part.kind in kinds]
        return sum(found, start=as_money(0, self.money.currency.code))

    @property
    def cursor(self) -> str:
        """A signed cursor to the acts before this one; primary keys are not public."""
        return signing.dumps([self.day.toordinal(), self.last], salt=CURSOR_SALT)


@dataclass(frozen=True)
class Summary:
    """The sums of a period by kind; `opening` and the sums add up to `closing`."""

    opening: Money
    sums: dict[ActKind, Money]
    closing: Money


@dataclass(frozen=True)
class ActStatement:
    """The acts of a player in one currency; days are booking days, both ends included."""

    player: User
    currency: str
    kind: ActKind | None = None
    first: date | None = None
    last: date | None = None

    def page(self, *, cursor: str = "", size: int) -> list[Act]:
        """Return at most `size` acts, latest first; raise `BadSignature` for an invalid cursor."""
        day, before = _read_cursor(cursor)
        last = self.last if day is None else min(day, self.last or day)
        acts = replace(self, last=last).acts()
        older = acts if before is None else (act for act in acts if act.last < before)
        return list(islice(older, size))

    def acts(self) -> Iterator[Act]:
        """Yield all acts, latest first, a few in memory at a time."""
        statement = self._entries()
        entries, balance = statement.start(size=READ)
        for _day, of_day in groupby(_all(statement, entries), key=lambda entry: entry.booked_on):
            for act in _grouped(of_day, self.currency):
                if self.kind is not None:
                    yield act
                    continue
                yield replace(act, balance=as_money(balance, self.currency))
                balance -= minor_units(act.money)

    def summary(self) -> Summary:
        """Return the balance before and after the period, and the sums of its acts by kind."""
        statement = replace(self, kind=None)._entries()
        sums: dict[ActKind, int] = defaultdict(int)
        _first, closing = statement.start(size=1)
        entries = statement.entries()
        for kind, minor in entries.values_list("kind").annotate(sum=Sum("amount_minor")):
            sums[KINDS[Kind(kind)]] += int(minor)
        return Summary(
            opening=as_money(closing - sum(sums.values()), self.currency),
            sums={kind: as_money(sums[kind], self.currency) for kind in ActKind if kind in sums},
            closing=as_money(closing, self.currency),
        )

    @property
    def until(self) -> datetime | None:
        """The end of the last day, or None if it is not over.

        Later changes, such as the payment of a withdrawal, are not part of the statement.
        """
        if self.last is None or self.last >= site_day():
            return None
        return datetime.combine(self.last + timedelta(days=1), time(), tzinfo=site_zone())

    def _entries(self) -> Statement:
        kinds = [kind for kind, of in KINDS.items() if of == self.kind]
        return Statement(
            player=self.player,
            currency=self.currency,
            kinds=tuple(kinds),
            account_kinds=Bucket.values,
            booked_from=self.first,
            booked_to=self.last,
        )


def kinds_in(currency: str) -> list[ActKind]:
    """Return the kinds of acts that there are in a currency."""
    others = OF_CASH if currency == PLAY_POINTS else OF_POINTS
    return [kind for kind in ActKind if kind not in others]


def first_days(player: User) -> dict[str, date]:
    """Return the day of the player's first entry in each currency, cash before play points."""
    mine = Entry.objects.of_player(player).filter(account__kind__in=Bucket.values)
    rows = mine.filter(account_version=1).values_list("currency")
    found = dict(rows.annotate(day=Min("booked_on")).order_by())
    return dict(sorted(found.items(), key=lambda item: (item[0] == PLAY_POINTS, item[0])))


def _all(statement: Statement, first: list[Entry]) -> Iterator[Entry]:
    chunk = first
    while chunk:
        yield from chunk
        chunk = statement.page(before=chunk[-1].pk, size=READ)


def _grouped(entries: Iterator[Entry], currency: str) -> list[Act]:
    """Return the acts of one day's entries, which are the latest first."""
    acts: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        acts[_key(entry.transfer)].append(entry)
    return [_act(group, currency) for group in acts.values()]


def _key(transfer: Transfer) -> str:
    """Return what the transfers of an act have in common."""
    if transfer.kind == Kind.REVERSAL:
        return f"transfer:{transfer.reverses_id}"
    if transfer.game and KINDS[Kind(transfer.kind)] == ActKind.GAME:
        return transfer.game
    return f"transfer:{transfer.pk}"


def _act(entries: list[Entry], currency: str) -> Act:
    moved: dict[int, int] = defaultdict(int)
    transfers = {}
    for entry in entries:
        moved[entry.transfer_id] += entry.amount_minor
        transfers[entry.transfer_id] = entry.transfer
    return Act(
        kind=KINDS[Kind(entries[0].kind)],
        parts=tuple(Part(transfers[pk], as_money(minor, currency)) for pk, minor in moved.items()),
        last=entries[0].pk,
        day=entries[0].booked_on,
        money=as_money(sum(moved.values()), currency),
    )


def _read_cursor(text: str) -> tuple[date | None, int | None]:
    if not text:
        return None, None
    day, before = signing.loads(text, salt=CURSOR_SALT)
    return date.fromordinal(day), before
