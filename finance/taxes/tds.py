"""Tax deducted at source (TDS) from winnings: by deduction, by quarter, and by player and year.

A deduction is reported on its `deducted_on`, which is 31 March for the settlement of a year,
whenever it is posted. A reversal is reported on its booking day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from finance.reports.frame.report import (
    CHUNK,
    START,
    Position,
    Question,
    Report,
    Row,
    Totals,
    Whole,
    figures,
)
from wallet.ledger.models import Transfer
from wallet.ledger.money import percent
from wallet.tax.arithmetic import financial_year, quarter, year_name
from wallet.tax.invoices.identity import TaxIdentity, tax_identities
from wallet.tax.invoices.models import TaxForm
from wallet.tax.models import TaxRate, Withholding

DEDUCTED, RETURNED = "deducted", "returned"
SUMS = ("winnings", "tax", "surcharge", "cess", "returned", "owed")


class TdsDeductionRow(TypedDict):
    """A deduction of TDS (`deducted`), or its reversal (`returned`) with negative amounts.

    `tax` includes `surcharge` and `cess`. `tax_number` is masked without the scope `tax-numbers`.
    """

    event: str
    year: str
    quarter: str
    return_form: str | None
    section: str | None
    payment_code: str | None
    payee: str
    player: UUID
    legal_name: str
    tax_number: str
    reason: str
    deducted_on: date
    booked_on: date
    rate: str
    currency: str
    winnings_minor: int
    winnings: Decimal
    tax_minor: int
    tax: Decimal
    surcharge_minor: int
    surcharge: Decimal
    cess_minor: int
    cess: Decimal
    transfer: UUID
    reverses: UUID | None


class _Sums(TypedDict):
    currency: str
    deductions: int
    winnings_minor: int
    winnings: Decimal
    tax_minor: int
    tax: Decimal
    surcharge_minor: int
    surcharge: Decimal
    cess_minor: int
    cess: Decimal
    returned_minor: int
    returned: Decimal
    owed_minor: int
    owed: Decimal


class _Quarter(TypedDict):
    year: str
    quarter: str
    return_form: str | None
    section: str | None
    payment_code: str | None
    payee: str
    players: int


class TdsQuarterRow(_Quarter, _Sums):
    """The sums of a quarter for one return, section and kind of payee.

    `owed` is the tax payable: `tax` less `returned`. `surcharge` and `cess` are parts of `owed`.
    """


class _Certificate(TypedDict):
    year: str
    certificate_form: str | None
    section: str | None
    payment_code: str | None
    payee: str
    player: UUID
    legal_name: str
    tax_number: str


class TdsCertificateRow(_Certificate, _Sums):
    """A player's sums of a financial year, and the tax payable of each quarter.

    `owed` is the tax payable: `tax` less `returned`. `surcharge` and `cess` are parts of `owed`.
    """

    tax_q1_minor: int
    tax_q2_minor: int
    tax_q3_minor: int
    tax_q4_minor: int


@dataclass(frozen=True)
class Event:
    """A deduction or its reversal."""

    transfer: Transfer
    row: Withholding
    person: TaxIdentity
    form: TaxForm | None

    @property
    def sign(self) -> int:
        return 1 if self.transfer.reverses_id is None else -1

    @property
    def day(self) -> date:
        return self.row.deducted_on if self.sign == 1 else self.transfer.booked_on

    @property
    def forms(self) -> tuple[str, str, str, str]:
        """Return the return form, section, payment code and certificate form, "" if unknown."""
        if (form := self.form) is None:
            return ("", "", "", "")
        return (form.return_form, form.section, form.payment_code, form.certificate_form)


def moved(question: Question) -> QuerySet[Transfer]:
    """Return the transfers that deducted tax in the period, and the reversals in it."""
    period = question.period
    days = {"deducted_on__lte": period.last}
    if period.first is not None:
        days["deducted_on__gte"] = period.first
    taxed = Withholding.objects.order_by().filter(tax_minor__gt=0)
    deducted = taxed.filter(transfer=OuterRef("pk"), **days)
    undone = taxed.filter(transfer=OuterRef("reverses"))
    return Transfer.objects.filter(
        Exists(deducted) | Q(Exists(undone), period.within(transfer="")),
        xid__lt=question.horizon,
    ).order_by("xid", "pk")


def events(question: Question, after: Position, size: int) -> list[Event]:
    later = Q(xid__gt=after[0]) | Q(xid=after[0], pk__gt=after[1])
    found = list(moved(question).filter(later, xid__gte=after[0])[:size])
    rows = {
        row.transfer_id: row
        for row in Withholding.objects.filter(
            transfer__in=[transfer.reverses_id or transfer.pk for transfer in found]
        ).select_related("player", "transfer")
    }
    people = tax_identities({row.player_id for row in rows.values()})
    forms = list(TaxForm.objects.filter(tax=TaxRate.Tax.TDS).order_by("-starts_on", "-pk"))
    made = []
    for transfer in found:
        row = rows[transfer.reverses_id or transfer.pk]
        person = people[row.player_id]
        form = next(
            (f for f in forms if f.payee == row.payee and f.starts_on <= row.deducted_on), None
        )
        made.append(Event(transfer, row, person, form))
    return made


def walk(question: Question) -> Iterator[Event]:
    after = START
    while found := events(question, after, CHUNK):
        yield from found
        after = (found[-1].transfer.xid, found[-1].transfer.pk)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    return [
        ((event.transfer.xid, event.transfer.pk), _row(event, question))
        for event in events(question, after, size)
    ]


def _row(event: Event, question: Question) -> Row:
    row, transfer = event.row, event.transfer
    return_form, section, payment_code, _ = event.forms
    return {
        "event": DEDUCTED if event.sign == 1 else RETURNED,
        "year": year_name(financial_year(event.day)),
        "quarter": _quarter(event.day),
        "return_form": return_form or None,
        "section": section or None,
        "payment_code": payment_code or None,
        "payee": row.payee,
        **_who(event, question),
        "reason": row.reason,
        "deducted_on": row.deducted_on,
        "booked_on": transfer.booked_on,
        "rate": percent(row.bps),
        "currency": row.currency,
        **figures(
            row.currency,
            winnings=event.sign * row.taxed_minor,
            tax=event.sign * row.tax_minor,
            surcharge=event.sign * row.surcharge_minor,
            cess=event.sign * row.cess_minor,
        ),
        "transfer": transfer.public_id,
        "reverses": row.transfer.public_id if event.sign == -1 and row.transfer else None,
    }


def _who(event: Event, question: Question) -> dict[str, Any]:
    person = event.person
    return {
        "player": event.row.player.public_id,
        "legal_name": person.legal_name,
        "tax_number": person.tax_number if question.shows_tax_numbers else person.masked,
    }


def _quarter(day: date) -> str:
    return f"Q{quarter(day)}"


def _added(sums: dict[str, int], event: Event) -> None:
    """Add an event to the sums."""
    row = event.row
    sums["winnings"] += event.sign * row.taxed_minor
    sums["tax" if event.sign == 1 else "returned"] += row.tax_minor
    # Parts of the tax payable, so a reversal is subtracted.
    sums["surcharge"] += event.sign * row.surcharge_minor
    sums["cess"] += event.sign * row.cess_minor
    sums["owed"] += event.sign * row.tax_minor
    sums["deductions"] += event.sign == 1


def _sums() -> dict[str, int]:
    return dict.fromkeys((*SUMS, "deductions"), 0)


def quarters(question: Question) -> list[Row]:
    """Return the sums by quarter, form, section, kind of payee and currency."""
    sums: dict[tuple[str, ...], dict[str, int]] = defaultdict(_sums)
    players: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for event in walk(question):
        year = year_name(financial_year(event.day))
        key = (year, _quarter(event.day), *event.forms[:3], event.row.payee, event.row.currency)
        _added(sums[key], event)
        players[key].add(event.row.player_id)
    names = ("year", "quarter", "return_form", "section", "payment_code", "payee", "currency")
    return [
        {
            **{name: part or None for name, part in zip(names, key, strict=True)},
            "deductions": of["deductions"],
            "players": len(players[key]),
            **figures(key[-1], **{name: of[name] for name in SUMS}),
        }
        for key, of in sorted(sums.items())
    ]


def certificates(question: Question) -> list[Row]:
    """Return the sums by player and financial year, as needed for certificates."""
    sums: dict[tuple[str, ...], dict[str, int]] = defaultdict(_sums)
    owed: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    people: dict[tuple[str, ...], Row] = {}
    for event in walk(question):
        year = year_name(financial_year(event.day))
        _, section, payment_code, certificate = event.forms
        player = str(event.row.player.public_id)
        whose = (event.row.payee, player, event.row.currency)
        key = (year, certificate, section, payment_code, *whose)
        _added(sums[key], event)
        owed[key][_quarter(event.day)] += event.sign * event.row.tax_minor
        people[key] = _who(event, question)
    return [
        {
            "year": key[0],
            "certificate_form": key[1] or None,
            "section": key[2] or None,
            "payment_code": key[3] or None,
            "payee": key[4],
            **people[key],
            "currency": key[6],
            "deductions": of["deductions"],
            **figures(key[6], **{name: of[name] for name in SUMS}),
            **{f"tax_q{number}_minor": owed[key][f"Q{number}"] for number in range(1, 5)},
        }
        for key, of in sorted(sums.items())
    ]


def totals(question: Question) -> Totals:
    """Return the sums by currency; over all days `owed` equals the balance of TDS accounts."""
    found: Totals = defaultdict(
        lambda: dict.fromkeys(("deductions", *(f"{n}_minor" for n in SUMS)), 0)
    )
    for row in quarters(question):
        for name in found[row["currency"]]:
            found[row["currency"]][name] += row[name]
    return dict(found)


TDS_DEDUCTIONS = Report(
    "tds-deductions",
    "TDS deductions",
    TdsDeductionRow,
    page,
    totals,
    any_zone=False,
    has_late_entries=True,
    has_tax_numbers=True,
)
TDS_QUARTERS = Report(
    "tds-quarters",
    "TDS by quarter",
    TdsQuarterRow,
    Whole(quarters),
    totals,
    any_zone=False,
    has_late_entries=True,
)
TDS_CERTIFICATES = Report(
    "tds-certificates",
    "TDS certificates",
    TdsCertificateRow,
    Whole(certificates),
    totals,
    any_zone=False,
    has_late_entries=True,
    has_tax_numbers=True,
)
