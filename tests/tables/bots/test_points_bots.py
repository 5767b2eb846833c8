"""Bots at points and deals tables: bring a stack, top it up, leave when no person is left."""

import pytest

from devtools.simulation import tables as simulation
from tables.bots import bots
from tables.games import PROFILES
from tables.lobby.table_templates.profiles import register_profile
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tests.builders.tables.making import NO_PAUSES
from tests.builders.tables.playing import deal_at, reread, seat_at
from tests.builders.tables.points_tables import (
    make_points_table,
    next_deal,
    play_deal,
    sit_in,
    stack_of,
)
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


@pytest.mark.extended
def test_bots_get_up_when_the_last_person_has_left(settings):
    settings.BOT_THINK_SECONDS = 0
    table = make_points_table(bots_fill=True, seats_max=3)
    person = sit_in(table)
    bots.play_bots(table_id=table.pk)
    seating.leave(seat_id=person.pk)

    table = play_on(table, until=lambda table: table.is_over)

    assert table.escrow.balance_minor == 0
    assert not table.seats.present().exists()
    assert row_findings() == ()
