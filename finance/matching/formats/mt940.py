"""Read MT940, the end-of-day statement of SWIFT, with the library mt-940.

The library parts a file into fields and a structured `:86:` into its parts. It also merges all
statements of a file into one and cuts long fields, so tags of this module keep each field as it was
read, and statements and lines are built from these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import mt940
from mt940 import processors, tags

from finance.exceptions import BadFile
from finance.matching.files import (
    Balance,
    Contents,
    Line,
    Statement,
    Unreadable,
    as_minor,
    decoded,
    one_line,
    read_each,
    references_in,
)

# Exceptions of mt-940, which defines none of its own, for invalid tags, figures and dates.
NO_MT940: Final = (AssertionError, AttributeError, InvalidOperation, RuntimeError, TypeError)
NO_VALUE: Final = (ValueError, re.error)
# Signs: debit, and reversal of a credit.
DEBITS: Final = ("D", "RC")
AMOUNT: Final = re.compile(r"\d{1,18}(,\d{0,5})?", re.ASCII)
# The separator of the parts of a structured `:86:`; the library knows "?" only.
SEPARATOR: Final = re.compile(r"\d{3}([^\w\s?])\d\d")
# A row of this length is wrapped, in the middle of a word or not.
ROW_LENGTH: Final = 65
BALANCE: Final = r"""^
    (?P<status>[DC])(?P<year>\d{2})(?P<month>\d{2})(?P<day>\d{2})
    (?P<currency>[A-Z]{3})?(?P<amount>[\d,.]*)(?=\s|$)"""
Raw = dict[str, Any]


class Fields(mt940.models.Transactions):
    """The fields of a file in its order, each with its name and its raw parts."""

    def __init__(self, known: dict[Any, Any]) -> None:
        super().__init__(tags=known)
        self.fields: list[tuple[str, Raw]] = []


class Kept:
    """A tag whose raw parts are kept, not converted."""

    field = ""

    def __call__(self, transactions: Fields, value: Raw) -> Raw:
        transactions.fields.append((self.field, value))
        return {}


class Reference(Kept, tags.TransactionReferenceNumber):
    field = ":20:"


class Account(Kept, tags.AccountIdentification):
    field = ":25:"
    pattern = r"(?P<account>[^\n]*)"


class Number(Kept, tags.StatementNumber):
    """A number of any length; Kotak's has six digits."""

    field = ":28C:"
    pattern = r"(?P<number>[^\n]*)"


class Opening(Kept, tags.BalanceBase):
    field, pattern = ":60F:", BALANCE


class Closing(Kept, tags.BalanceBase):
    field, pattern = ":62F:", BALANCE


class Booked(Kept, tags.Statement):
    """A line with references and details of any length, and its figure as written."""

    field = ":61:"
    pattern = r"""^
    (?P<year>\d{2})(?P<month>\d{2})(?P<day>\d{2})
    (?:(?P<entry_month>\d{2})(?P<entry_day>\d{2})|[ ]{4})?
    (?P<status>R?[DC])(?P<funds_code>[A-Z])?[\n ]?
    (?P<amount>[\d,.]+)(?P<id>[A-Z][A-Z0-9 ]{3})?
    (?P<customer>((?!//)[^\n])*)(//(?P<bank>[^\n]*))?(\n(?P<extra>[\s\S]*))?$"""


class Details(Kept, tags.TransactionDetails):
    """Details of any length; the library ends at nine rows of 65 characters."""

    field = ":86:"
    pattern = r"(?P<details>[\s\S]*)"


class BankOwn(Kept, tags.NonSwift):
    field = ":NS:"
    pattern = r"(?P<details>[\s\S]*)"


@dataclass
class Draft:
    """A statement while its fields are read."""

    number: int
    account: str = ""
    title: str = ""
    opening: Raw | None = None
    closing: Raw | None = None
    # The raw parts of each line, and all its texts.
    lines: list[tuple[Raw, list[str]]] = field(default_factory=list)

    @property
    def position(self) -> str:
        return f"statement {self.number}"


class Mt940:
    """The reader of MT940."""

    name = "MT940"

    def recognizes(self, body: bytes) -> bool:
        plain = body.replace(b"\0", b"")
        return any(block in plain for block in (b":60F:", b":60M:", b":61:", b":62F:"))

    def read(self, body: bytes, *, currency: str) -> Contents:
        """Return a statement for each `:20:`; `currency` is not used, as each names its own."""
        text, warnings = decoded(body)
        if ":60F:" not in text and ":60M:" not in text and (":34F:" in text or ":13" in text):
            raise BadFile(
                "the file is MT942, an interim report whose lines can still change; "
                "upload the end-of-day statement (MT940)"
            )
        drafts = list(_drafts(_fields(text)))
        if not drafts:
            raise BadFile("the file is not MT940: it has no block :20:")
        found = read_each(((draft.position, draft) for draft in drafts), _statement)
        return Contents(self.name, tuple(found), warnings)


def _fields(text: str) -> list[tuple[str, Raw]]:
    opening, closing = Opening(), Closing()
    fields = Fields(
        {20: Reference(), 25: Account(), 28: Number(), 61: Booked(), 86: Details(), "NS": BankOwn()}
        | dict.fromkeys((60, "60F", "60M"), opening)
        | dict.fromkeys((62, "62F", "62M"), closing)
    )
    try:
        fields.parse(text)
    except (*NO_MT940, *NO_VALUE) as error:
        names = [name for name, _ in fields.fields]
        # The library passes the tag that it cannot read, after its message.
        tag = error.args[1] if len(error.args) > 1 else None
        block = getattr(tag, "field", "") or f":{getattr(tag, 'id', '?')}:"
        number = names.count(":20:") or 1
        since = names[len(names) - 1 - names[::-1].index(":20:") :] if ":20:" in names else names
        at = f"statement {number}, block {block} number {since.count(block) + 1}"
        fault = Unreadable("bad_block", "cannot be read", "a block as SWIFT defines it")
        if tag is None:
            at, fault = "file", Unreadable("bad_block", str(error), "blocks of MT940")
        raise BadFile("the file is not MT940", [fault.at(at)]) from error
    return fields.fields


