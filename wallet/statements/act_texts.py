"""The texts of a statement's rows: title, details and status, in the active language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, Literal

from django.db.models import Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from moneyed import Money

from core.text_validation import PARTS, named
from players.accounts.zones import site_zone
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, as_text
from wallet.stakes.models import Stake
from wallet.statements.acts import Act, ActKind, Part
from wallet.statements.statement import kind_label, transfer_text
from wallet.withdrawals.models import Withdrawal

Kind = Transfer.Kind
# Acts whose withdrawals, stakes and taxes are read together.
READ: Final = 200
SEPARATOR: Final = " · "
# Accounts besides the player's balance that explain an amount.
ASIDE: Final = (Account.Kind.GST_PAYABLE, Account.Kind.TDS_PAYABLE, Account.Kind.RECEIVABLE)
STATUSES: Final = {
    Withdrawal.Status.REQUESTED: gettext_lazy("Waiting for approval"),
    Withdrawal.Status.APPROVED: gettext_lazy("Approved"),
    Withdrawal.Status.PAID: gettext_lazy("Paid"),
    Withdrawal.Status.REJECTED: gettext_lazy("Rejected"),
    Withdrawal.Status.FAILED: gettext_lazy("Refused by the bank"),
}
OF_GAMES: Final = {
    Kind.BUY_IN: gettext_lazy("Entry %(amount)s"),
    Kind.PRIZE: gettext_lazy("Prize %(amount)s"),
    Kind.REFUND: gettext_lazy("Refund %(amount)s"),
    Kind.CASH_OUT: gettext_lazy("Cashed out %(amount)s"),
}


# How far an act is: still open, done, or neither.
Tone = Literal["", "open", "done"]


@dataclass(frozen=True)
class Row:
    """An act with its texts."""

    act: Act
    title: str
    details: str
    status: str = ""
    tone: Tone = ""

    @property
    def is_credit(self) -> bool:
        return self.act.money.amount > 0

    @property
    def parts(self) -> Iterator[tuple[Part, str]]:
        """The transfers of an act of several, latest first, with their labels."""
        for part in self.act.parts if len(self.act.parts) > 1 else ():
            yield part, kind_label(part.kind)


@dataclass(frozen=True)
class _Facts:
    """What the texts of some acts need, read by one query each."""

    withdrawals: dict[int, Withdrawal]
    stakes: dict[int, Stake]
    # By transfer and kind of account.
    aside: dict[tuple[int, str], int]
    # The games in which a ticket was won.
    tickets: frozenset[str]
    # What happened later is left out.
    until: datetime | None


def rows_of(acts: Iterable[Act], *, until: datetime | None = None) -> Iterator[Row]:
    """Yield the acts with their texts as they were at a time, or as they are now."""
    remaining = iter(acts)
    while some := list(islice(remaining, READ)):
        facts = _facts(some, until)
        yield from (_row(act, facts) for act in some)


def _facts(acts: Sequence[Act], until: datetime | None) -> _Facts:
    transfers = [part.transfer.pk for act in acts for part in act.parts]
    holds = [_hold_of(act) for act in acts if act.kind == ActKind.WITHDRAWAL]
    withdrawals = Withdrawal.objects.filter(hold__in=holds) if holds else ()
    aside = Entry.objects.filter(transfer__in=transfers, account__kind__in=ASIDE)
    sums = aside.values_list("transfer", "account__kind").annotate(sum=Sum("amount_minor"))
    stakes = {row.transfer_id: row for row in Stake.objects.filter(transfer__in=transfers)}
    won = Entry.objects.filter(
        account__player__in={stake.player_id for stake in stakes.values()},
        account__kind=Account.Kind.TICKET,
        transfer__kind=Kind.PRIZE,
        transfer__game__in={act.transfer.game for act in acts if act.kind == ActKind.GAME},
    )
    return _Facts(
        withdrawals={row.hold_id: row for row in withdrawals},
        stakes=stakes,
        tickets=frozenset(won.values_list("transfer__game", flat=True)),
        aside={(transfer, kind): int(minor) for transfer, kind, minor in sums},
        until=until,
    )


def _hold_of(act: Act) -> int:
    """Return the key of the transfer that set a withdrawal's money aside."""
    return act.transfer.reverses_id or act.transfer.pk


