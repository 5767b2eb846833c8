"""Kinds of accounts and transfers in the database equal those of the models."""

import pytest
from django.db import connection

from tests.builders.processes.logins import as_owner
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