def _drafts(fields: list[tuple[str, Raw]]) -> Iterator[Draft]:
    """Yield the statements of a file; a text after the closing balance belongs to no line."""
    draft: Draft | None = None
    texts: list[str] | None = None
    count = 0
    for name, raw in fields:
        is_next = draft is not None and draft.closing and name in (":25:", ":28C:", ":60F:")
        if draft is None or name == ":20:" or is_next:
            if draft is not None:
                yield draft
            count += 1
            draft, texts = Draft(count), None
        match name:
            case ":25:":
                draft.account = "".join(raw["account"].split())
            case ":28C:":
                draft.title = raw["number"].strip()
            case ":60F:":
                draft.opening = raw
            case ":62F:":
                draft.closing, texts = raw, None
            case ":61:":
                texts = [raw[part] or "" for part in ("customer", "bank", "extra")]
                draft.lines.append((raw, texts))
            case ":86:" | ":NS:" if texts is not None:
                texts.append(raw["details"])
    if draft is not None:
        yield draft


def _statement(position: str, draft: Draft) -> Iterator[Statement]:
    for name, block in ((":60F:", draft.opening), (":62F:", draft.closing)):
        if block is None:
            raise Unreadable("no_balance", f"it has no block {name}", f"a balance in {name}")
    assert draft.opening is not None
    assert draft.closing is not None
    currency = draft.opening["currency"]
    if not currency:
        raise Unreadable("no_currency", "block :60F: names no currency", "such as C260331INR10,00")
    if (draft.closing["currency"] or currency) != currency:
        raise Unreadable("bad_currency", "block :62F: has another currency", currency)
    rows = (
        (f"{position}, block :61: number {number}", row)
        for number, row in enumerate(_continued(draft.lines), start=1)
    )
    yield Statement(
        draft.account,
        currency,
        tuple(read_each(rows, lambda at, row: (_line(at, row, currency),))),
        _balance(draft.opening, currency),
        _balance(draft.closing, currency),
        draft.title,
        position,
    )


def _continued(lines: list[tuple[Raw, list[str]]]) -> list[tuple[Raw, list[str]]]:
    """Return the lines; one of 0.00 continues the text of the line before it."""
    found: list[tuple[Raw, list[str]]] = []
    for raw, texts in lines:
        if found and not raw["amount"].strip("0,"):
            found[-1][1].extend(texts)
        else:
            found.append((raw, list(texts)))
    return found


def _line(position: str, row: tuple[Raw, list[str]], currency: str) -> Line:
    raw, texts = row
    sign = -1 if raw["status"].upper() in DEBITS else 1
    valued_on = _day(raw)
    shown, named = [], []
    for text in filter(None, texts):
        parts = _parts(text)
        shown += parts[:1] or [_unwrapped(text)]
        named += [text, *parts]
    return Line(
        booked_on=_booked_on(raw, valued_on),
        valued_on=valued_on,
        amount_minor=sign * _minor(raw["amount"], currency),
        references=references_in(named),
        text=one_line(" ".join(shown)),
        position=position,
    )


def _parts(details: str) -> list[str]:
    """Return the parts of a structured `:86:`, joined without and with a space; else nothing."""
    if separated := SEPARATOR.match(details):
        details = details.replace(separated[1], "?")
    found = []
    for parse in (
        processors.transaction_details_post_processor,
        processors.transaction_details_post_processor_with_space,
    ):
        raw = {"transaction_details": details}
        parts = parse(None, None, raw, dict(raw))
        if "transaction_details" not in parts:
            found.append(" ".join(filter(None, parts.values())))
    return found


def _unwrapped(text: str) -> str:
    rows = text.splitlines()
    return "".join(row if len(row) >= ROW_LENGTH else f"{row} " for row in rows)


def _balance(raw: Raw, currency: str) -> Balance:
    sign = -1 if raw["status"].upper() == "D" else 1
    return Balance(sign * _minor(raw["amount"], currency), _day(raw))


def _minor(text: str, currency: str) -> int:
    if not AMOUNT.fullmatch(text):
        raise Unreadable("bad_amount", f"{text[:40]!r} is not an amount", "such as 1234,50")
    return as_minor(Decimal(text.rstrip(",").replace(",", ".")), currency)


def _day(raw: Raw) -> date:
    """Return a day; some banks have a 30th of February, for which the library knows the last."""
    with suppress(ValueError):
        raw = processors.date_fixup_pre_processor(None, None, dict(raw))
        return date(2000 + int(raw["year"]), int(raw["month"]), int(raw["day"]))
    text = "".join(raw[part] for part in ("year", "month", "day"))
    raise Unreadable("bad_day", f"{text} is not a day", "YYMMDD")


def _booked_on(raw: Raw, valued_on: date) -> date:
    """Return the entry date, in the year nearest the value date, or without one this."""
    if not raw["entry_day"]:
        return valued_on
    month, day = int(raw["entry_month"]), int(raw["entry_day"])
    near = []
    for year in (valued_on.year - 1, valued_on.year, valued_on.year + 1):
        with suppress(ValueError):
            near.append(date(year, month, day))
    if not near:
        raise Unreadable("bad_day", f"{month:02}{day:02} is not an entry date", "MMDD")
    return min(near, key=lambda one: abs(one - valued_on))
