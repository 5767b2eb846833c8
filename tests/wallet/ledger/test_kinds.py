"""Kinds of accounts and transfers, and currencies, equal those of the models."""

import pytest
from django.db import Error, connection, transaction
from moneyed import get_currency

from tests.builders.processes.logins import as_owner
from tests.builders.wallet.players import make_player
from wallet.exceptions import CurrencyUnregistered
from wallet.ledger import accounts
from wallet.ledger.models import PLAYER_KINDS, Account, Transfer

pytestmark = pytest.mark.django_db

NAMED = {"escrow", "ticket"}
OWNED = {*PLAYER_KINDS, "ticket", "receivable"}
WITHOUT_A_FLOOR = {"receivable"}


def fits(function, *values):
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}({', '.join(['%s'] * len(values))})", values)
        return cursor.fetchone()[0]


@pytest.mark.parametrize("kind", Account.Kind.values)
def test_an_account_has_the_owner_the_name_and_the_floor_of_its_kind(kind):
    def account(player, ref, floor, balance=0, status="open"):
        named = kind, player, ref, floor, balance, status
        return fits("wallet_account_fits_its_kind", *named)

    owner, ref = (1 if kind in OWNED else None), ("table:1" if kind in NAMED else "")
    is_the_operators = kind not in OWNED | NAMED
    floor = None if kind in WITHOUT_A_FLOOR else 0

    assert account(owner, ref, floor)
    assert not account(None if owner else 1, ref, floor)
    assert account(owner, ref, None) == (is_the_operators or floor is None)
    assert account(owner, ref, -1) == is_the_operators
    if not is_the_operators:
        assert not account(owner, "" if ref else "table:1", floor)
    assert account(owner, ref, floor, -1) == (floor is None)
    assert account(owner, ref, floor, 1) == (kind != "receivable")
    assert account(owner, ref, floor, status="closed")
    assert not account(owner, ref, floor, 1, status="closed")
    assert not account(owner, ref, floor, status="shut")


@pytest.mark.parametrize("kind", Transfer.Kind.values)
def test_only_reversals_name_a_reversed_transfer(kind):
    is_reversal = kind == "reversal"

    assert fits("wallet_transfer_fits_its_kind", kind, 1) == is_reversal
    assert fits("wallet_transfer_fits_its_kind", kind, None) != is_reversal


def test_database_has_no_other_transfer_kinds():
    assert not fits("wallet_account_fits_its_kind", "pocket", 1, "", 0, 0, "open")
    assert not fits("wallet_transfer_fits_its_kind", "gift", None)


@pytest.mark.parametrize("currency", ["XQX", "inr", "PT", ""])
def test_no_account_is_opened_in_a_currency_that_is_not_registered(currency):
    with pytest.raises(CurrencyUnregistered), transaction.atomic():
        accounts.open_player_account(player=make_player(), currency=currency, kind="deposit")

    assert not Account.objects.filter(currency=currency).exists()


def test_the_owner_too_is_held_to_the_register_and_the_application_only_reads_it(owner):
    mine = accounts.open_player_account(player=make_player(), currency="INR", kind="deposit")
    with connection.cursor() as cursor:
        with pytest.raises(Error, match="permission denied"), transaction.atomic():
            cursor.execute("INSERT INTO wallet_currency VALUES ('XQX', 2)")
        with owner(), pytest.raises(Error, match="currency_registered"), transaction.atomic():
            cursor.execute("DELETE FROM wallet_currency WHERE code = 'INR'")

    assert Account.objects.get(pk=mine.pk).currency == "INR"


def test_amounts_mean_the_same_in_the_register_and_in_python():
    with connection.cursor() as cursor:
        cursor.execute("SELECT code, exponent FROM wallet_currency")
        registered = dict(cursor.fetchall())

    assert {code: 10**digits for code, digits in registered.items()} == {
        code: get_currency(code).sub_unit for code in registered
    }
    assert (registered["PTS"], registered["INR"], registered["JPY"]) == (2, 2, 0)
