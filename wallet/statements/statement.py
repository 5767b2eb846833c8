"""A player's statement: their entries, latest first, paged without a count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core import signing
from django.db.models import Max, Min, Q, QuerySet, Value
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
        return transfer_text(self.entry.transfer)

    @property
    def bucket(self) -> str:
        return self.entry.account.get_kind_display()


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
    # Kinds of transfers and of accounts; empty for all.
    kinds: Collection[str] = ()
    account_kinds: Collection[str] = ()
    booked_from: date | None = None
    booked_to: date | None = None

    def page(self, *, before: int | None = None, size: int) -> list[Entry]:
        """Return at most `size` entries before a given one.

        Each account is queried for its own latest entries: a short index scan, however many it has.
        New entries come before the first page and shift none.
        """
        return self._read(before=before, size=size)[0]

    def start(self, *, size: int) -> tuple[list[Entry], int]:
        """Return the first page, and the accounts' total in minor units after its first entry.

        Both are read by one query, so that a posting meanwhile is in both or in neither. The total
        counts entries of all kinds.
        """
        entries, heads = self._read(before=None, size=size)
        return entries, sum(head.balance_after_minor for head in heads)

    def chunks(self) -> Iterator[list[Entry]]:
        """Yield all lines in chunks, one in memory at a time."""
        before = None
        while chunk := self.page(before=before, size=CHUNK):
            yield chunk
            before = chunk[-1].pk

    def accounts(self) -> QuerySet[Account]:
        """Return the player's accounts that the statement covers."""
        mine = Account.objects.of_player(self.player)
        if self.currency:
            mine = mine.filter(currency=self.currency)
        return mine.filter(kind__in=self.account_kinds) if self.account_kinds else mine

    def entries(self) -> QuerySet[Entry]:
        """Return all entries of the statement, for sums."""
        accounts = list(self.accounts().values_list("pk", flat=True))
        return Entry.objects.filter(self._kinds() & self._not_before() & self._not_after()).filter(
            account__in=accounts
        )

    def _read(self, *, before: int | None, size: int) -> tuple[list[Entry], list[Entry]]:
        """Return a page and, for the first one, each account's latest entry up to the last day."""
        until = self._not_after()
        older = until if before is None else until & Q(pk__lt=before)
        chosen = older & self._kinds() & self._not_before()
        accounts = list(self.accounts().values_list("pk", flat=True))
        walks = [latest_keys(account, chosen, size=size) for account in accounts]
        if before is None:
            walks += [latest_keys(account, until, size=1, is_head=True) for account in accounts]
        if not walks:
            return [], []
        together = list(walks[0].union(*walks[1:], all=True))
        found = sorted((row["pk"] for row in together if not row["is_head"]), reverse=True)[:size]
        heads = {row["pk"] for row in together if row["is_head"]}
        rows = Entry.objects.filter(pk__in=[*found, *heads])
        read = {row.pk: row for row in rows.select_related("transfer", "account")}
        return [read[pk] for pk in found], [read[pk] for pk in heads]

    # The bounds of the primary keys save a scan from today's entries on. Entries are numbered in
    # the order of their days, since a day begins after the last posting of the day before has
    # committed (booked_days.sql). So any entry of another day is a bound.

    def _not_before(self) -> Q:
        if self.booked_from is None:
            return Q()
        earlier = Transfer.objects.filter(booked_on__lt=self.booked_from)
        before = earlier.order_by("-booked_on", "-xid").values("pk")[:1]
        last = Entry.objects.filter(transfer__in=before).aggregate(pk=Max("pk"))["pk"]
        return Q(booked_on__gte=self.booked_from, pk__gt=last or 0)

    def _not_after(self) -> Q:
        if self.booked_to is None:
            return Q()
        later = Transfer.objects.filter(booked_on__gt=self.booked_to)
        after = later.order_by("booked_on", "xid").values("pk")[:1]
        first = Entry.objects.filter(transfer__in=after).aggregate(pk=Min("pk"))["pk"]
        bound = Q() if first is None else Q(pk__lt=first)
        return Q(booked_on__lte=self.booked_to) & bound

    def _kinds(self) -> Q:
        if len(self.kinds) == 1:  # Equality uses the partial index of rare kinds.
            return Q(kind=next(iter(self.kinds)))
        return Q(kind__in=self.kinds) if self.kinds else Q()


def latest_keys(
    account: int, chosen: Q, *, size: int, is_head: bool = False
) -> QuerySet[Entry, Any]:
    """Return the keys of an account's latest selected entries, each with `is_head`."""
    rows = Entry.objects.filter(chosen, account=account).annotate(is_head=Value(is_head))
    return rows.latest_first().values("pk", "is_head")[:size]


def transfer_text(transfer: Transfer) -> str:
    """Return the kind of a transfer with its memo, in the active language."""
    what = kind_label(transfer.kind)
    # For a payment, the memo is the gateway's reference.
    is_payment = transfer.kind in (Transfer.Kind.DEPOSIT, Transfer.Kind.CHARGEBACK)
    return f"{what}: {named(transfer.memo)}" if transfer.memo and not is_payment else what


def kind_label(kind: str) -> str:
    """Return the label of a kind of transfer in the active language."""
    return _WORDS[Transfer.Kind(kind)]()


_WORDS: dict[Transfer.Kind, Callable[[], str]] = {
    Transfer.Kind.GRANT: lambda: _("Free points"),
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
