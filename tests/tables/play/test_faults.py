"""A step of a game killed at any write or commit is done once when repeated."""

import random
from contextlib import suppress
from functools import partial

import pytest
from django.utils import timezone

from rummy import PROFILES
from tables.exceptions import AlreadySeated
from tables.history.fairness import seeds
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.settlement.models import Window
from tables.state import clock
from tests.builders.processes.faults import Faults
from tests.builders.tables.crowd import People
from tests.builders.tables.making import NO_PAUSES, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread, run_out
from tests.builders.tables.points_tables import end_deal, make_points_table, pts
from tests.builders.tables.pools import (
    NO,
    YES,
    make_pool,
    make_rich_player,
    open_window,
    prizes,
    propose,
    score,
    seat_no,
    totals,
)
from tests.builders.tables.soundness import assert_over_and_sound, assert_sound_money
from tests.builders.tables.table_faults import SOAK, UNHURRIED, every_service_dies
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)

OUT = 101


def join(faults, table, player):
    """Sit down; who got no answer tries again, and may find himself seated."""

    def step():
        with suppress(AlreadySeated):
            seating.join(table_id=table.pk, player=player)

    faults.take("join", step)


def play_to_the_end(faults, table, seed):
    people = People(table, random.Random(seed))
    with every_service_dies(faults):
        for _ in range(3_000):
            people.table = reread(table)
            if people.table.is_over:
                break
            people.act()
    return reread(table)


GAMES = {
    "pool": make_rules(**UNHURRIED),
    "pool without gaps": make_rules(**UNHURRIED | {"gap_seconds": 0}),
    "deals": PROFILES["total-rummy-best-of-2"].with_(name="best of 2", **NO_PAUSES),
    "61": PROFILES["total-rummy-pool-61"].with_(name="61", **NO_PAUSES),
}


@pytest.mark.parametrize(
    ("game", "seed", "faults"),
    [
        pytest.param("pool without gaps", 1, Faults(steps_of_a_kind=1), marks=pytest.mark.extended),
        *(pytest.param(game, seed, Faults(), marks=SOAK) for game in GAMES for seed in range(5)),
    ],
)
def test_game_ends_correctly_although_its_steps_are_killed(game, seed, faults, settings):
    settings.SIMULATION_SEED = f"faults {seed}"
    players = 2 + seed % 2 if game == "deals" else 3 + seed % 3
    table = make_table(
        rules=GAMES[game],
        owner_ref=seeds.SIMULATION,
        name=game,
        seats_min=players,
        seats_max=players,
    )
    for _ in range(players):
        join(faults, table, make_rich_player(500_00))

    table = play_to_the_end(faults, table, seed)

    assert {"join", "play ds", "play x", "clock in playing"} <= faults.deaths.keys()
    assert any(kind.startswith("settle") for kind in faults.deaths)
    assert faults.deaths.total() > 60
    assert_over_and_sound(table)
    assert row_findings() == ()


def test_a_seat_given_up_before_the_start_dies_at_no_cost(faults):
    table = make_table(seats_min=3, seats_max=3)
    player = make_rich_player(500_00)
    join(faults, table, player)
    seat = table.seats.get()

    faults.take("leave", partial(seating.leave, seat_id=seat.pk))

    assert faults.deaths["leave"] > 5
    assert table.seats.present().count() == 0
    assert Transfer.objects.filter(key=f"leave:{seat.pk}").count() == 1
    assert_sound_money(table)


def answer(faults, table, number, said):
    seat, window = seat_no(table, number), open_window(table)
    step = partial(answering.answer, seat_id=seat.pk, window_id=window.public_id, said=said)
    faults.take(f"answer {window.kind} {said}", step)


def let_the_clock_close(faults, table):
    run_out(table)
    step = partial(clock.apply_overdue, table_id=table.pk, now=timezone.now())
    faults.take(f"clock in {reread(table).phase}", step)


@pytest.mark.extended
def test_rejoins_accepted_declined_and_not_answered(faults):
    table = make_pool(players=5, rules=make_rules(**UNHURRIED))
    score(table, 0, 50, OUT, OUT, OUT)

    answer(faults, table, 3, YES)
    answer(faults, table, 4, NO)
    let_the_clock_close(faults, table)

    assert set(faults.deaths) == {"answer rejoin yes", "answer rejoin no", "clock in rejoin"}
    assert totals(table) == [0, 50, 51, OUT, OUT]
    assert reread(table).escrow.balance_minor == 600_00
    assert reread(table).phase == Table.Phase.BETWEEN
    assert table.seats.active().count() == 3
    let_the_clock_close(faults, table)
    assert deal_at(table).deal_seats.count() == 3
    assert row_findings() == ()


