"""The journal in the formats of hledger and ledger-cli, Tally and Zoho Books.

All ledger accounts of a kind appear as the chart's account of that kind; for example the sixteen
shards of rake are one account. A positive amount in the ledger is a credit.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from xml.sax.saxutils import escape, quoteattr

from core.http.csv_stream import harmless
from core.text_validation import printable
from finance.books.chart import Named, chart, flat
from finance.exceptions import SiteDaysOnly
from finance.reports.definitions import trial_balance
from finance.reports.frame.formats import Counted, totals_as_json
from finance.reports.frame.periods import SITE_ZONE
from finance.reports.frame.report import CASH, CHUNK, START, Question, transfer_label
from finance.reports.journal.beancount import first_day
from finance.reports.journal.journal import JOURNAL, Line, lines_after
from wallet.ledger.money import as_decimal

ZOHO_COLUMNS = (
    "Journal Date",
    "Reference Number",
    "Notes",
    "Journal Type",
    "Currency",
    "Account",
    "Description",
    "Contact Name",
    "Debit",
    "Credit",
)


@dataclass(frozen=True)
class Balance:
    """An account's balance in one currency before and after the period, in minor units."""

    account: Named
    currency: str
    opening_minor: int
    closing_minor: int


@dataclass(frozen=True)
class Books:
    """The query and the chart of accounts of an export."""

    question: Question
    accounts: dict[str, Named]
    first: date | None

    @classmethod
    def about(cls, question: Question) -> Books:
        """Return the books of a query; raise `SiteDaysOnly` for another time zone."""
        if not question.period.is_site_zone:
            raise SiteDaysOnly(f"this format is available only for days of {SITE_ZONE}")
        return cls(question, chart(), first_day(question))

    @property
    def eve(self) -> date:
        assert self.first is not None, "books without entries have no first day"
        return self.first - timedelta(days=1)

    def balances(self) -> list[Balance]:
        sums: dict[tuple[Named, str], list[int]] = {}
        for line in trial_balance.lines(self.question):
            of = sums.setdefault((self.accounts[line.account_kind], line.currency), [0, 0])
            of[0] += line.opening_minor
            of[1] += line.closing_minor
        return [Balance(*key, *of) for key, of in sums.items()]

    def transfers(self, count: Counted) -> Iterator[list[Line]]:
        """Yield the entries of each transfer, with one chunk in memory at a time."""
        after, entries = START, list[Line]()
        while chunk := lines_after(self.question.entries(), after, CHUNK):
            count.rows += len(chunk)
            for line in chunk:
                if entries and entries[0].transfer_pk != line.transfer_pk:
                    yield entries
                    entries = []
                entries.append(line)
            after = chunk[-1].position
        if entries:
            yield entries


def file_format(
    *, money: str = ""
) -> Callable[
    [Callable[[Books, Counted], Iterator[str]]], Callable[[Question, Counted], Iterator[bytes]]
]:
    """Return a decorator: the function raises `SiteDaysOnly` when called, and else yields the file.

    `money` is the filter of a request without one.
    """

    def decorated(
        write: Callable[[Books, Counted], Iterator[str]],
    ) -> Callable[[Question, Counted], Iterator[bytes]]:
        def parts(question: Question, count: Counted) -> Iterator[bytes]:
            books = Books.about(replace(question, money=question.money or money))
            return (text.encode() for text in write(books, count))

        return parts

    return decorated


@file_format()
def ledger_parts(books: Books, count: Counted) -> Iterator[str]:
    """Yield the journal for hledger and ledger-cli, with balance assertions."""
    for name, value in JOURNAL.header(books.question).items():
        yield f"; {name}: {value}\n"
    yield "\n"
    if books.first is None:
        return
    balances = books.balances()
    for currency in sorted({balance.currency for balance in balances}):
        yield f"commodity {currency}\n    format 1000.00 {currency}\n"
    for name in sorted({balance.account.name for balance in balances}):
        yield f"account {name}\n"
    yield f"\n{books.eve} * Brought forward\n"
    for one in balances:
        yield _posting(one.account, one.opening_minor, one.currency)
    for entries in books.transfers(count):
        of = entries[0]
        yield f"\n{of.booked_on} * ({of.transfer}) {_described(of)}\n"
        for entry in entries:
            named = books.accounts[entry.account_kind]
            yield _posting(named, entry.amount_minor, entry.currency)
    yield f"\n{books.question.period.last} * Balances asserted\n"
    for one in balances:
        closing = f"{-as_decimal(one.closing_minor, one.currency)} {one.currency}"
        yield f"    {one.account.name}  0.00 {one.currency} = {closing}\n"
    yield f"\n; control totals: {totals_as_json(JOURNAL, books.question)}\n"


