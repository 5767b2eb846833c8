"""A bank's statement against payouts and settlements, by the references that the bank carries.

A payout is known by its short reference or by the bank's, a settlement by the gateway's reference
or by the bank's (UTR), whichever the line names; each is matched once in a statement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial

from django.db.models import Q, QuerySet
from django.db.models.functions import Upper

from finance.bank.statement_lines import StatementLine
from wallet.ledger.money import as_money
from wallet.payments.settlement_models import GatewaySettlement
from wallet.payments.withdrawal_models import Withdrawal

MATCHED, AMOUNT_DIFFERS = "matched", "amount differs"
# A debit that names nothing of ours; a credit that names nothing of ours; a payout noted as paid,
# or a settlement, that is not there.
MISSING_OURS, CREDIT, MISSING_THEIRS = "missing ours", "credit", "missing theirs"
# A debit for a payout whose money is back in the wallet; a credit for one whose money is not.
NOTED_AS_REFUSED, CAME_BACK = "noted as refused", "came back"
OUTCOMES = (
    *(MATCHED, AMOUNT_DIFFERS, MISSING_OURS, CREDIT),
    *(MISSING_THEIRS, NOTED_AS_REFUSED, CAME_BACK),
)


@dataclass(frozen=True)
class Match:
    """A line and what it pays; or something of ours that no line names."""

    outcome: str
    line: StatementLine | None
    withdrawal: Withdrawal | None = None
    settlement: GatewaySettlement | None = None

    @property
    def ours(self) -> Decimal | None:
        """Return what we expect on the bank's account."""
        if self.withdrawal is not None:
            return -self.withdrawal.payout.amount
        if self.settlement is not None:
            return net_of(self.settlement)
        return None

    @property
    def currency(self) -> str:
        found = self.line or self.withdrawal or self.settlement
        assert found is not None, "a match is of a line or of something of ours"
        return found.currency

    @property
    def status(self) -> str:
        found = self.withdrawal or self.settlement
        return found.status if found is not None else ""


def matches(lines: Sequence[StatementLine]) -> Iterator[Match]:
    """Yield each line with what it pays, then what is ours in these days and no line names."""
    payouts, settlements = _payouts(lines), _settlements(lines)
    named = [[payouts[name] for name in line.references & payouts.keys()] for line in lines]
    came_back = {
        one.pk
        for line, of in zip(lines, named, strict=True)
        for one in of
        if line.amount > 0 and _agrees(line, one)
    }
    sent, settled = set[int](), set[int]()
    for line, of in zip(lines, named, strict=True):
        left = [one for one in of if line.amount > 0 or one.pk not in sent]
        # Of several, the first with this amount.
        withdrawal = min(left, key=lambda one: (not _agrees(line, one), one.pk), default=None)
        if withdrawal is None:
            yield _of_settlement(line, settlements, settled)
            continue
        if line.amount < 0:
            sent.add(withdrawal.pk)
        yield Match(_outcome(line, withdrawal, came_back), line, withdrawal)
    yield from _unnamed(lines, sent, settled)


def net_of(settlement: GatewaySettlement) -> Decimal:
    return as_money(settlement.net_minor, settlement.currency).amount


def _of_settlement(
    line: StatementLine, known: dict[str, GatewaySettlement], settled: set[int]
) -> Match:
    of = {known[name].pk: known[name] for name in line.references & known.keys()}
    left = [one for one in of.values() if one.pk not in settled]
    pays = partial(_pays, line)
    settlement = min(left, key=lambda one: (not pays(one), one.pk), default=None)
    if settlement is None:
        return Match(CREDIT if line.amount > 0 else MISSING_OURS, line)
    settled.add(settlement.pk)
    return Match(MATCHED if pays(settlement) else AMOUNT_DIFFERS, line, settlement=settlement)


def _pays(line: StatementLine, settlement: GatewaySettlement) -> bool:
    return (line.amount, line.currency) == (net_of(settlement), settlement.currency)


def _unnamed(
    lines: Sequence[StatementLine], sent: Collection[int], settled: Collection[int]
) -> Iterator[Match]:
    days: list[date] = [line.day for line in lines]
    within = (min(days), max(days))
    currencies = {line.currency for line in lines}
    payouts = Withdrawal.objects.filter(
        status=Withdrawal.Status.PAID, closed_at__date__range=within, currency__in=currencies
    ).exclude(pk__in=sent)
    for withdrawal in payouts.order_by("pk"):
        yield Match(MISSING_THEIRS, None, withdrawal)
    settlements = _standing().filter(settled_on__range=within, currency__in=currencies)
    for settlement in settlements.exclude(pk__in=settled).order_by("pk"):
        yield Match(MISSING_THEIRS, None, settlement=settlement)


def _standing() -> QuerySet[GatewaySettlement]:
    standing: QuerySet[GatewaySettlement] = GatewaySettlement.objects.exclude(
        status=GatewaySettlement.Status.REJECTED
    )
    return standing


def _settlements(lines: Sequence[StatementLine]) -> dict[str, GatewaySettlement]:
    """Return the settlements that a statement may name, by each of their references."""
    names = set().union(*(line.references for line in lines))
    found = _standing().annotate(theirs=Upper("reference"), banks=Upper("bank_reference"))
    known: dict[str, GatewaySettlement] = {}
    for one in found.filter(Q(theirs__in=names) | Q(banks__in=names)).order_by("pk"):
        known[one.reference.upper()] = one
        if one.bank_reference:
            known[one.bank_reference.upper()] = one
    return known


def _payouts(lines: Sequence[StatementLine]) -> dict[str, Withdrawal]:
    """Return the payouts that a statement may name, by each of their references."""
    names = set().union(*(line.references for line in lines))
    sent = Withdrawal.objects.filter(batch__isnull=False).with_short_reference()
    found: dict[str, Withdrawal] = {}
    for one in sent.filter(Q(reference__in=names) | Q(bank_reference__in=names)).order_by("pk"):
        found[one.short_reference] = one
        if one.bank_reference:
            found[one.bank_reference] = one
    return found


def _outcome(line: StatementLine, withdrawal: Withdrawal, came_back: Collection[int]) -> str:
    if not _agrees(line, withdrawal):
        return AMOUNT_DIFFERS
    is_refused = withdrawal.status == Withdrawal.Status.FAILED
    if line.amount > 0:
        return MATCHED if is_refused else CAME_BACK
    # What the bank sent and gave back is as good as never sent.
    return NOTED_AS_REFUSED if is_refused and withdrawal.pk not in came_back else MATCHED


def _agrees(line: StatementLine, withdrawal: Withdrawal) -> bool:
    """Return whether a line, of either direction, is of a payout's amount."""
    ours = as_money(withdrawal.payout_minor, withdrawal.currency)
    return (abs(line.amount), line.currency) == (ours.amount, withdrawal.currency)
