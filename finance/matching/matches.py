"""Match the lines of bank statements with payouts and settlements by their references.

A line may contain a payout's short reference or the bank's reference, or a settlement's gateway
reference or UTR. Each payout and settlement is matched once over all statements. Lines are read in
chunks, so that memory does not grow with the text of a statement.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, Protocol

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Replace, Upper

from finance.matching.models import GatewayLine
from wallet.gateways.models import GatewaySettlement
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
# The payouts are read once for each chunk.
CHUNK: Final = 20_000
UNMET: Final = 5_000
# The length of a payout's short reference.
SHORT: Final = 16
# A bank's reference as the unique index of withdrawals compares it.
PLAIN: Final = Upper(Replace("bank_reference", Value(" "), Value("")))


class BankRow(NamedTuple):
    """A line to match; debits are negative. `statement` is the key of its statement."""

    statement: int
    number: int
    day: date
    amount_minor: int
    references: Sequence[str]
    text: str
    valued_on: date
    # It is of another statement that covers the same days, perhaps of the same account.
    may_repeat: bool = False


class Expected(NamedTuple):
    """A payout or settlement, with its signed amount on the bank account and its references."""

    kind: Literal["payout", "settlement"]
    pk: int
    # The public id of a payout, or the gateway's reference of a settlement.
    label: str
    amount_minor: int
    status: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int]:
        return self.kind, self.pk


class Match(NamedTuple):
    """A line with its payout or settlement; one of the two sides may be missing."""

    outcome: str
    line: BankRow | None
    expected: Expected | None = None


class Naming(Protocol):
    """Finds the lines of other statements, or of this one too, by any of their references."""

    def __call__(self, names: Collection[str], *, with_own: bool) -> Sequence[BankRow]: ...


def matches(
    lines: Iterable[BankRow],
    naming: Naming,
    *,
    currency: str,
    statement: int,
    days: tuple[date, date],
) -> Iterator[Match]:
    """Yield a match for each line, then for payouts and settlements of these days without one.

    `lines` are those of one statement by their days. Lines of other statements are considered too:
    a bank may debit a payout on the day before it is recorded as paid, or again a week later.
    """
    walk = _Walk(naming, statement)
    rows = iter(lines)
    while chunk := list(islice(rows, CHUNK)):
        found = _named({name for line in chunk for name in line.references}, currency)
        yield from walk.along(chunk, found)
    for part in _due(currency, days, walk.met):
        list(walk.along((), part))
        yield from (Match(MISSING_THEIRS, None, one) for one in part if one.key not in walk.met)


class _Walk:
    """Matches lines in the order of their days and records what is already matched."""

    def __init__(self, naming: Naming, statement: int) -> None:
        self.naming, self.statement = naming, statement
        # Debits less credits of each payout, or credits of each settlement, of its own amount.
        self.paid = Counter[tuple[str, int]]()
        # Payouts with a debit, and settlements with a line, whatever its amount.
        self.met = set[tuple[str, int]]()
        # Lines of other statements that are already considered.
        self.considered = set[tuple[int, int]]()

    def along(self, chunk: Sequence[BankRow], found: Iterable[Expected]) -> Iterator[Match]:
        """Yield the matches of these lines with what they may name."""
        by_name = {name: one for one in found for name in one.names}
        others = self._others(by_name, chunk)
        returned = self._returned(by_name)
        for line in sorted([*chunk, *others], key=attrgetter("day", "statement", "number")):
            named = (by_name[name] for name in line.references if name in by_name)
            match = self._match(line, list(dict.fromkeys(named)), returned)
            if line.statement == self.statement:
                yield match

    def _others(self, by_name: dict[str, Expected], own: Sequence[BankRow]) -> list[BankRow]:
        """Return the lines of other statements, without repetitions from overlapping files."""
        found: dict[object, BankRow] = {}
        known: set[object] | None = None
        for line in self.naming(by_name, with_own=False):
            place = (line.statement, line.number)
            if place in self.considered:
                continue
            self.considered.add(place)
            named = _keys(line, by_name)
            if line.may_repeat:
                known = known or {(one.amount_minor, _keys(one, by_name)) for one in own}
                if (line.amount_minor, named) in known:
                    continue
            found.setdefault((line.day, line.amount_minor, named), line)
        return list(found.values())

    def _returned(self, by_name: dict[str, Expected]) -> set[tuple[str, int]]:
        """Return the failed payouts that the bank has credited again."""
        failed = [name for name, one in by_name.items() if one.status == Withdrawal.Status.FAILED]
        return {
            by_name[name].key
            for line in (self.naming(failed, with_own=True) if failed else ())
            for name in line.references
            if name in by_name and line.amount_minor == -by_name[name].amount_minor
        }

    def _match(
        self, line: BankRow, named: list[Expected], returned: Collection[tuple[str, int]]
    ) -> Match:
        payouts = [one for one in named if one.kind == "payout"]
        settlements = [one for one in named if one.kind == "settlement"]
        left = [one for one in payouts if line.amount_minor > 0 or self.paid[one.key] < 1]
        if payout := min(left, key=lambda one: (not _agrees(line, one), one.pk), default=None):
            return self._of_payout(line, payout, returned)
        unmet = [one for one in settlements if one.key not in self.met]
        if settlement := min(unmet, key=lambda one: (not _pays(line, one), one.pk), default=None):
            self.met.add(settlement.key)
            self.paid[settlement.key] += _pays(line, settlement)
            return Match(MATCHED if _pays(line, settlement) else AMOUNT_DIFFERS, line, settlement)
        again = [one for one in payouts if _agrees(line, one)]
        again += [one for one in settlements if self.paid[one.key] and _pays(line, one)]
        if again:
            return Match(PAID_TWICE, line, again[0])
        return Match(CREDIT if line.amount_minor > 0 else MISSING_OURS, line)

    def _of_payout(
        self, line: BankRow, payout: Expected, returned: Collection[tuple[str, int]]
    ) -> Match:
        agrees, is_failed = _agrees(line, payout), payout.status == Withdrawal.Status.FAILED
        if line.amount_minor < 0:
            self.met.add(payout.key)
            self.paid[payout.key] += 1
        elif agrees:
            self.paid[payout.key] -= 1
        if not agrees:
            return Match(AMOUNT_DIFFERS, line, payout)
        if line.amount_minor > 0:
            return Match(MATCHED if is_failed else CAME_BACK, line, payout)
        # A debit that the bank has reversed counts as never sent.
        is_refused = is_failed and payout.key not in returned
        return Match(NOTED_AS_REFUSED if is_refused else MATCHED, line, payout)


def _keys(line: BankRow, by_name: dict[str, Expected]) -> frozenset[tuple[str, int]]:
    """Return the payouts and settlements that a line names."""
    return frozenset(by_name[name].key for name in line.references if name in by_name)


def _agrees(line: BankRow, payout: Expected) -> bool:
    """Return whether a debit or credit has a payout's amount."""
    return abs(line.amount_minor) == -payout.amount_minor


