"""Accounts and postings exist only in registered currencies."""

import pytest
from django.db import Error, connection, transaction
from moneyed import get_currency

from tests.builders.wallet.players import make_player
from wallet.exceptions import CurrencyUnregistered
from wallet.ledger import accounts
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


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
