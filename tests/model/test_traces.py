"""Games played by bots are traces of the model, which is written from the rulebook alone."""

from random import Random

import pytest

from tables.exceptions import NotInPlay
from tables.integrity.moderation import rulings
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tables.played_games import GAMES
from tests.builders.tables.playing import deal_at
from tests.builders.tables.pools import make_pool
from tests.model.traces import Difference, Trace, replay

pytestmark = pytest.mark.django_db
# Few deals decide a game, and most hands cost a rejoin.
SHORT = {"limit": 81, "first_drop": 20, "middle_drop": 40, "gap_seconds": 60, "misses_allowed": 2}


def play(seed):
    """Play a pool to its end by chance: moves, drops, misses, leaving, rejoins, splits, rulings."""
    chance = Random(seed)
    table = make_pool(players=chance.choice((2, 3, 3, 4)), rules=make_rules(**SHORT))
    people = People(table, chance, leaving=chance.choice((0.0, 0.005, 0.02)))
    staff = make_player(is_staff=True)
    for _ in range(3_000):
        if people.table.is_over:
            return people.table
        people.act()
        what = chance.random()
        try:
            if what < 0.002:
                deal = deal_at(people.table)
                rulings.void_deal(deal_id=deal.pk, by=staff, reason="A card was visible")
            elif what < 0.003:
                rulings.cancel_game(table_id=table.pk, by=staff, reason="Power cut")
        except NotInPlay:
            pass
    raise AssertionError("the game did not end")


@pytest.mark.parametrize(
    "kind",
    [
        "running duel",
        "duel",
        "pool after a rejoin",
        "pool after a split",
        "duel that was left",
        "cancelled",
        "voided deal",
    ],
)
def test_pool_is_a_trace_of_the_model(kind):
    make, phase = GAMES[kind]

    acts = replay(make())

    assert phase in ("playing", "between", "finished", "cancelled")
    assert {act[0] for act in acts} >= {"join"}


@pytest.mark.extended
@pytest.mark.parametrize("seed", range(6))
def test_game_of_bots_is_a_trace_of_the_model(seed):
    table = play(seed)

    acts = replay(table)

    assert table.is_over
    assert {act[0] for act in acts} >= {"join", "draw", "discard"}


def test_changed_points_of_a_deal_are_no_trace_of_the_model():
    trace = Trace(GAMES["pool after a split"][0]())
    score = next(score for score in trace.scores.values() if score.points > 0)
    score.points -= 1

    with pytest.raises(Difference):
        trace.replay()
