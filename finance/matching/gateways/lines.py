"""Parse the lines of gateway files, by gateway and kind of file.

Amounts are decimals of the main unit ("500.00") in Razorpay's files, and minor units in those of
the sandbox. A time without a zone is in the site's zone (India), as in Razorpay's dashboard.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from moneyed import CurrencyDoesNotExist, Money, get_currency

from finance.matching.files import Unreadable
from finance.matching.models import GatewayLine
from wallet.exceptions import InexactAmount
from wallet.gateways.interface import AMOUNT_MAX, REFERENCE_LENGTH_MAX
from wallet.ledger.money import minor_units

What = GatewayLine.What
Cells = Mapping[str, Any]
# Reads a cell, in a currency, as more than this many minor units.
AmountReader = Callable[[Any, str, int], int]
RAZORPAY_TEXTS = (
    *("transaction_entity", "entity_id", "currency", "entity_created_at", "payment_id"),
    *("dispute_id", "settlement_id", "settlement_utr", "settled_at"),
)
RAZORPAY_AMOUNTS = ("amount", "credit", "debit", "tax")
MAIN_UNITS = re.compile(r"-?\d{1,15}(\.\d{1,4})?", re.ASCII)
MINOR_UNITS = re.compile(r"-?\d{1,18}", re.ASCII)
SECONDS = re.compile(r"\d{9,11}", re.ASCII)
TIMES = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y")
KIND_MAX = 40
# Razorpay's statuses of payments that it received, refunded ones included.
CAPTURED = ("captured", "refunded")


@dataclass(frozen=True)
class Settled:
    """The settlement of a line: a gateway's payment to the bank, with the line's fee and tax.

    Amounts are in minor units; `bank_reference` is the UTR of the whole payment.
    """

    reference: str
    bank_reference: str
    on: date
    fee_minor: int
    tax_minor: int


def kept_of(
    what: GatewayLine.What, amount_minor: int, *, credit_minor: int, debit_minor: int
) -> int:
    """Return the amount of a line that the gateway kept, in minor units; it includes the tax.

    It is computed from credit and debit, because fee columns differ in whether they include tax.
    """
    if what == What.OTHER:
        return 0
    return amount_minor - (credit_minor - debit_minor)


@dataclass(frozen=True)
class Movement:
    """A movement of money in a line of a file; money received is positive, in minor units."""

    what: GatewayLine.What
    reference: str
    payment_reference: str
    currency: str
    amount_minor: int
    at: datetime
    # None if the file does not name the settlement.
    settled: Settled | None = None
    # What the gateway calls a line that no rule explains: a correction for staff to look at.
    unknown: str = ""

    @property
    def day(self) -> date:
        """Return the day in the site's time zone."""
        return site_day_of(self.at)


def site_day_of(moment: datetime) -> date:
    return moment.astimezone(ZoneInfo(settings.TIME_ZONE)).date()


@dataclass(frozen=True)
class Shape:
    """A kind of file: the columns that identify it, and the function that reads a line."""

    provider: str
    name: str
    columns: tuple[str, ...]
    read: Callable[[Cells], Iterator[Movement]]


def _razorpay_payment(cells: Cells) -> Iterator[Movement]:
    """Yield a payment and its refunded amount from Razorpay's list of payments."""
    status = cells["status"].lower()
    if status in ("created", "authorized", "failed"):
        return
    if status not in CAPTURED:
        raise Unreadable("unknown_status", f"{cells['status']!r} is not a payment status")
    reference, currency = _reference(cells["id"]), _currency(cells["currency"])
    at = _time(cells["created_at"])
    paid = _main(cells["amount"], currency, 0)
    yield Movement(What.PAYMENT, reference, reference, currency, paid, at)
    refunded = _optional(cells["amount_refunded"], currency, _main)
    if refunded:
        yield Movement(
            What.REFUND, f"{reference}:refunded"[:80], reference, currency, -refunded, at
        )


def _razorpay_settlement(cells: Cells) -> Iterator[Movement]:
    """Yield the movement of a settlement's line; amounts are in the main unit."""
    return _settled_by_razorpay(cells, _main)


