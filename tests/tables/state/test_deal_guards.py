"""Commitments never change: the database itself refuses it for every role (RB 12.1)."""

from contextlib import nullcontext

import pytest
from django.db import DatabaseError, connection, transaction

from tables.models.deals import Deal, DealSeat, DealSecret
from tables.models.seats import Score
from tests.builders.tables.making import make_game
from tests.builders.tables.shared import shared
from wallet.ledger.accounts import open_escrow

pytestmark = pytest.mark.django_db


@shared
def game():
    return make_game(players=2)


def run(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        "commitment = repeat('0', 64)",
        "chain = repeat('0', 64)",
        "no = no + 10",
        "table_id = table_id + 1",
        "public_id = gen_random_uuid()",
        "status = 'void', commitment = repeat('0', 64)",
    ],
)
def test_a_deal_keeps_what_was_committed_to(change, owner, game):
    before = list(Deal.objects.values())

    with pytest.raises(DatabaseError, match="permission denied"):
        run(f"UPDATE tables_deal SET {change}")
    with owner(), pytest.raises(DatabaseError, match="keeps its table, number, commitment"):
        run(f"UPDATE tables_deal SET {change}")

    assert list(Deal.objects.values()) == before


def test_a_seed_is_not_exchanged_even_by_the_owner(owner, game):
    before = list(DealSecret.objects.values())

    for statement in (
        "UPDATE tables_dealsecret SET encrypted_seed = ''",
        "DELETE FROM tables_dealsecret",
        "TRUNCATE tables_dealsecret",
    ):
        with pytest.raises(DatabaseError, match="permission denied"):
            run(statement)
        with owner(), pytest.raises(DatabaseError, match="append-only"):
            run(statement)

    assert list(DealSecret.objects.values()) == before


def test_a_deal_is_not_deleted_even_by_the_owner(owner, game):
    with owner(), pytest.raises(DatabaseError, match="append-only"):
        run("DELETE FROM tables_deal")
    with owner(), pytest.raises(DatabaseError, match="append-only"):
        run("TRUNCATE tables_deal CASCADE")

    assert Deal.objects.count() == 1


@pytest.mark.parametrize(
    "name", ["deal", "dealsecret", "elimination", "dealseat", "result", "buyin"]
)
def test_the_application_deletes_nothing_a_game_rests_on(name, game):
    with pytest.raises(DatabaseError, match="permission denied"):
        run(f"DELETE FROM tables_{name}")

    assert DealSeat.objects.count() == 2


def test_a_deal_that_is_over_takes_no_further_score(owner, game):
    add = """INSERT INTO tables_score
            (table_id, deal_id, seat_id, points, total_after, how, arrangement, won_minor)
        SELECT table_id, deal_id, seat_id, 2, 2, 'lost', '', 0 FROM tables_dealseat LIMIT 1"""
    run("UPDATE tables_deal SET status = 'void', ended_at = now()")

    for role in (nullcontext, owner):
        with role(), pytest.raises(DatabaseError, match="scored already"):
            run(add)

    assert not Score.objects.exists()


def test_events_of_a_table_cannot_be_undone(owner, game):
    run("UPDATE tables_seat SET left_at = now()")
    account = open_escrow(ref="rejoins", currency="PTS")
    run(f"UPDATE tables_table SET rejoin_account_id = {account.pk}")
    run("UPDATE tables_table SET phase = 'cancelled', finished_at = now(), due_at = NULL")
    add = """INSERT INTO tables_elimination (table_id, seat_id, deal_id, total, at)
        SELECT table_id, seat_id, deal_id, 101, now() FROM tables_dealseat LIMIT 1"""

    for statement, why in (
        ("UPDATE tables_deal SET toss = 'AS KS'", "a deal begins once"),
        ("UPDATE tables_seat SET left_at = NULL", "a seat is left once"),
        ("UPDATE tables_table SET rejoin_account_id = NULL", "paid to one account"),
        (add, "the game is over"),
    ):
        for role in (nullcontext, owner):
            with role(), pytest.raises(DatabaseError, match=why):
                run(statement)
