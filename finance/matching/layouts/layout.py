"""The declaration of a bank's CSV: where its lines begin and end, and what each column means.

A layout is data: a file in `banks/` or a row that staff add. Nothing of a file is guessed; what a
layout does not declare is refused.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, Self

from finance.exceptions import BadLayout
from finance.matching.files import Unreadable

# Notations of days, with strptime's. Days and months may have one digit, as in "1 Sep 2026".
DAYS: Final = {
    "DD/MM/YYYY": "%d/%m/%Y",
    "DD/MM/YY": "%d/%m/%y",
    "DD-MM-YYYY": "%d-%m-%Y",
    "DD-MM-YY": "%d-%m-%y",
    "DD.MM.YYYY": "%d.%m.%Y",
    "DD MMM YYYY": "%d %b %Y",
    "DD-MMM-YYYY": "%d-%b-%Y",
    "DD-MMM-YY": "%d-%b-%y",
    "YYYY-MM-DD": "%Y-%m-%d",
    "MM/DD/YYYY": "%m/%d/%Y",
}
DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
DECIMALS: Final = (".", ",")
GROUPS: Final = ("", ",", ".", " ", "'")
ENCODINGS: Final = ("", "utf-8", "utf-16", "cp1252", "latin-1")
TIME: Final = re.compile(r"\s+\d{1,2}:\d\d(:\d\d)?(\s*[AP]M)?\Z", re.ASCII | re.IGNORECASE)
# A year of four digits: strptime reads `%Y` from fewer.
FOUR: Final = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
OCCURRENCE: Final = re.compile(r"(?P<name>.*\S)\s*#(?P<number>[1-9])\Z")
# A number that a spreadsheet must not change, as in `="00123"`.
ESCAPED: Final = re.compile(r'="(.*)"\Z', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How to read one kind of CSV file.

    A column is named by its heading, ignoring case and repeated spaces. "A | B" accepts either
    heading, "A #2" is the second column with this heading.
    """

    name: str
    title: str
    date: str
    date_format: str
    text: tuple[str, ...]
    value_date: str = ""
    references: tuple[str, ...] = ()
    # One column of amounts, debits with a minus, parentheses or another sign; or two columns.
    amount: str = ""
    debit: str = ""
    credit: str = ""
    # A column that says whether the amount, or the balance, is a debit.
    side: str = ""
    balance: str = ""
    balance_side: str = ""
    # Signs of debits and credits, in a column of their own or after a figure.
    debit_sign: str = ""
    credit_sign: str = ""
    # (500.00) is a debit.
    parentheses: bool = False
    decimal: str = "."
    # Groups thousands or lakhs.
    group: str = ","
    delimiters: tuple[str, ...] = (",",)
    # Empty: by its first bytes, else UTF-8, else Latin-1 with a warning.
    encoding: str = ""
    currency: str = ""
    # The text before the account's number, above the headings.
    account: str = ""
    # The lines end at a row with a cell that begins with one of these texts.
    footer: tuple[str, ...] = ()
    # Rows with a cell that begins with one of these texts have no amount and are no lines.
    skipped: tuple[str, ...] = ()
    # Whether a file of the bank itself was read with it, and where it comes from.
    verified: bool = True
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("date_format", self.date_format, DAYS),
            ("decimal", self.decimal, DECIMALS),
            ("group", self.group, GROUPS),
            ("encoding", self.encoding, ENCODINGS),
            *(("delimiters", one, DELIMITERS) for one in self.delimiters),
        ):
            if value not in known:
                raise BadLayout(name, f"{value!r} is not known: choose one of {', '.join(known)}")
        if not self.text:
            raise BadLayout("text", "name at least one column of text")
        if bool(self.amount) == bool(self.debit or self.credit):
            raise BadLayout("amount", "name a column of amounts, or a debit and a credit column")
        if bool(self.debit) != bool(self.credit):
            missing = "credit" if self.debit else "debit"
            raise BadLayout(missing, "a debit column needs a credit column, and the reverse")
        if self.side and not (self.amount and self.debit_sign and self.credit_sign):
            raise BadLayout("side", "it needs a column of amounts, and the signs of both sides")
        if self.balance_side and not (self.balance and self.debit_sign and self.credit_sign):
            raise BadLayout(
                "balance_side", "it needs a balance column, and the signs of both sides"
            )
        if self.group == self.decimal:
            raise BadLayout("group", "it must differ from the decimal sign")

    @classmethod
    def of(cls, declared: dict[str, Any]) -> Self:
        """Return the layout of a mapping with lists; raise `BadLayout` for a name or value."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(declared.keys() - known):
            raise BadLayout(unknown[0], "there is no such declaration")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in declared.items()
        }
        return cls(**values)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all columns that a file must have."""
        named = (self.date, self.value_date, *self.text, *self.references, self.amount, self.debit)
        rest = (self.credit, self.side, self.balance, self.balance_side)
        return tuple(column for column in (*named, *rest) if column)

    def places(self, headings: Sequence[str]) -> dict[str, int] | None:
        """Return the place of each column in a row of headings; None if one is missing.

        A heading that occurs twice is missing unless its number is declared.
        """
        known = [_folded(heading) for heading in headings]
        found = {column: _place(column, known) for column in self.columns}
        if any(place is None for place in found.values()):
            return None
        return {column: place for column, place in found.items() if place is not None}

    def day(self, text: str, column: str) -> datetime.date:
        """Return a day; a time of day after it is ignored."""
        written = TIME.sub("", text.strip())
        is_full = "YYYY" not in self.date_format or FOUR.search(written)
        try:
            if is_full and written.isascii():
                return datetime.datetime.strptime(written, DAYS[self.date_format]).date()  # noqa: DTZ007
        except ValueError:
            pass
        message = f"column {column}: {text.strip()[:40]!r} is not a day"
        raise Unreadable("bad_day", message, self.date_format)

    def figure(
        self, text: str, column: str, *, is_signed: bool = True, needs_sign: bool = False
    ) -> Decimal:
        """Return an amount; a debit is negative if `is_signed`, else a sign is refused.

        With `needs_sign` a figure without a sign is refused if both signs are declared.
        """
        written, sign = text.strip(), 1
        if is_signed:
            written, sign = self._unsigned(written)
        lacks_sign = needs_sign and bool(self.debit_sign and self.credit_sign)
        if not self._number.fullmatch(written) or (lacks_sign and written == text.strip()):
            message = f"column {column}: {text.strip()[:40]!r} is not an amount"
            raise Unreadable("bad_amount", message, self._example(is_signed=is_signed))
        plain = written.replace(self.group, "") if self.group else written
        return sign * Decimal(plain.replace(self.decimal, "."))

    def is_debit(self, text: str, column: str) -> bool:
        """Return which side a sign means."""
        written = text.strip().rstrip(".").casefold()
        for side, known in ((True, self.debit_sign), (False, self.credit_sign)):
            if written in {one.rstrip(".").casefold() for one in _either(known)}:
                return side
        message = f"column {column}: {text.strip()[:40]!r} is neither a debit nor a credit"
        raise Unreadable("bad_side", message, f"{self.debit_sign} or {self.credit_sign}")

    def begins(self, texts: Sequence[str], cells: Sequence[str]) -> bool:
        """Return whether a cell begins with one of the texts."""
        wanted = tuple(map(_folded, texts))
        return any(_folded(cell).startswith(wanted) for cell in cells) if wanted else False

    def _unsigned(self, text: str) -> tuple[str, int]:
        """Return a figure without its sign, and the sign."""
        for known, sign in ((self.debit_sign, -1), (self.credit_sign, 1)):
            for one in _either(known):
                if text.rstrip(".").casefold().endswith(one.rstrip(".").casefold()):
                    return text.rstrip(".")[: -len(one.rstrip("."))].strip(), sign
        if self.parentheses and text.startswith("(") and text.endswith(")"):
            return text[1:-1].strip(), -1
        return (text[1:], -1) if text.startswith("-") else (text, 1)

    @property
    def _number(self) -> re.Pattern[str]:
        decimal, group = re.escape(self.decimal), re.escape(self.group)
        whole = r"\d{1,15}"
        if group:
            whole += rf"|\d{{1,3}}(?:{group}\d{{3}})+|\d{{1,2}}(?:{group}\d{{2}})*{group}\d{{3}}"
        return re.compile(rf"(?:{whole})(?:{decimal}\d{{1,5}})?", re.ASCII)

    def _example(self, *, is_signed: bool) -> str:
        written = f"an amount such as 1{self.group}234{self.decimal}50"
        if not is_signed:
            return f"{written}, without a sign"
        signs = ["-", *(["( )"] if self.parentheses else []), self.debit_sign]
        return f"{written}; debits with {' or '.join(filter(None, signs))}"


def shown(cell: str) -> str:
    """Return a cell's text without the escape that keeps a spreadsheet from changing it."""
    escaped = ESCAPED.fullmatch(cell.strip())
    return escaped[1] if escaped else cell


def _either(texts: str) -> list[str]:
    return [one.strip() for one in texts.split("|") if one.strip()]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _place(column: str, headings: Sequence[str]) -> int | None:
    for one in _either(column):
        numbered = OCCURRENCE.fullmatch(one)
        name, number = (numbered["name"], int(numbered["number"])) if numbered else (one, 0)
        places = [n for n, heading in enumerate(headings) if heading == _folded(name)]
        if number and len(places) >= number:
            return places[number - 1]
        if not number and len(places) == 1:
            return places[0]
    return None
