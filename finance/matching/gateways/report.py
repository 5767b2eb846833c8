"""The report that compares a gateway file with the ledger.

Lines are matched by the gateway's reference of a payment or refund, on any booking day up to the
end of `to`. Ledger entries are missing in the file if they were booked on its days and no earlier
file reports them: a payment just before midnight is in one day's file and booked on the next day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypedDict, get_type_hints
from uuid import UUID

from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from finance.matching.gateways.settlements import settled_lines
from finance.matching.models import GatewayFile, GatewayLine
from finance.reports.frame.report import CHUNK, START, Position, Question, Report, Row, Totals
from wallet.deposits.models import StaffTask
from wallet.deposits.payment_models import GatewayPayment
from wallet.gateways.models import GatewaySettlement
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money

What = GatewayLine.What
MATCHED, DIFFERS = "matched", "amount differs"
MISSING_OURS, MISSING_THEIRS = "missing ours", "missing theirs"
OUTCOMES = {
    MATCHED: "matched",
    DIFFERS: "amount_differs",
    MISSING_OURS: "missing_ours",
    MISSING_THEIRS: "missing_theirs",
}


class GatewayReconciliationRow(TypedDict):
    """A line of the file with its ledger entry; one of the two may be missing.

    `theirs` is the file's amount, `ours` the ledger's. `outcome` is `matched`, `amount differs`,
    `missing ours` (not in the ledger) or `missing theirs` (not in the file).
    """

    outcome: str
    what: str
    reference: str
    payment: str | None
    line: int | None
    their_day: date | None
    their_time: datetime | None
    currency: str
    theirs_minor: int | None
    ours_minor: int | None
    difference_minor: int
    theirs: Decimal | None
    ours: Decimal | None
    transfer: UUID | None
    key: str | None
    booked_on: date | None


SUMS = ("theirs_minor", "ours_minor", "difference_minor")
# Positions: first the lines of the file, then ledger entries without a line.
LINES, OURS = 1, 2


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    file = GatewayFile.objects.get(sha256=question.file)
    part, last = after
    page: list[tuple[Position, Row]] = []
    if part != OURS:
        lines = list(_lines(file, question).filter(pk__gt=last)[:size])
        page = [((LINES, line.pk), row) for line, row in _held_against(lines, file, question)]
    if len(page) < size:
        since = last if part == OURS else 0
        left_out = _left_out(file, question).filter(pk__gt=since).order_by("pk")
        page += [((OURS, entry.pk), _our_row(entry)) for entry in left_out[: size - len(page)]]
    return page


def totals(question: Question) -> Totals:
    """Return the number of rows by outcome, the sums of both sides and their difference."""
    return summed(walk(question))


def walk(question: Question) -> Iterator[Row]:
    """Yield all rows."""
    after = START
    while found := page(question, after, CHUNK):
        yield from (row for _, row in found)
        after = found[-1][0]


def summed(rows: Iterable[Row]) -> Totals:
    """Add rows up by currency."""
    sums: Totals = {}
    for row in rows:
        none = dict.fromkeys([*OUTCOMES.values(), *SUMS], 0)
        total = sums.setdefault(row["currency"], none)
        total[OUTCOMES[row["outcome"]]] += 1
        for name in SUMS:
            total[name] += row[name] or 0
    return dict(sorted(sums.items()))


def _lines(file: GatewayFile, question: Question) -> QuerySet[GatewayLine]:
    lines = file.lines.filter(day__lte=question.period.last).order_by("pk")
    if question.period.first is not None:
        lines = lines.filter(day__gte=question.period.first)
    return lines


def ours(provider: str, entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Return a gateway's clearing entries, with `what` (payment or refund) and `called`.

    `called` is the gateway's reference, `of_payment` that of the refunded or disputed payment.
    """
    paid = Q(transfer__gateway_payment__provider=provider)
    undone = Q(transfer__reverses__gateway_payment__provider=provider)
    # A refund or dispute that the gateway reported.
    taken_back = Q(transfer__payment_return__provider=provider)
    # For a refund made by staff, the memo has the gateway's reference.
    sent_back = Q(
        transfer__document=Transfer.Document.TASK,
        transfer__document_id__in=StaffTask.objects.filter(
            transfer__gateway_payment__provider=provider
        ).values("pk"),
    )
    return (
        entries.filter(
            paid | undone | sent_back | taken_back, account__kind=Account.Kind.GATEWAY_CLEARING
        )
        .annotate(
            what=Case(When(paid, then=Value(What.PAYMENT)), default=Value(What.REFUND)),
            called=Case(
                When(paid, then=F("transfer__gateway_payment__reference")),
                When(undone, then=F("transfer__reverses__gateway_payment__reference")),
                When(taken_back, then=F("transfer__payment_return__reference")),
                default=F("transfer__memo"),
            ),
            # Some files identify a refund or dispute only by its payment.
            of_payment=Coalesce(
                "transfer__payment_return__payment__reference", Value(""), output_field=CharField()
            ),
        )
        .select_related("transfer")
    )


