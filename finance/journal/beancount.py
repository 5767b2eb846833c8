"""The journal as plain text accounting: a file `bean-check` accepts on its own.

Accounts are opened, the opening balances are one transaction, and every account is asserted at the
beginning of the first day and after the last. The ledger's positive is what the house owes, which
is beancount's negative.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Min, QuerySet, Sum

from finance.exceptions import HouseDaysOnly
from finance.journal.journal import JOURNAL, behind
from finance.reporting.formats import Counted, totals_as_json
from finance.reporting.report import CHUNK, NO_ACTIVITY, START, Question
from finance.reporting.words import account_word, transfer_word
from wallet.ledger.models import PLAYER_KINDS, Account, Entry
from wallet.ledger.money import as_money

Kind = Account.Kind
TYPES = {
    Kind.RAKE: "Income",
    Kind.PROMOTIONS: "Expenses",
    Kind.GUARANTEE: "Expenses",
    Kind.GATEWAY_FEES: "Expenses",
    Kind.GATEWAY_CLEARING: "Assets",
    Kind.INPUT_TAX: "Assets",
    Kind.RECEIVABLE: "Assets",
}
PARTS = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Balance:
    """An account at the edges of the period, in the ledger's sign."""

    account: Account
    opening_minor: int
    closing_minor: int


def beancount_file(question: Question, count: Counted) -> Iterator[bytes]:
    """Return the whole journal of the period as beancount's text, encoded."""
    return (text.encode() for text in beancount_parts(question, count))


def beancount_parts(question: Question, count: Counted) -> Iterator[str]:
    """Yield the whole journal of the period as beancount's text."""
    if not question.period.is_house:
        raise HouseDaysOnly("a journal in plain text is kept by the house's days")
    return _parts(question, count)


def _parts(question: Question, count: Counted) -> Iterator[str]:
    for name, value in JOURNAL.header(question).items():
        yield f";; {name}: {value}\n"
    yield f'\noption "title" "{JOURNAL.title}"\n'
    for currency in currencies(question):
        yield f'option "operating_currency" "{currency}"\n'
    yield "\n"
    first = first_day(question)
    if first is None:
        yield f";; {NO_ACTIVITY}\n;; control totals: {{}}\n"
        return
    yield from _opened(question, first)
    yield from _transactions(question, count)
    yield "\n"
    following = question.period.last + timedelta(days=1)
    for balance in balances(question):
        yield _asserted(balance.account, following, balance.closing_minor)
    if not count.rows:
        yield f";; {NO_ACTIVITY}\n"
    yield f";; control totals: {totals_as_json(JOURNAL, question)}\n"


def first_day(question: Question) -> date | None:
    """Return the period's first day: the first of the books, if it begins with them."""
    if question.period.first is not None:
        return question.period.first if question.entries_until().exists() else None
    found = question.entries_until().aggregate(first=Min("transfer__booked_on"))
    day: date | None = found["first"]
    return day


def currencies(question: Question) -> list[str]:
    found = question.entries_until().order_by("currency").values_list("currency", flat=True)
    return list(found.distinct())


def balances(question: Question) -> Iterator[Balance]:
    """Walk through all accounts that had an entry until the period's end, in a lasting order."""
    within: QuerySet[Entry, Any] = question.entries_until().values("account").order_by("account")
    period = question.period.within()
    ended = within.annotate(
        closing=Sum("amount_minor"), moved=Sum("amount_minor", filter=period, default=0)
    )
    batch: list[dict[str, Any]] = []
    for row in ended.iterator(chunk_size=CHUNK):
        batch.append(row)
        if len(batch) == CHUNK:
            yield from _with_accounts(batch)
            batch = []
    yield from _with_accounts(batch)


def _with_accounts(batch: list[dict[str, Any]]) -> Iterator[Balance]:
    accounts = Account.objects.select_related("player").in_bulk([row["account"] for row in batch])
    for row in batch:
        closing = int(row["closing"])
        yield Balance(accounts[row["account"]], closing - int(row["moved"]), closing)


def _opened(question: Question, first: date) -> Iterator[str]:
    """Open every account the day before, bring its balance forward, and assert it."""
    eve = first - timedelta(days=1)
    carried = False
    for balance in balances(question):
        account = balance.account
        yield f"{eve} open {account_name(account)} {account.currency}\n"
        carried = carried or bool(balance.opening_minor)
    if not carried:
        return
    yield f'\n{eve} * "Brought forward"\n'
    for balance in balances(question):
        if balance.opening_minor:
            yield _posting(balance.account, balance.opening_minor)
    yield "\n"
    for balance in balances(question):
        yield _asserted(balance.account, first, balance.opening_minor)


def _transactions(question: Question, count: Counted) -> Iterator[str]:
    """Yield the entries transfer by transfer: those of one lie side by side in the journal."""
    after, last = START, None
    while chunk := list(behind(question.entries(), after, CHUNK)):
        count.rows += len(chunk)
        lines = []
        for entry in chunk:
            if entry.transfer_id != last:
                lines.append(_transaction(entry))
                last = entry.transfer_id
            lines.append(_posting(entry.account, entry.amount_minor))
        yield "".join(lines)
        after = (chunk[-1].transfer.xid, chunk[-1].pk)


def _transaction(entry: Entry) -> str:
    transfer = entry.transfer
    what = quoted(transfer_word(transfer.kind))
    lines = [
        f"\n{transfer.booked_on} * {what} {quoted(transfer.memo)}\n",
        f'  transfer: "{transfer.public_id}"\n',
        f"  key: {quoted(transfer.key)}\n",
    ]
    if transfer.reverses:
        lines.append(f'  reverses: "{transfer.reverses.public_id}"\n')
    return "".join(lines)


def _posting(account: Account, minor: int) -> str:
    return f"  {account_name(account)}  {figure(-minor, account.currency)}\n"


def _asserted(account: Account, day: date, minor: int) -> str:
    """Assert a balance to the paisa: left to itself, beancount would pass over one."""
    amount = as_money(-minor, account.currency).amount
    return f"{day} balance {account_name(account)}  {amount} ~ 0 {account.currency}\n"


def figure(minor: int, currency: str) -> str:
    return f"{as_money(minor, currency).amount} {currency}"


def account_name(account: Account) -> str:
    """Return an account's name, which lasts: kind, whose it is, currency and shard.

    Players and games are named by their public ids, so the file identifies nobody.
    """
    parts = [_word(account_word(account.kind)), account.currency]
    if account.kind in (*PLAYER_KINDS, Kind.RECEIVABLE) and account.player is not None:
        parts.append(str(account.player.public_id))
    elif account.kind in (Kind.ESCROW, Kind.TICKET):
        parts.append(str(account.public_id))
    else:
        parts += [_word(account.ref)] * bool(account.ref) + [str(account.shard)]
    return ":".join([TYPES.get(Kind(account.kind), "Liabilities"), *parts])


def _word(text: str) -> str:
    """Return words as one component of an account's name, which begins with a capital."""
    word = PARTS.sub("-", text).strip("-")
    return word[:1].upper() + word[1:]


def quoted(text: str) -> str:
    """Return text as a string of beancount's: on one line, quotes and backslashes escaped."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
