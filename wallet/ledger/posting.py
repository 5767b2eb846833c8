"""Typed calls of the database functions that post transfers.

A refusal inside a caller's transaction requires a rollback, like any database error. Called outside
a
transaction, each function runs in its own transaction with one round trip.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import structlog
from django.db import DatabaseError, connection, transaction
from moneyed import Money

from core.db.identifiers import new_public_id
from core.db.statements import Statement, columns, model_from_row
from core.redis import counters
from wallet.exceptions import CurrencyMismatch, InexactAmount, LedgerRefusal
from wallet.ledger.models import Account, Transfer
from wallet.ledger.money import minor_units

Entry = tuple[Account | int, Money | int]
Result = TypeVar("Result")

ATTEMPTS_MAX = 4
# serialization_failure and deadlock_detected: a retry may succeed.
TRANSIENT = frozenset({"40001", "40P01"})

log = structlog.get_logger(__name__)

_POST = Statement(
    f"SELECT {columns('posted', Transfer)} FROM ledger_post("  # noqa: S608
    "%s, %s, %s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s, %s, %s, %s,"
    " %s, %s, %s, %s) AS posted"
)
_REVERSE = Statement(
    f"SELECT {columns('posted', Transfer)} FROM ledger_reverse(%s, %s, %s, %s, %s) AS posted"  # noqa: S608
)


def post(
    *,
    key: str,
    kind: str,
    entries: Sequence[Entry],
    document: str = "",
    document_id: int | None = None,
    game: str = "",
    deal: int | None = None,
    must_be_empty: Iterable[Account | int] = (),
    memo: str = "",
    actor: str = "",
    effective_at: datetime | None = None,
) -> Transfer:
    """Post a transfer, once per key; a second call with the same entries returns the first.

    Raise `TransferNotAllowed` if the policy of `kind` and `document` does not allow the entries,
    and
    at COMMIT `DocumentMissing` if the document is missing or differs. `game` is the `ref` of the
    escrow or ticket that moves.

    Accounts in `must_be_empty` must have a zero balance afterwards; an escrow among them is closed.
    Raise `KeyConflict` if the key belongs to another posting. A refused posting leaves its key
    unused.
    """
    parts = [_entry(account, amount) for account, amount in entries]
    public_id = new_public_id()
    arguments = (
        key,
        str(kind),
        _array(account for account, _, _ in parts),
        _array(amount for _, amount, _ in parts),
        [currency for _, _, currency in parts],
        _array(_pk(account) for account in must_be_empty),
        " ".join(memo.split()),
        actor,
        effective_at,
        public_id,
        str(document),
        document_id,
        game,
        deal,
    )
    transfer = call(lambda: _one_transfer(_POST, arguments))
    transfer.is_replay = transfer.public_id != public_id
    _log_posted(transfer)
    return transfer


def rehearse(
    *,
    kind: str,
    entries: Sequence[Entry],
    document: str = "",
) -> dict[int, int]:
    """Return the balances, by account key, that a posting would leave, without writing.

    Raise the posting's refusal, if any.
    """
    with transaction.atomic():
        rehearsed = post(
            key=f"rehearsal:{new_public_id()}",
            kind=kind,
            entries=entries,
            document=document,
        )
        left = dict(rehearsed.entries.values_list("account", "balance_after_minor"))
        transaction.set_rollback(True)
    return left


def reverse(transfer: Transfer, *, memo: str = "", actor: str = "") -> Transfer:
    """Post the exact opposite of a transfer, at most once."""
    public_id = new_public_id()
    arguments = (transfer.pk, f"reverse:{transfer.pk}", memo, actor, public_id)
    reversal = call(lambda: _one_transfer(_REVERSE, arguments))
    reversal.is_replay = reversal.public_id != public_id
    _log_posted(reversal)
    return reversal


def lock(accounts: Iterable[Account | int]) -> dict[int, Account]:
    """Lock accounts in primary key order; return their current rows by primary key.

    Use it for decisions that depend on a balance, and before several postings in one transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("accounts can be locked only inside a transaction")
    pks = [_pk(account) for account in accounts]
    query = "SELECT * FROM ledger_lock_accounts(%s::bigint[])"
    return {account.pk: account for account in Account.objects.raw(query, [pks])}


def freeze(account: Account) -> None:
    """Freeze an account: debits are refused, credits still arrive."""
    call(lambda: _execute("SELECT ledger_freeze_account(%s)", (account.pk,)))


def thaw(account: Account) -> None:
    """Unfreeze an account."""
    call(lambda: _execute("SELECT ledger_thaw_account(%s)", (account.pk,)))


def _log_posted(transfer: Transfer) -> None:
    """Log the posting after COMMIT."""
    if not transfer.is_replay:
        facts = {"transfer": str(transfer.public_id), "key": transfer.key, "kind": transfer.kind}
        transaction.on_commit(lambda: log.info("transfer_posted", **facts), robust=True)


def _entry(account: Account | int, amount: Money | int) -> tuple[int, int, str | None]:
    if isinstance(amount, Money):
        currency = amount.currency.code
        if isinstance(account, Account) and account.currency != currency:
            raise CurrencyMismatch(f"{amount} cannot be posted to {account}")
        return _pk(account), minor_units(amount), currency
    if type(amount) is not int:
        raise InexactAmount(f"{amount!r} is neither Money nor whole minor units")
    return _pk(account), amount, account.currency if isinstance(account, Account) else None


def _pk(account: Account | int) -> int:
    return account.pk if isinstance(account, Account) else account


def _array(numbers: Iterable[int | None]) -> str:
    """Return an array literal, which spares the driver from inspecting each element."""
    return "{" + ",".join(["NULL" if number is None else str(number) for number in numbers]) + "}"


def _one_transfer(query: Statement, arguments: tuple[Any, ...]) -> Transfer:
    [row] = query.rows(*arguments)
    return model_from_row(Transfer, row)


def _execute(query: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(query, arguments)
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def call(question: Callable[[], Result]) -> Result:
    """Call a database function, translating refusals; retry conflicts outside a transaction."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        try:
            return question()
        except DatabaseError as error:
            sqlstate = getattr(error.__cause__, "sqlstate", None)
            refusal = LedgerRefusal.by_sqlstate(sqlstate)
            if refusal is not None:
                diagnosis = getattr(error.__cause__, "diag", None)
                raise refusal(getattr(diagnosis, "message_primary", None) or str(error)) from error
            is_ours_to_repeat = sqlstate in TRANSIENT and not connection.in_atomic_block
            if not is_ours_to_repeat or attempt == ATTEMPTS_MAX:
                raise
            log.warning("ledger_retry", sqlstate=sqlstate, attempt=attempt)
            counters.count("ledger_retry")
            time.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311
    raise AssertionError("the loop returns or raises")
