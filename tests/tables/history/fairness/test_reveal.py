"""A seed is opened when its deal is over, never before, and never another (RB 12.1)."""

import hashlib

import pytest
from cryptography.fernet import InvalidToken
from django.db import DatabaseError, connection

from rummy import chained
from tables.history.fairness import seeds
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.seats import seating
from tables.settlement import scoring
from tests.builders.tables.deals import drop_out, settle
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import deal_at, move, seat_at

pytestmark = pytest.mark.django_db


def test_committed_seed_is_revealed_once_with_the_scores():
    table = make_game(players=3)
    scoring.settle_deal(deal_id=drop_out(table).pk)

    (opened,) = Reveal.objects.all()

    assert opened.deal.no == 1
    assert hashlib.sha256(bytes.fromhex(opened.server_seed)).hexdigest() == opened.deal.commitment
    assert deal_at(table).no == 2


def test_seed_of_a_void_deal_is_revealed():
    rules = make_rules(limit=81, first_drop=40, middle_drop=80, cap=80)
    table = make_game(players=2, rules=rules)
    seating.leave(seat_id=seat_at(table, 1).pk)
    seating.leave(seat_id=seat_at(table, 2).pk)

    deal = settle(table)

    assert deal.status == Deal.Status.VOID
    assert Reveal.objects.get().deal == deal


def test_the_commitments_of_a_table_are_a_chain():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    drop_out(table)

    first, second = table.deals.order_by("no")

    assert first.chain == chained(first.commitment)
    assert second.chain == chained(second.commitment, first.chain)
    assert not Reveal.objects.filter(deal=second).exists()


@pytest.mark.django_db(transaction=True)
def test_database_refuses_an_early_reveal_and_another_seed(owner):
    table = make_game(players=2)
    playing = deal_at(table)
    with pytest.raises(DatabaseError, match="only the committed seed of a finished deal"):
        seeds.reveal_seed(playing, table.armed_at)
    seed = seeds.unseal(playing.secret).hex()
    row = f"{table.pk}, {playing.pk}, '{{}}', now()"
    insert = (
        f"INSERT INTO tables_reveal (table_id, deal_id, server_seed, revealed_at) VALUES ({row})"
    )
    only = "only the committed seed of a finished deal"

    with owner(), connection.cursor() as cursor, pytest.raises(DatabaseError, match=only):
        cursor.execute(insert.format(seed))
    with owner(), connection.cursor() as cursor:
        cursor.execute("UPDATE tables_deal SET status = 'settled', settled_at = now()")
        with pytest.raises(DatabaseError, match=only):
            cursor.execute(insert.format("00" * 32))
        assert Reveal.objects.count() == 0
        cursor.execute(insert.format(seed))
        for statement in ("UPDATE tables_reveal SET server_seed = ''", "DELETE FROM tables_reveal"):
            with pytest.raises(DatabaseError, match="append-only"):
                cursor.execute(statement)

    assert Reveal.objects.get().server_seed == seed


@pytest.mark.django_db(transaction=True)
def test_deal_is_not_scored_if_its_seed_cannot_be_decrypted(monkeypatch):
    table = make_game(players=2)
    move(table, 1, "drop")
    with monkeypatch.context() as patch:
        patch.setattr(seeds, "unseal", broken_key)
        with pytest.raises(InvalidToken):
            settle(table)

    assert (Score.objects.count(), Reveal.objects.count()) == (0, 0)
    assert deal_at(table).status == Deal.Status.ENDED
    settle(table)
    assert (Score.objects.count(), Reveal.objects.count()) == (2, 1)


def broken_key(secret):
    raise InvalidToken
