"""Read the rows of a bank's CSV as lines, and order them by the balance column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from finance.exceptions import BadFile, BadLine
from finance.matching.files import Balance, Line, Unreadable, as_minor, one_line, references_in
from finance.matching.layouts.layout import Layout, shown
from wallet.ledger.money import as_money, as_text


@dataclass(frozen=True)
class Step:
    """A row and the balance after it; `line` is None for a row that only states a balance."""

    position: str
    line: Line | None
    balance_minor: int | None

    @property
    def amount_minor(self) -> int:
        return self.line.amount_minor if self.line else 0


@dataclass(frozen=True)
class RowReader:
    """Reads rows with the columns of a layout at known places, `width` cells each."""

    layout: Layout
    places: Mapping[str, int]
    width: int
    currency: str

    def steps(self, position: str, row: Sequence[str]) -> Iterator[Step]:
        """Yield the step of a row; raise `Unreadable` naming the column."""
        if len(row) != self.width:
            message = f"{len(row)} cells under {self.width} headings"
            raise Unreadable("wrong_cells", message, f"{self.width} cells")
        layout = self.layout
        cells = {column: shown(row[place]) for column, place in self.places.items()}
        amount, balance = self.amount(cells), self._balance(cells)
        if layout.begins(layout.skipped, row):
            if amount:
                message = "a row that is no line has an amount"
                raise Unreadable("bad_amount", message, "no amount")
            yield Step(position, None, balance)
            return
        booked_on = layout.day(cells[layout.date], layout.date)
        if not amount:
            columns = layout.amount or f"{layout.debit} or {layout.credit}"
            raise Unreadable("bad_amount", "the line has no amount", f"an amount in {columns}")
        valued = cells.get(layout.value_date, "").strip()
        text = one_line(" ".join(cells[column] for column in layout.text))
        yield Step(
            position,
            Line(
                booked_on=booked_on,
                valued_on=layout.day(valued, layout.value_date) if valued else booked_on,
                amount_minor=as_minor(amount, self.currency),
                references=self._references(cells),
                text=text,
                position=position,
            ),
            balance,
        )

    def is_line(self, row: Sequence[str]) -> bool:
        try:
            return any(step.line for step in self.steps("", row))
        except Unreadable:
            return False

    def amount(self, cells: Mapping[str, str]) -> Decimal:
        """Return a row's amount, debits negative; zero if its cells are empty."""
        layout = self.layout
        if layout.debit:
            debit, credit = (
                layout.figure(cells[column], column, is_signed=False)
                if cells[column].strip()
                else Decimal(0)
                for column in (layout.debit, layout.credit)
            )
            if debit and credit:
                message = f"columns {layout.debit} and {layout.credit} both have an amount"
                raise Unreadable("bad_amount", message, "one of the two")
            return credit - debit
        if not cells[layout.amount].strip():
            return Decimal(0)
        if not layout.side:
            return layout.figure(cells[layout.amount], layout.amount, needs_sign=True)
        figure = layout.figure(cells[layout.amount], layout.amount, is_signed=False)
        return -figure if layout.is_debit(cells[layout.side], layout.side) else figure

    def _balance(self, cells: Mapping[str, str]) -> int | None:
        layout = self.layout
        written = cells.get(layout.balance, "").strip()
        if not written:
            return None
        figure = layout.figure(written, layout.balance, is_signed=not layout.balance_side)
        if layout.balance_side and layout.is_debit(cells[layout.balance_side], layout.balance_side):
            figure = -figure
        return as_minor(figure, self.currency)

    def _references(self, cells: Mapping[str, str]) -> tuple[str, ...]:
        """Return the possible references; banks pad numbers in their columns with zeros."""
        given = [cells[column] for column in self.layout.references]
        unpadded = [one.strip().lstrip("0") for one in given]
        return references_in([*(cells[column] for column in self.layout.text), *given, *unpadded])


def in_order(steps: Sequence[Step], currency: str) -> list[Step]:
    """Return the rows oldest first, as their balances prove; raise `BadFile` where they do not.

    Files are sorted up or down, and on one day only the balance shows which. Rows without a
    balance prove nothing and keep their order.
    """
    newest_first = list(reversed(steps))
    found = [_first_break(order) for order in (steps, newest_first)]
    for order, broken in zip((list(steps), newest_first), found, strict=True):
        if broken is None:
            return order
    before, after = found[_is_falling(steps)] or (steps[0], steps[0])
    expected, shown_balance = (
        as_text(as_money(minor, currency))
        for minor in ((before.balance_minor or 0) + after.amount_minor, after.balance_minor or 0)
    )
    message = f"the balance before and the amount give {expected}, the balance is {shown_balance}"
    raise BadFile(
        "the balances do not agree with the lines",
        [BadLine(after.position, "balance_differs", message, expected)],
    )


def balances(ordered: Sequence[Step]) -> tuple[Balance | None, Balance | None]:
    """Return the opening and closing balance; None unless every row has a balance."""
    days = [step.line.booked_on for step in ordered if step.line]
    first, last = (ordered[0], ordered[-1]) if ordered else (None, None)
    if not days or first is None or last is None:
        return None, None
    if any(step.balance_minor is None for step in ordered):
        return None, None
    opening = (first.balance_minor or 0) - first.amount_minor
    return Balance(opening, days[0]), Balance(last.balance_minor or 0, days[-1])


def _first_break(steps: Sequence[Step]) -> tuple[Step, Step] | None:
    for before, after in pairwise(steps):
        if before.balance_minor is None or after.balance_minor is None:
            continue
        if before.balance_minor + after.amount_minor != after.balance_minor:
            return before, after
    return None


def _is_falling(steps: Sequence[Step]) -> bool:
    days = [step.line.booked_on for step in steps if step.line]
    return bool(days) and days[0] > days[-1]