def recon_item(item: Any) -> Iterator[Movement]:
    """Yield the movement of an item of Razorpay's recon in JSON; amounts are in minor units."""
    if not isinstance(item, dict):
        raise Unreadable("wrong_cells", "an item of the recon must be an object")
    names = {"transaction_entity": "type", "entity_created_at": "created_at"}
    texts = {name: str(item.get(names.get(name, name)) or "") for name in RAZORPAY_TEXTS}
    cells = {**texts, **{name: item.get(name) for name in RAZORPAY_AMOUNTS}}
    return _settled_by_razorpay(cells, lambda value, _currency, above: _whole(value, above))


def _settled_by_razorpay(cells: Cells, minor: AmountReader) -> Iterator[Movement]:
    """Yield the movement of a line with Razorpay's fee and tax, if it is settled."""
    for movement in _razorpay_movement(cells, minor):
        credit, debit, tax = (
            _optional(cells[name], movement.currency, minor) for name in ("credit", "debit", "tax")
        )
        kept = kept_of(movement.what, movement.amount_minor, credit_minor=credit, debit_minor=debit)
        names = ("settlement_id", "settlement_utr", "settled_at")
        yield _with_settlement(movement, kept, tax, [cells.get(name, "") for name in names])


def _optional(cell: Any, currency: str, minor: AmountReader) -> int:
    """Return an amount that may be missing, or 0."""
    return minor(cell, currency, -1) if cell else 0


def _with_settlement(movement: Movement, kept: int, tax: int, named: Sequence[str]) -> Movement:
    """Return a movement with its settlement, or unchanged if it is not settled yet.

    `named` has the settlement's reference, the bank's reference, and the time. `kept` is the fee
    including `tax`, in minor units.
    """
    reference, bank_reference, at = named
    if not reference:
        return movement
    if movement.what == What.OTHER:
        tax = 0
    if not 0 <= tax <= kept:
        raise Unreadable("bad_fee", f"a fee of {kept} minor units, of them {tax} tax, is not valid")
    settled = Settled(
        reference=_reference(reference),
        bank_reference=_reference(bank_reference) if bank_reference else "",
        on=site_day_of(_time(at)) if at else movement.day,
        fee_minor=kept - tax,
        tax_minor=tax,
    )
    return replace(movement, settled=settled)


def _razorpay_movement(cells: Cells, minor: AmountReader) -> Iterator[Movement]:
    """Yield the movement of a line; the payout of the settlement itself is skipped."""
    kind = cells["transaction_entity"].lower()
    if kind == "settlement":
        return
    currency, at = _currency(cells["currency"]), _time(cells["entity_created_at"])
    reference = _reference(cells["entity_id"])
    if kind == "payment":
        amount = minor(cells["amount"], currency, 0)
        yield Movement(What.PAYMENT, reference, reference, currency, amount, at)
        return
    if kind == "refund":
        amount = minor(cells["amount"], currency, 0)
        # Some of Razorpay's exports have no payment id; the refund's reference identifies it.
        payment = _reference(cells["payment_id"]) if cells.get("payment_id") else ""
        yield Movement(What.REFUND, reference, payment, currency, -amount, at)
        return
    amount = _optional(cells["credit"], currency, minor)
    amount -= _optional(cells["debit"], currency, minor)
    if kind not in ("adjustment", "dispute", "transfer"):
        yield from _unknown(cells["transaction_entity"], reference, currency, amount, at)
        return
    dispute = cells.get("dispute_id", "") or (reference if kind == "dispute" else "")
    if amount < 0 and dispute:  # A lost dispute, by the reference it is booked with.
        yield Movement(What.REFUND, _reference(dispute), "", currency, amount, at)
    elif amount:
        yield Movement(What.OTHER, reference, "", currency, amount, at)


def _unknown(
    kind: str, reference: str, currency: str, amount: int, at: datetime
) -> Iterator[Movement]:
    """Yield a line of an unknown kind as a correction, which its settlement sets aside."""
    if amount:
        name = kind[:KIND_MAX] or "nothing"
        yield Movement(What.OTHER, reference, "", currency, amount, at, unknown=name)


def _whole(value: Any, above: int) -> int:
    if type(value) is not int:
        raise Unreadable("bad_amount", f"{str(value)[:40]!r} is not an amount in minor units")
    return _bounded(value, above=above)


def _nothing(cells: Cells) -> Iterator[Movement]:
    """Yield nothing: the JSON recon has items and no lines."""
    return iter(())


RECON = Shape("razorpay", "recon", (), _nothing)