def _held_against(
    lines: Sequence[GatewayLine], file: GatewayFile, question: Question
) -> Iterable[tuple[GatewayLine, Row]]:
    # An entry that matched an earlier line, perhaps on another page, is not matched again.
    before = _of_the_same_money(lines, file, question)
    known = _known([*before, *lines], file, question)
    corrected = _corrected(lines, file, question)
    taken: set[int] = set()
    for line in [*before, *lines]:
        by = [(line.what, line.reference), (line.what, line.payment_reference)]
        found = (known[name] for name in by if name in known)
        # Two refund lines of one payment need two entries.
        entry = next((one for one in found if one.pk not in taken), None)
        taken |= {entry.pk} if entry is not None else set()
        if line.pk >= lines[0].pk:
            transfer = corrected.get(line.settlement) if line.what == What.OTHER else None
            row = _their_row(line, entry)
            yield line, {**row, **_as_booked(line, transfer)} if transfer else row


def _corrected(
    lines: Sequence[GatewayLine], file: GatewayFile, question: Question
) -> dict[str, Transfer]:
    """Return the transfers that booked the gateway's own corrections, by settlement.

    A settlement has one transfer for all its corrections. It is left out if its lines, in this file
    and further pages, have another sum.
    """
    names = {line.settlement for line in lines if line.what == What.OTHER} - {""}
    if not names:
        return {}
    booked = GatewaySettlement.objects.filter(
        provider=file.provider,
        reference__in=names,
        transfer__xid__lt=question.horizon,
        transfer__booked_on__lte=question.period.last,
    ).select_related("transfer")
    sums = settled_lines(file).filter(what=What.OTHER, settlement__in=names).order_by()
    reported = dict(sums.values_list("settlement").annotate(Sum("amount_minor")))
    return {
        one.reference: one.transfer
        for one in booked
        if one.transfer is not None and one.other_minor == reported[one.reference]
    }


def _as_booked(line: GatewayLine, transfer: Transfer) -> Row:
    return {
        "outcome": MATCHED,
        "ours_minor": line.amount_minor,
        "difference_minor": 0,
        "ours": as_money(line.amount_minor, line.currency).amount,
        "transfer": transfer.public_id,
        "key": transfer.key,
        "booked_on": transfer.booked_on,
    }


def _of_the_same_money(
    lines: Sequence[GatewayLine], file: GatewayFile, question: Question
) -> list[GatewayLine]:
    """Return earlier lines that may match the same entry as one of these lines."""
    names = {name for line in lines if not _is_payment(line) for name in _names(line)}
    if not names:
        return []
    earlier = _lines(file, question).filter(pk__lt=lines[0].pk).exclude(what=What.PAYMENT)
    return list(earlier.filter(Q(reference__in=names) | Q(payment_reference__in=names)))


def _names(line: GatewayLine) -> set[str]:
    return {line.reference, line.payment_reference} - {""}


