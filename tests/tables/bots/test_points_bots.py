"""Bots at points and deals tables: bring a stack, top it up, leave when no person is left."""

import pytest

from devtools.simulation import tables as simulation
from tables.bots import answers, bots
from tables.games import PROFILES
from tables.lobby.table_templates.profiles import register_profile
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Answer, Result
from tables.state.snapshot import read_snapshot
from tests.builders.tables.making import NO_PAUSES, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread, seat_at
from tests.builders.tables.points_tables import (
    make_points_table,
    next_deal,
    play_deal,
    sit_in,
    stack_of,
)
from tests.builders.tables.pools import make_rich_player, prizes, propose, score, totals
from wallet.audit.audit import row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def play_on(table, *, until):
    """Let bots and workers act until something is true."""
    for _ in range(2_000):
        if until(table := reread(table)):
            return table
        if table.phase == Table.Phase.SETTLING:
            scoring.settle_deal(deal_id=deal_at(table).pk)
        else:
            bots.play_bots(table_id=table.pk)
    raise AssertionError(f"the table is stuck in {table.phase}")


def open_game(rules, **prices):
    quick = rules.with_(name=f"{rules.name}-test", **NO_PAUSES)
    return simulation.open_bot_game(
        profile=register_profile(quick), name="bots", players=2, rake_bps=1_000, **prices
    )


def some_of(names, chosen):
    """Return cases of all names; those not chosen wait for `make soak`."""
    return [
        name if name in chosen else pytest.param(name, marks=pytest.mark.soak)
        for name in sorted(names)
    ]


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "name",
    some_of(
        (name for name, rules in PROFILES.items() if rules.game != "points"),
        # A short pool and a short game of deals.
        chosen={"total-rummy-pool-61", "total-rummy-best-of-2"},
    ),
)
def test_bots_play_a_whole_game_of_every_variant(name):
    table = open_game(PROFILES[name], entry_minor=100_00)

    table = play_on(table, until=lambda table: table.is_over)

    assert table.phase == Table.Phase.FINISHED
    assert sum(Result.objects.values_list("prize_minor", flat=True)) == 180_00
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "name",
    some_of(
        (name for name, rules in PROFILES.items() if rules.game == "points"),
        chosen={"vengala-points"},
    ),
)
def test_bots_play_points_by_every_profile_until_the_table_is_closed(name):
    table = open_game(PROFILES[name], point_value_minor=1_00)

    table = play_on(table, until=lambda table: table.deal_no > 3)
    simulation.send_home(table)
    table = play_on(table, until=lambda table: table.is_over)

    assert Deal.objects.settled().filter(table=table).count() >= 3
    assert (table.phase, table.escrow.balance_minor) == (Table.Phase.FINISHED, 0)
    assert not Stake.objects.live().exists()
    assert row_findings() == ()


def test_bots_fill_a_practice_table_beside_a_person_and_bring_a_stack(settings):
    settings.BOT_THINK_SECONDS = 0
    table = make_points_table(bots_fill=True, seats_max=3, seats_min=3)
    sit_in(table)

    bots.play_bots(table_id=table.pk)

    assert reread(table).phase == Table.Phase.PLAYING
    held = sorted(stack_of(table, seat) for seat in table.seats.all())
    assert held == [80_00, 240_00, 240_00]


def test_a_bot_whose_stack_is_short_fills_it_up_between_deals(settings):
    settings.BOT_THINK_SECONDS = 0
    table = make_points_table(bots_fill=True, seats_max=2)
    sit_in(table, 800_00)
    bots.play_bots(table_id=table.pk)
    bot = table.seats.get(player__is_bot=True)
    for deal_no in (1, 2, 3):
        table = next_deal(table) if deal_no > 1 else reread(table)
        play_deal(table, *((60, 0) if seat_at(table, 1) == bot else (0, 60)))
    assert stack_of(table, bot) == 60_00

    bots.play_bots(table_id=table.pk)

    assert stack_of(table, bot) == 240_00
    assert row_findings() == ()


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
    [("strong", (0, 5, 5), "yes"), ("strong", (70, 70, 79), "no"), ("greedy", (70, 70, 79), "yes")],
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
