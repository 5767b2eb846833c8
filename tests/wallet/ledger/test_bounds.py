"""The database functions limit texts, times and shards."""

import pytest
from django.db import Error, connection

from tests.builders.wallet.players import books, fund, make_player
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db(transaction=True)


def run(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


BOUNDS = {
    "no key": {"key": ""},
    "a key that is too long": {"key": "x" * 161},
    "a control character in the key": {"key": "a\x07b"},
    "a line break in the actor": {"actor": "a\nb"},
    "a memo that is too long": {"memo": "x" * 201},
    "an actor that is too long": {"actor": "x" * 81},
    "a game that is too long": {"game": "x" * 81},
    "effective at no time": {"effective_at": "infinity"},
    "effective before any time": {"effective_at": "-infinity"},
    "effective before 2000": {"effective_at": "1999-12-31"},
    "effective in a year": {"effective_at": "3026-01-01"},
}


def test_the_function_bounds_what_it_is_given(subtests):
    mine = fund(make_player(), deposit=100_00)
    before, plain = books(), {"key": "k", "memo": "", "actor": "", "effective_at": None, "game": ""}

    for name, facts in BOUNDS.items():
        shown = plain | facts
        with subtests.test(name):
            with pytest.raises(Error) as refusal:
                run(
                    "SELECT ledger_post(%s, 'adjustment', ARRAY[%s, %s]::bigint[], ARRAY[-1, 1], "
                    "ARRAY[NULL, NULL]::text[], '{}', %s, %s, %s, gen_random_uuid(), '', NULL, %s)",
                    shown["key"],
                    mine["deposit"].pk,
                    mine["winnings"].pk,
                    shown["memo"],
                    shown["actor"],
                    shown["effective_at"],
                    shown["game"],
                )

            assert refusal.value.__cause__.sqlstate == "RL015"
            assert books() == before


def test_the_function_bounds_what_an_account_is_opened_with():
    player = make_player()

    for ref, shard in [("tick\nline", 0), ("x" * 81, 0), ("ticket:1", -1), ("ticket:1", 99)]:
        with pytest.raises(Error) as refusal:
            run(
                "SELECT ledger_open_account('ticket', %s, %s, 'INR', %s, gen_random_uuid())",
                player.pk,
                ref,
                shard,
            )

        assert refusal.value.__cause__.sqlstate == "RL015", (ref, shard)

    assert not Account.objects.filter(player=player, kind="ticket").exists()