def _posting(account: Named, minor: int, currency: str) -> str:
    return f"    {account.name}  {-as_decimal(minor, currency)} {currency}\n"


def _described(line: Line) -> str:
    """Return a transfer's description on one line, without comment characters."""
    text = printable(f"{transfer_label(line.kind)} {line.memo}")
    return text.replace(";", ",").replace("|", "/")


@file_format(money=CASH)  # Play points are no money of the operator's accounts.
def tally_parts(books: Books, count: Counted) -> Iterator[str]:
    """Yield the journal as Tally XML: ledgers, then one voucher for each transfer."""
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ENVELOPE>\n'
        "<HEADER><TALLYREQUEST>Import Data</TALLYREQUEST></HEADER>\n<BODY><IMPORTDATA>\n"
        "<REQUESTDESC><REPORTNAME>All Masters</REPORTNAME></REQUESTDESC>\n<REQUESTDATA>\n"
    )
    for one in books.balances() if books.first else ():
        name, group = flat(one.account, one.currency), one.account.group
        # Debits are negative in Tally, as in the ledger.
        yield (
            f'<TALLYMESSAGE><LEDGER NAME={quoteattr(name)} ACTION="Create">'
            f"<NAME>{escape(name)}</NAME><PARENT>{escape(group)}</PARENT>"
            f"<OPENINGBALANCE>{as_decimal(one.opening_minor, one.currency)}</OPENINGBALANCE>"
            "</LEDGER></TALLYMESSAGE>\n"
        )
    for entries in books.transfers(count):
        of = entries[0]
        yield (
            f'<TALLYMESSAGE><VOUCHER REMOTEID="{of.transfer}" VCHTYPE="Journal" '
            f'ACTION="Create"><DATE>{of.booked_on:%Y%m%d}</DATE>'
            "<VOUCHERTYPENAME>Journal</VOUCHERTYPENAME>"
            f"<VOUCHERNUMBER>{of.transfer}</VOUCHERNUMBER>"
            f"<NARRATION>{escape(_described(of))}</NARRATION>"
        )
        for entry in entries:
            named = books.accounts[entry.account_kind]
            yield (
                f"<ALLLEDGERENTRIES.LIST><LEDGERNAME>{escape(flat(named, entry.currency))}"
                f"</LEDGERNAME><ISDEEMEDPOSITIVE>{'Yes' if entry.amount_minor < 0 else 'No'}"
                f"</ISDEEMEDPOSITIVE><AMOUNT>{entry.amount}</AMOUNT>"
                "</ALLLEDGERENTRIES.LIST>"
            )
        yield "</VOUCHER></TALLYMESSAGE>\n"
    yield "</REQUESTDATA>\n</IMPORTDATA></BODY>\n</ENVELOPE>\n"


@file_format(money=CASH)
def zoho_parts(books: Books, count: Counted) -> Iterator[str]:
    """Yield the journal as manual journals of Zoho Books: CSV with one row for each entry."""
    yield _lines([ZOHO_COLUMNS])
    if books.first is None:
        return
    opening = (books.eve.isoformat(), "opening", "Brought forward", "both")
    yield _lines(
        [
            (*opening, *_sides(one.account, one.opening_minor, one.currency))
            for one in books.balances()
            if one.opening_minor
        ]
    )
    for entries in books.transfers(count):
        of = entries[0]
        head = (of.booked_on.isoformat(), str(of.transfer), _described(of))
        yield _lines(
            [
                (*head, "both", *_sides(books.accounts[e.account_kind], e.amount_minor, e.currency))
                for e in entries
            ]
        )


def _sides(account: Named, minor: int, currency: str) -> tuple[str, ...]:
    """Return currency, account, description, contact, debit and credit of one row."""
    amount = str(as_decimal(abs(minor), currency))
    sides = (amount, "") if minor < 0 else ("", amount)
    return (currency, flat(account, currency), "", "", *sides)


def _lines(rows: list[tuple[str, ...]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([harmless(cell) for cell in row] for row in rows)
    return buffer.getvalue()