def _known(
    lines: Sequence[GatewayLine], file: GatewayFile, question: Question
) -> dict[tuple[str, str], Entry]:
    """Return the ledger entries that may match these lines, by `what` and reference."""
    entries = question.entries_until()
    paid = [line.reference for line in lines if _is_payment(line)]
    booked = GatewayPayment.objects.filter(provider=file.provider, reference__in=paid)
    found = list(ours(file.provider, entries.filter(transfer__in=booked.values("transfer"))))
    others = [line for line in lines if not _is_payment(line)]
    if others:
        names = {name for line in others for name in _names(line)}
        by_name = Q(called__in=names) | Q(of_payment__in=names)
        refunds = ours(file.provider, entries).filter(by_name, what=What.REFUND)  # type: ignore[misc]  # Annotated.
        found += refunds.order_by("-pk")
    by_payment = {(one.what, one.of_payment): one for one in found if one.of_payment}  # type: ignore[attr-defined]
    return by_payment | {(one.what, one.called): one for one in found}  # type: ignore[attr-defined]


def _is_payment(line: GatewayLine) -> bool:
    return line.what == What.PAYMENT


def _left_out(file: GatewayFile, question: Question) -> QuerySet[Entry]:
    """Return ledger entries on the file's days that no file reports, up to this one.

    Other pages of its settlements count as well.
    """
    if file.first_day is None:
        return Entry.objects.none()
    days = {"booked_on__gte": file.first_day, "booked_on__lte": file.last_day}
    within = question.entries().filter(**{f"transfer__{name}": day for name, day in days.items()})
    settled = file.lines.exclude(settlement="").values("settlement")
    reported = GatewayLine.objects.filter(
        Q(file__lte=file.pk) | Q(settlement__in=settled),
        Q(reference=OuterRef("called"))
        | Q(payment_reference=OuterRef("called"))
        | Q(payment_reference=OuterRef("of_payment")) & ~Q(payment_reference=""),
        file__provider=file.provider,
        what=OuterRef("what"),
    )
    return ours(file.provider, within).filter(~Exists(reported))


def _their_row(line: GatewayLine, entry: Entry | None) -> Row:
    row = _row(line.what, line.currency, theirs=line.amount_minor, entry=entry)
    return row | {
        "reference": line.reference,
        "payment": line.payment_reference or None,
        "line": line.number,
        "their_day": line.day,
        "their_time": line.at,
    }


def _our_row(entry: Entry) -> Row:
    what, called = entry.what, entry.called  # type: ignore[attr-defined]  # Annotated by `ours`.
    row = _row(what, entry.currency, theirs=None, entry=entry)
    return row | {"reference": called, "payment": called if what == What.PAYMENT else None}


def _row(what: str, currency: str, *, theirs: int | None, entry: Entry | None) -> dict[str, Any]:
    # Money held by the gateway is a debit of its clearing account.
    mine = -entry.amount_minor if entry is not None and entry.currency == currency else None
    outcome = MATCHED if theirs == mine else DIFFERS
    if entry is None or theirs is None:
        outcome = MISSING_OURS if entry is None else MISSING_THEIRS
    values: dict[str, Any] = dict.fromkeys(get_type_hints(GatewayReconciliationRow)) | {
        "outcome": outcome,
        "what": what,
        "currency": currency,
        "theirs_minor": theirs,
        "ours_minor": mine,
        "difference_minor": (theirs or 0) - (mine or 0),
        "theirs": None if theirs is None else as_money(theirs, currency).amount,
        "ours": None if mine is None else as_money(mine, currency).amount,
    }
    if entry is not None:
        transfer = entry.transfer
        values |= {
            "transfer": transfer.public_id,
            "key": transfer.key,
            "booked_on": transfer.booked_on,
        }
    return values


GATEWAY_RECONCILIATION = Report(
    "gateway-reconciliation",
    "Gateway reconciliation",
    GatewayReconciliationRow,
    page,
    totals,
    any_zone=False,
    is_file=lambda sha256: GatewayFile.objects.filter(sha256=sha256).exists(),
)
