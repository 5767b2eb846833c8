"""Cancelled statements leave nothing behind, and the same request can be repeated."""

from contextlib import contextmanager

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from tests.builders.wallet.players import balances, books, fund, make_escrow, make_player
from wallet.audit.audit import row_findings
from wallet.ledger import posting
from wallet.ledger.models import Transfer
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def held(account):
    """Lock an account's row from another session within this block."""
    settings = connection.settings_dict
    where = {"dbname": settings["NAME"], "user": settings["USER"], "password": settings["PASSWORD"]}
    where |= {"host": connection.connection.info.host, "port": connection.connection.info.port}
    with psycopg.connect(**where) as other:
        other.execute("SELECT 1 FROM wallet_account WHERE id = %s FOR UPDATE", [account.pk])
        yield


@pytest.mark.extended
@pytest.mark.parametrize("limit", ["statement_timeout", "lock_timeout"])
def test_cancelled_posting_writes_nothing_and_succeeds_on_retry(limit):
    mine = fund(make_player(), deposit=100)
    before = books()

    def post():
        entries = [(mine["deposit"], -40), (mine["winnings"], 40)]
        return posting.post(key="n:1", kind=Transfer.Kind.ADJUSTMENT, entries=entries)

    def post_in_time():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL {limit} = '200ms'")
            post()

    with held(mine["deposit"]), pytest.raises(OperationalError):
        post_in_time()

    assert books() == before
    assert not post().is_replay
    assert balances(mine["deposit"], mine["winnings"]) == [60, 40]
    assert row_findings() == ()


def test_a_buy_in_cut_off_between_its_steps_takes_neither_money_nor_seat():
    player, escrow = make_player(), make_escrow()
    mine = fund(player, deposit=100_00)
    before = books()

    def take():
        return stakes.take_stake(
            player=player, escrow=escrow, entry=as_money(100_00, "INR"), rake_bps=0, key="join:1"
        )

    def take_in_time():
        with transaction.atomic(), connection.cursor() as cursor:
            take()
            cursor.execute("SET LOCAL statement_timeout = '50ms'")
            cursor.execute("SELECT pg_sleep(5)")

    with pytest.raises(OperationalError):
        take_in_time()

    assert books() == before
    assert balances(mine["deposit"], escrow) == [100_00, 0]
    assert take().entry_minor == 100_00
    assert Stake.objects.count() == 1
    assert balances(mine["deposit"], escrow) == [0, 100_00]
