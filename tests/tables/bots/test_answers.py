"""Answers of bots between the deals of a pool: strong bots compare expected shares."""

from __future__ import annotations

import pytest

from devtools.simulation import tables as simulation
from tables.bots import answers, bots
from tables.lobby.table_templates.profiles import register_profile
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.models import Answer
from tables.state.snapshot import read_snapshot
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import make_rich_player, prizes, propose, score, totals
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def pool_with_a_bot(strength):
    """A pool of four in its first deal; return it and the number of the bot's seat."""
    rules = make_rules(gap_seconds=60)
    table = make_table(rules=rules, seats_min=4, seats_max=4, bot_strength=strength)
    (bot,) = bots.bots_for(table, 1)
    for player in (bot, *(make_rich_player(5 * table.entry_minor) for _ in range(3))):
        seating.join(table_id=table.pk, player=player)
    return reread(table), table.seats.get(player=bot).number


def standings(number, own, others):
    """The totals in seat order, the bot's own among those of the others."""
    totals = list(others)
    totals.insert(number - 1, own)
    return totals


def bot_says(table, number):
    assert answers.answer_or_propose(read_snapshot(table.pk))
    return Answer.objects.get(seat__table=table, seat__number=number).said


@pytest.mark.parametrize(
    ("strength", "others", "said"),
    [
        ("strong", (0, 5, 5), "yes"),
        ("strong", (70, 70, 79), "no"),
        ("greedy", (70, 70, 79), "yes"),
    ],
)
def test_a_strong_bot_rejoins_where_the_entry_is_worth_it(strength, others, said):
    table, number = pool_with_a_bot(strength)
    table = score(table, *standings(number, 101, others))

    assert bot_says(table, number) == said


@pytest.mark.parametrize(
    ("strength", "own", "other", "said"),
    [("strong", 50, 85, "yes"), ("strong", 85, 50, "no"), ("greedy", 85, 50, "yes")],
)
def test_a_strong_bot_splits_where_playing_on_is_worth_less(strength, own, other, said):
    table, number = pool_with_a_bot(strength)
    totals = standings(number, own, (other, 101, 101))
    table = score(table, *totals)
    propose(table, totals.index(other) + 1)

    assert bot_says(table, number) == said


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_bots_among_themselves_rejoin_once_and_split_in_a_gap():
    table = simulation.open_bot_game(
        profile=register_profile(make_rules(gap_seconds=60)),
        name="gaps",
        players=4,
        entry_minor=100_00,
        rake_bps=1_000,
    )
    table = score(table, 0, 20, 101, 101)
    assert table.phase == Table.Phase.REJOIN
    bots.play_bots(table_id=table.pk)
    assert totals(table) == [0, 20, 21, 21]
    score(table, 0, 40, 41, 101)
    bots.play_bots(table_id=table.pk)
    assert totals(table) == [0, 40, 41, 101]

    table = score(table, 0, 60, 101)
    bots.play_bots(table_id=table.pk)  # The third bot declines, the first proposes.
    bots.play_bots(table_id=table.pk)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "split")
    # Six entries of 90.00 net; five drops and two.
    assert prizes(table) == [405_00, 135_00, 0, 0]
    assert Stake.objects.filter(escrow=table.escrow).count() == 6