@pytest.mark.extended
@pytest.mark.no_settlement_worker
def test_a_split_proposed_agreed_to_and_paid(faults):
    table = make_pool(players=4, rules=make_rules(**UNHURRIED))
    score(table, 40, 81, OUT, OUT)
    seat = seat_no(table, 1)

    faults.take("propose", partial(answering.propose_split, seat_id=seat.pk))
    answer(faults, table, 2, YES)
    assert not table.results.exists()
    faults.take("settle", partial(scoring.settle_table, table_id=table.pk))

    assert faults.deaths["propose"] > 4
    assert faults.deaths["answer split yes"] > 4
    assert faults.deaths["settle"] > 8
    assert prizes(table) == [315_00, 45_00, 0, 0]
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert_sound_money(table)


@pytest.mark.extended
@pytest.mark.parametrize("said", [NO, ""])
def test_a_split_refused_or_not_answered_plays_on(faults, said):
    table = make_pool(players=4, rules=make_rules(**UNHURRIED))
    score(table, 40, 81, OUT, OUT)
    propose(table, 1)

    if said:
        answer(faults, table, 2, said)
    else:
        let_the_clock_close(faults, table)
    let_the_clock_close(faults, table)

    assert (reread(table).phase, reread(table).deal_no) == ("playing", 2)
    assert reread(table).escrow.balance_minor == 400_00
    assert Window.objects.filter(kind="split").count() == 1
    assert row_findings() == ()


def funds_of(seat):
    return sum(
        Account.objects.buckets_of(seat.player)
        .filter(currency="PTS")
        .values_list("balance_minor", flat=True)
    )


@pytest.mark.extended
def test_a_points_table_from_sitting_in_to_cashing_out(faults):
    table = make_points_table(seats_min=3, point_value_minor=1_00, rake_bps=1_000)
    for _ in range(3):
        join(faults, table, make_rich_player(2_000_00))
    end_deal(table, 0, 30, 10)
    faults.take("settle", partial(scoring.settle_deal, deal_id=deal_at(table).pk))
    first, second, third = (
        place.seat for place in deal_at(table).deal_seats.select_related("seat__player")
    )
    before = funds_of(second) + funds_of(third)

    faults.take("sit out", partial(stacks.sit_out, seat_id=third.pk))
    faults.take("top up", partial(stacks.top_up, seat_id=second.pk, no=2, amount=pts(100_00)))
    faults.take("top up", partial(stacks.top_up, seat_id=third.pk, no=2, amount=pts(100_00)))
    faults.take("sit out", partial(stacks.sit_out, seat_id=third.pk))
    faults.take("come back", partial(stacks.come_back, seat_id=third.pk))
    for seat in (first, second, third):
        faults.take("leave", partial(seating.leave, seat_id=seat.pk))

    assert all(faults.deaths[kind] >= 4 for kind in ("settle", "top up", "leave"))
    assert all(faults.deaths[kind] >= 2 for kind in ("sit out", "come back"))
    # What they sat in with came back, less 40.00 of points lost; top-ups went and returned.
    assert funds_of(second) + funds_of(third) == before + 2 * 80_00 - 40_00
    assert Transfer.objects.filter(key=f"deal:{table.pk}:1").count() == 1
    assert reread(table).is_over
    assert_sound_money(table)


@pytest.mark.extended
def test_leaving_a_points_table_in_mid_deal_is_settled_once(faults):
    table = make_points_table(seats_min=2, point_value_minor=1_00)
    for _ in range(2):
        join(faults, table, make_rich_player(500_00))
    seat = deal_at(table).deal_seats.select_related("seat").get(position=1).seat

    faults.take("leave", partial(seating.leave, seat_id=seat.pk))
    faults.take("settle", partial(scoring.settle_deal, deal_id=deal_at(table).pk))
    other = table.seats.present().get()
    faults.take("leave", partial(seating.leave, seat_id=other.pk))

    assert Transfer.objects.filter(key__startswith="cashout:").count() == 2
    assert_sound_money(table)