def _pays(line: BankRow, settlement: Expected) -> bool:
    return line.amount_minor == settlement.amount_minor


def _named(names: Collection[str], currency: str) -> Iterator[Expected]:
    """Yield what has one of these references, in the order of its rows."""
    sent = Withdrawal.objects.filter(batch__isnull=False, currency=currency)
    short = [name for name in names if len(name) == SHORT]
    yield from _payouts(sent.with_short_reference().filter(_is_any(F("reference"), short)))
    paid = sent.exclude(bank_reference="")
    yield from _payouts(paid.filter(_is_any(PLAIN, names)))
    own, bank = (_is_any(Upper(name), names) for name in ("reference", "bank_reference"))
    # A settlement that was sent again has further bank references in its lines.
    lines = GatewayLine.objects.filter(_is_any(Upper("bank_reference"), names))
    again = lines.exclude(bank_reference="").values_list("settlement", flat=True).distinct()
    by_name = Q(own) | Q(bank) | Q(reference__in=list(again))
    yield from _settlements(_standing(currency).filter(by_name))


def _is_any(column: Any, names: Collection[str]) -> Func:
    """Return `column = ANY(names)`, which PostgreSQL hashes, however many names there are."""
    return Func(
        column,
        Value(list(names), ArrayField(TextField())),
        arg_joiner=" = ANY(",
        template="%(expressions)s)",
        output_field=BooleanField(),
    )


def _due(
    currency: str, days: tuple[date, date], met: Collection[tuple[str, int]]
) -> Iterator[list[Expected]]:
    """Yield the payouts recorded as paid, and the settlements, of these days that are not met."""
    paid = Withdrawal.objects.filter(status=Withdrawal.Status.PAID, currency=currency)
    paid = paid.filter(closed_at__date__range=days)
    settled = _standing(currency).filter(settled_on__range=days)
    for keys in _unmet(paid, "payout", met):
        yield list(_payouts(paid.filter(pk__in=keys).order_by("pk")))
    for keys in _unmet(settled, "settlement", met):
        yield list(_settlements(settled.filter(pk__in=keys).order_by("pk")))


def _unmet(rows: QuerySet[Any], kind: str, met: Collection[tuple[str, int]]) -> Iterator[list[int]]:
    """Yield the keys of rows that are not met, in chunks."""
    keys = rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=CHUNK)
    left = (pk for pk in keys if (kind, pk) not in met)
    while chunk := list(islice(left, UNMET)):
        yield chunk


def _standing(currency: str) -> QuerySet[GatewaySettlement]:
    standing: QuerySet[GatewaySettlement] = GatewaySettlement.objects.filter(currency=currency)
    return standing.exclude(status=GatewaySettlement.Status.REJECTED)


def _payouts(found: QuerySet[Withdrawal]) -> Iterator[Expected]:
    columns = ("pk", "public_id", "moved_minor", "status", "reference", "bank_reference")
    amount = F("tax_minor") - F("deposit_minor") - F("winnings_minor")
    rows = found.with_short_reference().annotate(moved_minor=amount)  # type: ignore[attr-defined]
    for pk, public_id, minor, status, *named in rows.values_list(*columns):
        yield Expected("payout", pk, str(public_id), minor, status, _names(*named))


def _settlements(found: QuerySet[GatewaySettlement]) -> Iterator[Expected]:
    settlements = list(found)
    known = [one.reference for one in settlements]
    settled = GatewayLine.objects.filter(settlement__in=known).exclude(bank_reference="")
    banks: dict[tuple[str, str], set[str]] = defaultdict(set)
    columns = ("file__provider", "settlement", "bank_reference")
    for provider, reference, bank in settled.values_list(*columns).distinct():
        banks[provider, reference].add(bank)
    for one in settlements:
        again = sorted(banks[one.provider, one.reference])
        names = _names(one.reference, one.bank_reference, *again)
        yield Expected("settlement", one.pk, one.reference, one.net_minor, one.status, names)


def _names(*references: str) -> tuple[str, ...]:
    plain = ("".join(reference.upper().split()) for reference in references)
    return tuple(dict.fromkeys(filter(None, plain)))
