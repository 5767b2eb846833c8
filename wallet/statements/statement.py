"""A player's statement: their entries, latest first, paged without a count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core import signing
from django.db.models import Max, Min, Q, QuerySet
from django.utils.translation import gettext as _

from core.text_validation import named
from players.accounts.models import User
from wallet.ledger.models import Account, Entry, Transfer

CHUNK = 1_000
CURSOR_SALT = "wallet.statements.statement.cursor"


@dataclass(frozen=True)
class StatementRow:
    """One line of a statement: the change of one bucket, and the balance afterwards."""

    entry: Entry

    @property
    def text(self) -> str:
        transfer = self.entry.transfer
        what = kind_label(transfer.kind)
        # For a payment, the gateway's reference.
        is_payment = transfer.kind in (Transfer.Kind.DEPOSIT, Transfer.Kind.CHARGEBACK)
        has_more = transfer.memo and not is_payment
        return f"{what}: {named(transfer.memo)}" if has_more else what

    @property
    def bucket(self) -> str:
        return self.entry.account.get_kind_display()

    @property
    def is_credit(self) -> bool:
        return self.entry.amount_minor > 0

    def as_text(self) -> dict[str, str]:
        """Return the line for files and API clients, not localised."""
        entry, transfer = self.entry, self.entry.transfer
        return {
            "when": transfer.created_at.isoformat(),
            "booked_on": transfer.booked_on.isoformat(),
            "kind": transfer.kind,
            "what": self.text,
            "bucket": self.bucket,
            "amount": str(entry.amount.amount),
            "balance": str(entry.balance_after.amount),
            "currency": entry.currency,
            "transfer": str(transfer.public_id),
        }


def cursor_after(entry: Entry) -> str:
    """Return a signed cursor to the entries before this one; primary keys are not public."""
    return signing.dumps(entry.pk, salt=CURSOR_SALT)


def cursor_read(text: str) -> int | None:
    """Return the position of a cursor, or None; raise `BadSignature` for an invalid one."""
    return int(signing.loads(text, salt=CURSOR_SALT)) if text else None


@dataclass(frozen=True)
class Statement:
    """A query for a player's entries; days are booking days, both ends included."""

    player: User
    currency: str = ""
    kind: str = ""
    booked_from: date | None = None
    booked_to: date | None = None

    def page(self, *, before: int | None = None, size: int) -> list[Entry]:
        """Return at most `size` entries before a given one.

        Each account is queried for its own latest entries: a short index scan, however many it has.
        New
        entries come before the first page and shift none.
        """
        older = self._chosen() if before is None else self._chosen() & Q(pk__lt=before)
        walks = [latest_keys(account, older, size=size) for account in self._accounts()]
        if not walks:
            return []
        together = walks[0].union(*walks[1:], all=True)
        found = sorted((row["pk"] for row in together), reverse=True)
        rows = Entry.objects.filter(pk__in=found[:size])
        return list(rows.select_related("transfer", "account").latest_first())

    def chunks(self) -> Iterator[list[Entry]]:
        """Yield all lines in chunks, one in memory at a time."""
        before = None
        while chunk := self.page(before=before, size=CHUNK):
            yield chunk
            before = chunk[-1].pk

    def _accounts(self) -> list[int]:
        mine = Account.objects.of_player(self.player)
        if self.currency:
            mine = mine.filter(currency=self.currency)
        return list(mine.values_list("pk", flat=True))

    def _within_days(self) -> Q:
        """Bound the primary keys by the days, so that the scan does not start at today's entries.

        Entries are numbered in the order of their days, since a day begins after the last posting
        of the
        day before has committed (booked_days.sql). So any entry of another day is a bound.
        """
        near, booked = Q(), Transfer.objects.order_by("booked_on", "xid")
        if self.booked_from is not None:
            before = booked.filter(booked_on__lt=self.booked_from).reverse().values("pk")[:1]
            last = Entry.objects.filter(transfer__in=before).aggregate(pk=Max("pk"))["pk"]
            near &= Q(pk__gt=last or 0)
        if self.booked_to is not None:
            after = booked.filter(booked_on__gt=self.booked_to).values("pk")[:1]
            first = Entry.objects.filter(transfer__in=after).aggregate(pk=Min("pk"))["pk"]
            near &= Q() if first is None else Q(pk__lt=first)
        return near

    def _chosen(self) -> Q:
        chosen = {
            "kind": self.kind or None,
            "transfer__booked_on__gte": self.booked_from,
            "transfer__booked_on__lte": self.booked_to,
        }
        matches = Q(**{name: value for name, value in chosen.items() if value is not None})
        return matches & self._within_days()


def latest_keys(account: int, chosen: Q, *, size: int) -> QuerySet[Entry, Any]:
    """Return the keys of an account's latest selected entries."""
    return Entry.objects.filter(chosen, account=account).latest_first().values("pk")[:size]


def kind_label(kind: str) -> str:
    """Return the label of a kind of transfer in the active language."""
    return _WORDS[Transfer.Kind(kind)]()


_WORDS: dict[Transfer.Kind, Callable[[], str]] = {
    Transfer.Kind.GRANT: lambda: _("Play points granted"),
    Transfer.Kind.BUY_IN: lambda: _("Entry paid"),
    Transfer.Kind.PRIZE: lambda: _("Prize"),
    Transfer.Kind.REFUND: lambda: _("Entry refunded"),
    Transfer.Kind.TAX: lambda: _("Tax withheld at year end"),
    Transfer.Kind.DEPOSIT: lambda: _("Deposit"),
    Transfer.Kind.WITHDRAWAL: lambda: _("Withdrawal"),
    Transfer.Kind.ADJUSTMENT: lambda: _("Adjustment"),
    Transfer.Kind.BONUS: lambda: _("Bonus granted"),
    Transfer.Kind.RELEASE: lambda: _("Bonus released"),
    Transfer.Kind.EXPIRY: lambda: _("Bonus expired"),
    Transfer.Kind.RAKE: lambda: _("Rake of a deal"),
    Transfer.Kind.CASH_OUT: lambda: _("Stack cashed out"),
    Transfer.Kind.CHARGEBACK: lambda: _("Payment reversed"),
    Transfer.Kind.RESTITUTION: lambda: _("Void prizes redistributed"),
    Transfer.Kind.FEE: lambda: _("Fee of a payment partner"),
    Transfer.Kind.REVERSAL: lambda: _("Reversal"),
}
