"""A transfer that is posted early and committed late."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from django.db import connection, transaction

from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer


@contextmanager
def posted_slowly(payer: Account, payee: Account, *, key: str) -> Iterator[None]:
    """Post a transfer of 1 in a transaction that commits when the block ends."""
    posted, looked = Event(), Event()

    def post() -> None:
        try:
            with transaction.atomic():
                entries = [(payer, -1), (payee, 1)]
                posting.post(key=key, kind=Transfer.Kind.DEPOSIT, entries=entries)
                posted.set()
                assert looked.wait(10)
        finally:
            connection.close()

    thread = Thread(target=post)
    thread.start()
    try:
        assert posted.wait(10)
        yield
    finally:
        looked.set()
        thread.join()
