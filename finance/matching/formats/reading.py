"""Read a bank's file: find its format, prove its balances, and join the days of an account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from operator import attrgetter
from typing import Final

from finance.exceptions import BadFile, BadLine
from finance.matching.files import Contents, Reader, Statement
from finance.matching.formats.camt import Camt053
from finance.matching.formats.mt940 import Mt940
from finance.matching.formats.plain_csv import PlainCsv
from finance.reports.frame.periods import EARLIEST, LATEST
from wallet.ledger.money import as_money, as_text

READERS: Final[tuple[Reader, ...]] = (Camt053(), Mt940())
PLAIN: Final = PlainCsv()
# More than any bank writes, and less than the limit of a spreadsheet's cell.
TEXT_MAX: Final = 10_000


def read_bank_file(
    body: bytes,
    *,
    currency: str,
    reader: Reader | None = None,
    layouts: Sequence[Reader] = (),
) -> Contents:
    """Return a file's statements, one for each account if their balances continue.

    `currency` is that of a file without one. Without a `reader` the format, or one of the `layouts`
    of CSV, is recognized. Raise `BadFile` with all lines that cannot be read, or with the balances
    that differ.
    """
    contents = reader.read(body, currency=currency) if reader else _read(body, currency, layouts)
    faults = list(chain.from_iterable(map(_faults, contents.statements)))
    if faults:
        raise BadFile("some lines cannot be read", faults)
    if not any(one.lines or one.closing for one in contents.statements):
        raise BadFile("the file has no lines")
    differing = [fault for one in contents.statements if (fault := _balance_fault(one))]
    if differing:
        raise BadFile("the balances do not agree with the lines", differing)
    statements = tuple(_joined(contents.statements))
    unproved = [
        f"{one.position or contents.format}: without an opening and closing balance its lines "
        "cannot be proved complete."
        for one in statements
        if not (one.opening and one.closing)
    ]
    warnings = (*contents.warnings, *unproved, *breaks(statements))
    return replace(contents, statements=statements, warnings=warnings)


def _read(body: bytes, currency: str, layouts: Sequence[Reader]) -> Contents:
    """Read a file whose reader was not chosen.

    If several layouts have its columns, the one that can read it is used; raise `BadFile` if two
    read other amounts or days.
    """
    fitting = [one for one in (*READERS, *layouts) if one.recognizes(body)]
    found: list[Contents] = []
    refusals: list[BadFile] = []
    for reader in fitting or [PLAIN]:
        try:
            found.append(reader.read(body, currency=currency))
        except BadFile as refusal:
            refusals.append(refusal)
    if not found:
        raise refusals[0]
    if any(_facts(one) != _facts(found[0]) for one in found):
        names = ", ".join(one.format for one in found)
        raise BadFile(f"several layouts read the file differently: choose one of {names}")
    return found[0]


def _facts(contents: Contents) -> list[tuple[object, ...]]:
    lines = (line for one in contents.statements for line in one.lines)
    return [(line.booked_on, line.amount_minor) for line in lines]


def breaks(statements: Sequence[Statement]) -> Iterator[str]:
    """Yield a sentence, with both figures, where a balance does not continue the one before."""
    for before, after in pairwise(statements):
        if not _same_account(before, after) or before.closing is None or after.opening is None:
            continue
        if before.closing.amount_minor != after.opening.amount_minor:
            closing, opening = (
                as_text(as_money(one.amount_minor, after.currency))
                for one in (before.closing, after.opening)
            )
            yield (
                f"{after.position} opens with {opening}, but the statement before it closes with "
                f"{closing}: statements are missing or overlap."
            )


def _same_account(one: Statement, other: Statement) -> bool:
    return (one.account, one.currency) == (other.account, other.currency)


def _joined(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the statements by account and day; those whose balances continue become one."""
    ordered = sorted(map(_sorted, statements), key=_place)
    current: Statement | None = None
    for one in ordered:
        if current is not None and _continues(current, one):
            lines = sorted((*current.lines, *one.lines), key=attrgetter("booked_on"))
            current = replace(current, lines=tuple(lines), closing=one.closing)
            continue
        if current is not None:
            yield current
        current = one
    if current is not None:
        yield current


def _continues(before: Statement, after: Statement) -> bool:
    if not _same_account(before, after) or before.closing is None or after.opening is None:
        return False
    return before.closing.amount_minor == after.opening.amount_minor


def _sorted(statement: Statement) -> Statement:
    return replace(statement, lines=tuple(sorted(statement.lines, key=attrgetter("booked_on"))))


def _place(statement: Statement) -> tuple[str, ...]:
    balances = (statement.closing, statement.opening)
    days = [one.day for one in balances if one and one.day]
    days += [line.booked_on for line in statement.lines[-1:]]
    return (statement.account, statement.currency, *(day.isoformat() for day in days[:2]))


def _faults(statement: Statement) -> Iterator[BadLine]:
    for line in statement.lines:
        if not EARLIEST <= line.booked_on <= LATEST:
            message = f"{line.booked_on} is not between {EARLIEST} and {LATEST}"
            yield BadLine(line.position, "bad_day", message)
        if len(line.text) > TEXT_MAX:
            message = f"the text is longer than {TEXT_MAX} characters"
            yield BadLine(line.position, "bad_text", message)


def _balance_fault(statement: Statement) -> BadLine | None:
    opening, closing = statement.opening, statement.closing
    if opening is None or closing is None:
        return None
    sum_minor = opening.amount_minor + sum(line.amount_minor for line in statement.lines)
    if sum_minor == closing.amount_minor:
        return None
    found, expected = (
        as_text(as_money(minor, statement.currency)) for minor in (sum_minor, closing.amount_minor)
    )
    message = f"the opening balance and the lines give {found}, the closing balance is {expected}"
    return BadLine(statement.position or "file", "balance_differs", message, expected)