def _row(act: Act, facts: _Facts) -> Row:
    if act.kind == ActKind.GAME:
        return _game(act, facts)
    if act.kind == ActKind.WITHDRAWAL:
        return _withdrawal(act, facts)
    return Row(act, transfer_text(act.transfer), SEPARATOR.join(_aside(act, facts)))


def _game(act: Act, facts: _Facts) -> Row:
    title = _name_of_game(act.transfer.memo) or kind_label(act.parts[-1].kind)
    sums = [(text, act.sum_of(kind)) for kind, text in OF_GAMES.items()]
    details = [text % {"amount": _unsigned(money)} for text, money in sums if money]
    stakes = [stake for part in act.parts if (stake := facts.stakes.get(part.transfer.pk))]
    ends = [stake.closed_at for stake in stakes]
    is_open = any(end is None or (facts.until is not None and end >= facts.until) for end in ends)
    if is_open:
        return Row(act, title, SEPARATOR.join(details), _("In play"), "open")
    lost = stakes and all(stake.status == Stake.Status.SETTLED for stake in stakes)
    is_over = lost and all(end and timezone.localdate(end, site_zone()) == act.day for end in ends)
    if is_over and not act.sum_of(Kind.PRIZE, Kind.CASH_OUT, Kind.REFUND):
        has_ticket = act.transfer.game in facts.tickets
        details.append(_("Ticket won") if has_ticket else _("No prize"))
    return Row(act, title, SEPARATOR.join(details))


def _withdrawal(act: Act, facts: _Facts) -> Row:
    is_return = act.parts[-1].kind == Kind.REVERSAL
    title = _("Withdrawal returned") if is_return else kind_label(Kind.WITHDRAWAL)
    withdrawal = facts.withdrawals.get(_hold_of(act))
    if withdrawal is None:
        return Row(act, title, "")
    status = _status_at(withdrawal, facts.until)
    is_returned = status in (Withdrawal.Status.REJECTED, Withdrawal.Status.FAILED)
    details = [] if act.money else [_unsigned(withdrawal.amount)]
    details += [withdrawal.remark] if is_returned else _aside(act, facts)
    if status == Withdrawal.Status.PAID and withdrawal.closed_at:
        day = date_format(timezone.localtime(withdrawal.closed_at), "j M Y")
        values = {"day": day, "reference": withdrawal.bank_reference}
        details.append(_("Paid on %(day)s, reference %(reference)s") % values)
    tone: Tone = "open" if status in Withdrawal.PENDING else "" if is_returned else "done"
    return Row(act, title, SEPARATOR.join(filter(None, details)), str(STATUSES[status]), tone)


def _name_of_game(memo: str) -> str:
    """Return "Pool 61 for ₹50" for "Pool 61 · Pool 61 for ₹50"."""
    game, _separator, table = named(memo).partition(PARTS)
    return table if table.startswith(game) else named(memo)


def _status_at(withdrawal: Withdrawal, until: datetime | None) -> Withdrawal.Status:
    if until is None or (withdrawal.closed_at and withdrawal.closed_at < until):
        return Withdrawal.Status(withdrawal.status)
    if withdrawal.decided_at and withdrawal.decided_at < until:
        return Withdrawal.Status.APPROVED
    return Withdrawal.Status.REQUESTED


def _aside(act: Act, facts: _Facts) -> list[str]:
    """Return what taxes and debts took of an amount, or added to it."""
    currency = act.money.currency.code

    def moved(kind: Account.Kind) -> Money:
        minor = sum(facts.aside.get((part.transfer.pk, kind), 0) for part in act.parts)
        return as_money(minor, currency)

    gst, tax, debt = (moved(kind) for kind in ASIDE)
    texts = []
    if gst:
        paid = act.money + gst + debt
        values = {"paid": _unsigned(paid), "tax": _unsigned(gst)}
        texts.append(_("%(paid)s paid, less %(tax)s GST") % values)
    if tax.amount > 0:
        sent = {"sent": _unsigned(act.money + tax), "tax": _unsigned(tax)}
        texts.append(_("%(sent)s to your bank, %(tax)s tax withheld") % sent)
    if debt.amount > 0:
        texts.append(_("%(amount)s of your debt paid") % {"amount": _unsigned(debt)})
    elif debt.amount < 0:
        texts.append(_("%(amount)s still owed") % {"amount": _unsigned(debt)})
    return texts


def _unsigned(money: Money) -> str:
    return as_text(abs(money))