def _sandbox(cells: Cells) -> Iterator[Movement]:
    """Yield a payment or refund of the sandbox, in minor units."""
    if cells["kind"] not in ("payment", "refund"):
        raise Unreadable("unknown_kind", f"{cells['kind']!r} is neither payment nor refund")
    what = What(cells["kind"])
    amount = _minor(cells["amount_minor"], above=0)
    sign = -1 if what == What.REFUND else 1
    yield Movement(
        what,
        _reference(cells["reference"]),
        _reference(cells["payment"]),
        _currency(cells["currency"]),
        sign * amount,
        _time(cells["at"]),
    )


def _sandbox_settlement(cells: Cells) -> Iterator[Movement]:
    """Yield a payment or refund with the sandbox's fee and tax, or a correction."""
    fee, tax = (_minor(cells[name], above=-1) for name in ("fee_minor", "tax_minor"))
    named = [cells["settlement"], cells["utr"], cells["settled_at"]]
    movements = _sandbox_correction(cells) if cells["kind"] == "other" else _sandbox(cells)
    for movement in movements:
        yield _with_settlement(movement, fee + tax, tax, named)


def _sandbox_correction(cells: Cells) -> Iterator[Movement]:
    amount = _minor(cells["amount_minor"], above=-AMOUNT_MAX)
    if amount:
        reference, currency = _reference(cells["reference"]), _currency(cells["currency"])
        yield Movement(What.OTHER, reference, "", currency, amount, _time(cells["at"]))


SHAPES: tuple[Shape, ...] = (
    Shape(
        "razorpay",
        "payments",
        ("id", "amount", "currency", "status", "amount_refunded", "created_at"),
        _razorpay_payment,
    ),
    Shape(
        "razorpay",
        "settlements",
        (
            "transaction_entity",
            "entity_id",
            "amount",
            "currency",
            "tax",
            "debit",
            "credit",
            "entity_created_at",
        ),
        _razorpay_settlement,
    ),
    # Before "payments", as it also has all columns of that.
    Shape(
        "sandbox",
        "settlements",
        (
            "kind",
            "reference",
            "payment",
            "currency",
            "amount_minor",
            "at",
            "fee_minor",
            "tax_minor",
            "settlement",
            "utr",
            "settled_at",
        ),
        _sandbox_settlement,
    ),
    Shape(
        "sandbox",
        "payments",
        ("kind", "reference", "payment", "currency", "amount_minor", "at"),
        _sandbox,
    ),
)


def _reference(text: str) -> str:
    if not 0 < len(text) <= REFERENCE_LENGTH_MAX or not text.isprintable():
        raise Unreadable("bad_reference", f"{text[:80]!r} is not a reference")
    return text


def _currency(text: str) -> str:
    try:
        return str(get_currency(text).code)
    except CurrencyDoesNotExist:
        raise Unreadable("bad_currency", f"{text[:20]!r} is not a currency") from None


def _main(text: str, currency: str, above: int) -> int:
    if not MAIN_UNITS.fullmatch(text):
        raise Unreadable("bad_amount", f"{text[:40]!r} is not an amount")
    try:
        return _bounded(minor_units(Money(Decimal(text), currency)), above=above)
    except InexactAmount as error:
        raise Unreadable("bad_amount", str(error)) from error


def _minor(text: str, *, above: int) -> int:
    if not MINOR_UNITS.fullmatch(text):
        raise Unreadable("bad_amount", f"{text!r} is not an amount in minor units")
    return _bounded(int(text), above=above)


def _bounded(minor: int, *, above: int) -> int:
    if not above < minor < AMOUNT_MAX:
        raise Unreadable("bad_amount", f"{minor} minor units are out of range")
    return minor


def _time(text: str) -> datetime:
    """Parse a time in ISO 8601, in seconds since 1970 or in the format of Razorpay's dashboard."""
    for read in (_epoch, _iso, *(_by(form) for form in TIMES)):
        try:
            found = read(text)
        except (ValueError, OverflowError, OSError):
            continue
        if 2000 <= found.year < 2200:
            return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(settings.TIME_ZONE))
    raise Unreadable("bad_time", f"{text[:40]!r} is not a time")


def _iso(text: str) -> datetime:
    if len(text) < len("2026-01-01"):
        raise ValueError("too short for a date")
    return datetime.fromisoformat(text)


def _epoch(text: str) -> datetime:
    if not SECONDS.fullmatch(text):
        raise ValueError("not seconds since 1970")
    return datetime.fromtimestamp(int(text), tz=ZoneInfo("UTC"))


def _by(form: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, form)  # noqa: DTZ007  `_time` adds the zone.
