"""Match the lines of bank statements with payouts and settlements by their references.

A line may contain a payout's short reference or the bank's reference, or a settlement's gateway
reference or UTR. Each payout and settlement is matched once over all statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from django.db.models import Q, QuerySet
from django.db.models.functions import Upper

from finance.matching.statement_lines import StatementLine
from wallet.gateways.models import GatewaySettlement
from wallet.ledger.money import as_money
from wallet.withdrawals.models import Withdrawal

MATCHED, AMOUNT_DIFFERS = "matched", "amount differs"
# A debit without a payout; a credit without a settlement or payout; a paid payout or a settlement
# without a line.
MISSING_OURS, CREDIT, MISSING_THEIRS = "missing ours", "credit", "missing theirs"
# A debit for a payout recorded as failed; a credit for a payout not recorded as failed.
NOTED_AS_REFUSED, CAME_BACK = "noted as refused", "came back"
# A second line for the same payout or settlement, in this or an earlier statement.
PAID_TWICE = "paid twice"
OUTCOMES = (
    *(MATCHED, AMOUNT_DIFFERS, MISSING_OURS, CREDIT),
    *(MISSING_THEIRS, NOTED_AS_REFUSED, CAME_BACK, PAID_TWICE),
)
One = TypeVar("One", Withdrawal, GatewaySettlement)
# Return the lines of other statements with one of these amounts in minor units.
Elsewhere = Callable[[Collection[int]], Sequence[StatementLine]]


@dataclass(frozen=True)
class Match:
    """A line with its payout or settlement; one of the two sides may be missing."""

    outcome: str
    line: StatementLine | None
    withdrawal: Withdrawal | None = None
    settlement: GatewaySettlement | None = None

    @property
    def ours(self) -> Decimal | None:
        """Return the amount expected on the bank account; debits are negative."""
        if self.withdrawal is not None:
            return -self.withdrawal.payout.amount
        if self.settlement is not None:
            return net_of(self.settlement)
        return None

    @property
    def currency(self) -> str:
        found = self.line or self.withdrawal or self.settlement
        assert found is not None, "a match has a line, a payout or a settlement"
        return found.currency

    @property
    def status(self) -> str:
        found = self.withdrawal or self.settlement
        return found.status if found is not None else ""


def nowhere(amounts_minor: Collection[int]) -> Sequence[StatementLine]:
    """Return no lines; for a statement that is matched alone."""
    return ()


def matches(lines: Sequence[StatementLine], elsewhere: Elsewhere = nowhere) -> Iterator[Match]:
    """Yield a match for each line, then for payouts and settlements of these days without one.

    Lines of other statements are considered too: a bank may debit a payout on the day before it is
    recorded as paid, or debit it again a week later.
    """
    payouts, settlements = _payouts(lines), _settlements(lines)
    due_payouts, due_settlements = _due_payouts(lines), _due_settlements(lines)
    walk = _Walk(_by_name(due_payouts) | payouts, _by_name(due_settlements) | settlements)
    others = walk.naming(elsewhere(walk.amounts_minor()))
    first = min(line.day for line in lines)
    earlier = [line for line in others if line.day < first]
    found = walk.along([*earlier, *lines, *others[len(earlier) :]])
    yield from found[len(earlier) : len(earlier) + len(lines)]
    for payout in due_payouts:
        if payout.pk not in walk.debited:
            yield Match(MISSING_THEIRS, None, payout)
    for settlement in due_settlements:
        if settlement.pk not in walk.settled:
            yield Match(MISSING_THEIRS, None, settlement=settlement)


class _Walk:
    """Matches lines in the order of their days and records what is already matched."""

    def __init__(
        self, payouts: dict[str, Withdrawal], settlements: dict[str, GatewaySettlement]
    ) -> None:
        self.payouts, self.settlements = payouts, settlements
        # The number of debits less credits of each payout.
        self.paid = Counter[int]()
        self.debited, self.came_back = set[int](), set[int]()
        self.settled, self.credited = set[int](), set[int]()

    def amounts_minor(self) -> set[int]:
        """Return the amounts that lines of these payouts and settlements may have."""
        paid = {one.payout_minor for one in self.payouts.values()}
        return {*paid, *(-minor for minor in paid)} | {
            one.net_minor for one in self.settlements.values()
        }

    def naming(self, lines: Sequence[StatementLine]) -> list[StatementLine]:
        """Return lines with one of the references, without duplicates from overlapping files."""
        known: dict[str, Withdrawal | GatewaySettlement] = {**self.payouts, **self.settlements}
        found: dict[Any, StatementLine] = {}
        for line in lines:
            if named := frozenset(known[name] for name in line.references & known.keys()):
                found.setdefault((line.day, line.amount, named), line)
        return sorted(found.values(), key=lambda line: line.day)

    def along(self, lines: Sequence[StatementLine]) -> list[Match]:
        self.came_back = {
            one.pk
            for line in lines
            if line.amount > 0
            for one in self._payouts_of(line)
            if _agrees(line, one)
        }
        return [self._of_payout(line) or self._of_settlement(line) for line in lines]

    def _payouts_of(self, line: StatementLine) -> list[Withdrawal]:
        return [self.payouts[name] for name in line.references & self.payouts.keys()]

    def _of_payout(self, line: StatementLine) -> Match | None:
        of = self._payouts_of(line)
        left = [one for one in of if line.amount > 0 or self.paid[one.pk] < 1]
        # Prefer the first with this amount.
        withdrawal = min(left, key=lambda one: (not _agrees(line, one), one.pk), default=None)
        if withdrawal is None:
            again = next((one for one in of if _agrees(line, one)), None)
            return None if again is None else Match(PAID_TWICE, line, again)
        if line.amount < 0:
            self.debited.add(withdrawal.pk)
            self.paid[withdrawal.pk] += 1
        elif _agrees(line, withdrawal):
            self.paid[withdrawal.pk] -= 1
        return Match(_outcome(line, withdrawal, self.came_back), line, withdrawal)

    def _of_settlement(self, line: StatementLine) -> Match:
        names = line.references & self.settlements.keys()
        of = {self.settlements[name].pk: self.settlements[name] for name in names}
        pays = partial(_pays, line)
        left = [one for one in of.values() if one.pk not in self.settled]
        settlement = min(left, key=lambda one: (not pays(one), one.pk), default=None)
        if settlement is None:
            for one in of.values():
                if one.pk in self.credited and pays(one):
                    return Match(PAID_TWICE, line, settlement=one)
            return Match(CREDIT if line.amount > 0 else MISSING_OURS, line)
        self.settled.add(settlement.pk)
        if not pays(settlement):
            return Match(AMOUNT_DIFFERS, line, settlement=settlement)
        self.credited.add(settlement.pk)
        return Match(MATCHED, line, settlement=settlement)


def net_of(settlement: GatewaySettlement) -> Decimal:
    return as_money(settlement.net_minor, settlement.currency).amount


def _pays(line: StatementLine, settlement: GatewaySettlement) -> bool:
    return (line.amount, line.currency) == (net_of(settlement), settlement.currency)


def _due_payouts(lines: Sequence[StatementLine]) -> list[Withdrawal]:
    """Return the payouts recorded as paid on the days of these lines."""
    paid = Withdrawal.objects.filter(status=Withdrawal.Status.PAID, **_like(lines))
    return list(paid.filter(closed_at__date__range=_days(lines)).order_by("pk"))


def _due_settlements(lines: Sequence[StatementLine]) -> list[GatewaySettlement]:
    standing = _standing().filter(**_like(lines))
    return list(standing.filter(settled_on__range=_days(lines)).order_by("pk"))


def _days(lines: Sequence[StatementLine]) -> tuple[date, date]:
    days = [line.day for line in lines]
    return min(days), max(days)


def _like(lines: Sequence[StatementLine]) -> dict[str, set[str]]:
    return {"currency__in": {line.currency for line in lines}}


def _standing() -> QuerySet[GatewaySettlement]:
    standing: QuerySet[GatewaySettlement] = GatewaySettlement.objects.exclude(
        status=GatewaySettlement.Status.REJECTED
    )
    return standing


def _settlements(lines: Sequence[StatementLine]) -> dict[str, GatewaySettlement]:
    """Return the settlements with a reference in these lines, by each of their references."""
    names = set().union(*(line.references for line in lines))
    found = _standing().annotate(theirs=Upper("reference"), banks=Upper("bank_reference"))
    known = found.filter(Q(theirs__in=names) | Q(banks__in=names)).order_by("pk")
    return _by_name(known)


def _payouts(lines: Sequence[StatementLine]) -> dict[str, Withdrawal]:
    """Return the payouts with a reference in these lines, by each of their references."""
    names = set().union(*(line.references for line in lines))
    sent = Withdrawal.objects.filter(batch__isnull=False).with_short_reference()
    known = sent.filter(Q(reference__in=names) | Q(bank_reference__in=names)).order_by("pk")
    return _by_name(known)


def _by_name(known: Iterable[One]) -> dict[str, One]:
    """Return payouts or settlements by each of their references, in capitals."""
    found: dict[str, One] = {}
    for one in known:
        name = one.short_reference if isinstance(one, Withdrawal) else one.reference
        found[name.upper()] = one
        if one.bank_reference:
            found[one.bank_reference.upper()] = one
    return found


def _outcome(line: StatementLine, withdrawal: Withdrawal, came_back: Collection[int]) -> str:
    if not _agrees(line, withdrawal):
        return AMOUNT_DIFFERS
    is_refused = withdrawal.status == Withdrawal.Status.FAILED
    if line.amount > 0:
        return MATCHED if is_refused else CAME_BACK
    # A debit that the bank has reversed counts as never sent.
    return NOTED_AS_REFUSED if is_refused and withdrawal.pk not in came_back else MATCHED


def _agrees(line: StatementLine, withdrawal: Withdrawal) -> bool:
    """Return whether a debit or credit has a payout's amount and currency."""
    ours = as_money(withdrawal.payout_minor, withdrawal.currency)
    return (abs(line.amount), line.currency) == (ours.amount, withdrawal.currency)
