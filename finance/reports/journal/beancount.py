"""The journal in beancount's format, as a complete file that `bean-check` accepts.

It opens the accounts, posts their opening balances in one transaction, and asserts every balance at
the beginning of the first day and after the last. A positive amount in the ledger is a credit,
which beancount writes as negative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min, QuerySet, Sum

from core.text_validation import printable
from finance.exceptions import SiteDaysOnly
from finance.reports.frame.formats import Counted, totals_as_json
from finance.reports.frame.periods import SITE_ZONE
from finance.reports.frame.report import (
    CHUNK,
    NO_ACTIVITY,
    START,
    Question,
    account_label,
    transfer_label,
)
from finance.reports.journal.journal import JOURNAL, Line, lines_after
from wallet.ledger.models import PLAYER_KINDS, Account, Entry
from wallet.ledger.money import as_decimal

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
    """An account's opening and closing balance, with the ledger's sign."""

    account: Account
    opening_minor: int
    closing_minor: int


def beancount_file(question: Question, count: Counted) -> Iterator[bytes]:
    """Return the journal of the period in beancount's format; raise `SiteDaysOnly`."""
    if not question.period.is_site_zone:
        raise SiteDaysOnly(f"beancount is available only for days of {SITE_ZONE}")
    return (text.encode() for text in _parts(question, count))


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
    """Return the period's first day, or the first booking day if the period has no start."""
    if question.period.first is not None:
        return question.period.first if question.entries_until().exists() else None
    found = question.entries_until().aggregate(first=Min("transfer__booked_on"))
    day: date | None = found["first"]
    return day


def currencies(question: Question) -> list[str]:
    found = question.entries_until().order_by("currency").values_list("currency", flat=True)
    return list(found.distinct())


def balances(question: Question) -> Iterator[Balance]:
    """Yield all accounts with an entry up to the period's end, in the order of their ids."""
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
    """Open every account on the day before, post its opening balance and assert it."""
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
            account = balance.account
            yield _posting(account_name(account), balance.opening_minor, account.currency)
    yield "\n"
    for balance in balances(question):
        yield _asserted(balance.account, first, balance.opening_minor)


def _transactions(question: Question, count: Counted) -> Iterator[str]:
    """Yield the entries by transfer; the entries of a transfer are adjacent in the journal."""
    after, last = START, None
    while chunk := lines_after(question.entries(), after, CHUNK):
        count.rows += len(chunk)
        texts = []
        for line in chunk:
            if line.transfer_pk != last:
                texts.append(_transaction(line))
                last = line.transfer_pk
            texts.append(_posting(_name_in(line), line.amount_minor, line.currency))
        yield "".join(texts)
        after = chunk[-1].position


def _transaction(line: Line) -> str:
    what = quoted(transfer_label(line.kind))
    texts = [
        f"\n{line.booked_on} * {what} {quoted(line.memo)}\n",
        f'  transfer: "{line.transfer}"\n',
        f"  key: {quoted(line.key)}\n",
    ]
    if line.reverses:
        texts.append(f'  reverses: "{line.reverses}"\n')
    return "".join(texts)


def _posting(account: str, minor: int, currency: str) -> str:
    return f"  {account}  {figure(-minor, currency)}\n"


def _asserted(account: Account, day: date, minor: int) -> str:
    """Assert a balance exactly; without `~ 0` beancount tolerates a difference of one unit."""
    amount = as_decimal(-minor, account.currency)
    return f"{day} balance {account_name(account)}  {amount} ~ 0 {account.currency}\n"


def figure(minor: int, currency: str) -> str:
    return f"{as_decimal(minor, currency)} {currency}"


def account_name(account: Account) -> str:
    """Return an account's stable name: type, kind, currency, and player, game or shard.

    Players and games appear as public ids, so the file contains no personal data.
    """
    player = account.player.public_id if account.player else None
    own = account.public_id, account.ref, account.shard
    return _name(account.kind, account.currency, player, own)


def _name_in(line: Line) -> str:
    """Return the name of the account of a line."""
    own = line.account, line.account_ref, line.account_shard
    return _name(line.account_kind, line.currency, line.player, own)


def _name(kind: str, currency: str, player: UUID | None, own: tuple[UUID, str, int]) -> str:
    account, ref, shard = own
    parts = [_word(account_label(kind)), currency]
    if kind in (*PLAYER_KINDS, Kind.RECEIVABLE) and player is not None:
        parts.append(str(player))
    elif kind in (Kind.ESCROW, Kind.TICKET):
        parts.append(str(account))
    else:
        parts += [_word(ref)] * bool(ref) + [str(shard)]
    return ":".join([TYPES.get(Kind(kind), "Liabilities"), *parts])


def _word(text: str) -> str:
    """Return text as one component of an account's name, which begins with a capital."""
    word = PARTS.sub("-", text).strip("-")
    return word[:1].upper() + word[1:]


def quoted(text: str) -> str:
    """Return text as a beancount string: on one line, with quotes and backslashes escaped.

    Control characters are removed: beancount reads their escapes as plain letters (`u0007`).
    """
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
