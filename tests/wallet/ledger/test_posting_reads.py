"""A posting uses indexes, whatever plan was cached at first."""

from itertools import count

import pytest
from django.db import connection, transaction

from tests.builders.wallet.players import fund, make_player
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)

TABLES = ("wallet_account", "wallet_entry", "wallet_transfer")


def rows_read():
    """Return how many rows of each ledger table this connection has fetched lately."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # As COMMIT will ask.
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute(
            """SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
            FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)""",
            [list(TABLES)],
        )
        return dict(cursor.fetchall())


@pytest.mark.extended
def test_a_posting_reads_as_little_from_a_long_book_as_from_a_short_one(owner):
    asha = fund(make_player(), deposit=100_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")

    keys = count()

    def post(times):
        for _ in range(times):
            posting.post(
                key=f"posting:{next(keys)}",
                kind=Transfer.Kind.ADJUSTMENT,
                entries=[(asha, -1), (suspense, 1)],
            )

    def reads_of_one_posting():
        with transaction.atomic():
            before = rows_read()
            post(1)
            return {table: rows - before[table] for table, rows in rows_read().items()}

    post(150)  # Long enough that a walk over transfers looks no dearer than two look-ups.
    with owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()
    post(15)  # All plans are cached by now.
    short = reads_of_one_posting()
    post(200)

    assert reads_of_one_posting() == short
    assert max(short.values()) < 40, short
