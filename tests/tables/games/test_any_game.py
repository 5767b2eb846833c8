"""RB 5.1, 7: random pools of the site equal `rummy.Pool` at every step."""

import random
from collections import Counter

import pytest

from rummy import Pool
from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.models import Result
from tables.state.rules import rules_of
from tables.view.table_view import table_view
from tests.amounts import first
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_rules
from tests.builders.tables.playing import deal_at, reread
from tests.builders.tables.pools import (
    NO,
    YES,
    let_time_pass,
    make_pool,
    open_window,
    prizes,
    propose,
    say,
    score,
    seat_no,
    totals,
)
from tests.builders.tables.soundness import assert_over_and_sound
from tests.builders.tables.straight_tables import straight_rules
from wallet.audit.audit import check_findings, row_findings

pytestmark = pytest.mark.django_db

ENDINGS = {
    "won": {"last_survivor", "nobody_left"},
    "split": {"split"},
    "auto_split": {"auto_split"},
}


def in_turn_order(table):
    """Return the seat numbers of the deal on the table, position 1 first."""
    places = deal_at(table).deal_seats.order_by("position")
    return tuple(places.values_list("seat__number", flat=True))


def still_in(table):
    return tuple(table.seats.active().in_seat_order().values_list("number", flat=True))


def asked(table):
    awaited = open_window(table).answers.awaited().order_by("seat__number")
    return tuple(awaited.values_list("seat__number", flat=True))


def play_a_deal(table, game, rng, seen):
    assert in_turn_order(table) == game.turn_order
    seen["deals"] += 1
    left = []
    if len(game.survivors) > 2 and rng.random() < 0.15:
        left = [rng.choice(game.survivors)]
        seating.leave(seat_id=seat_no(table, left[0]).pk)
        seen["left in a deal"] += 1
    points = {seat: rng.choice([2, 20, 40, 80]) for seat in game.survivors}
    points[rng.choice([seat for seat in game.survivors if seat not in left])] = 0
    score(table, *[game.totals[seat - 1] + points[seat] for seat in game.survivors])
    return game.scored(points, left=left)


def answer_rejoins(table, game, rng, seen):
    assert asked(table) == game.may_rejoin
    roll = rng.random()
    if roll < 0.1:
        let_time_pass(table)
        return game.rejoins_closed()
    if roll < 0.4:
        seat = rng.choice([*game.survivors, *game.may_rejoin])
        seen["left while rejoins are open"] += 1
        seating.leave(seat_id=seat_no(table, seat).pk)
        return game.left(seat)
    seat = rng.choice(game.may_rejoin)
    if roll < 0.55 or game.entries >= 2 * len(game.seats):
        say(table, seat, NO)
        return game.declined(seat)
    say(table, seat, YES)
    seen["rejoined"] += 1
    return game.rejoined(seat)


def pass_the_gap(table, game, rng, seen):
    roll = rng.random()
    if roll < 0.1:
        seat = rng.choice(game.survivors)
        seen["left in a gap"] += 1
        seating.leave(seat_id=seat_no(table, seat).pk)
        return game.left(seat)
    if roll < 0.4 and game.split_offer().eligible:
        first, *others = game.survivors
        propose(table, first)
        for seat in others:
            say(table, seat, YES)
        return game.split()
    let_time_pass(table)
    return game


STEPS = {
    Table.Phase.PLAYING: play_a_deal,
    Table.Phase.REJOIN: answer_rejoins,
    Table.Phase.BETWEEN: pass_the_gap,
}


def play_beside(seed, seen):
    """Play one pool at a table and as a value, and compare them after every step."""
    rng = random.Random(seed)
    players = rng.choice([3, 4, 5, 6])
    changes = {"auto_split_from": 60} if rng.random() < 0.3 else {}
    table = make_pool(players=players, rules=make_rules(gap_seconds=60, **changes))
    entry, bps = table.entry_minor, table.rake_bps
    game = Pool.start(rules_of(table.profile), players=players, entry=entry, bps=bps)
    for _ in range(150):
        table = reread(table)
        assert (table.phase == Table.Phase.FINISHED) == game.is_over
        assert (table.phase == Table.Phase.REJOIN) == (game.offered is not None)
        assert still_in(table) == game.survivors
        assert totals(table) == list(game.totals)
        if game.is_over:
            break
        game = STEPS[Table.Phase(table.phase)](table, game, rng, seen)
    assert game.payouts is not None
    paid = [game.payouts.get(seat, 0) for seat in range(1, players + 1)]
    assert prizes(table) == paid
    assert game.ending in ENDINGS[table.ending]
    undone = Elimination.objects.filter(table=table, rejoined_at__isnull=False)
    assert undone.count() == game.entries - players
    seen[game.ending] += 1


@pytest.mark.parametrize("seeds", first(1, [range(10), range(10, 30)]))
def test_random_pools_at_a_table_and_in_the_library_agree_after_every_step(seeds):
    seen = Counter()

    for seed in seeds:
        play_beside(seed, seen)

    endings = [ending for endings in ENDINGS.values() for ending in endings]
    assert sum(seen[ending] for ending in endings) == len(seeds)
    assert seen["deals"] > 3 * len(seeds)
    for step in ("rejoined", "left while rejoins are open", "left in a gap", "left in a deal"):
        assert seen[step], step
    for ending in ("last_survivor", "split", "auto_split"):
        assert seen[ending], ending


def pool_rules(seed):
    """Half of the games have gaps, in which splits can be proposed."""
    return make_rules(gap_seconds=60 * (seed % 2))


def rules_of_straight(seed):
    ends = [{"target": 60}, {"target": 150}, {"game": "rounds", "target": None, "rounds": 3}]
    return straight_rules(scoring=("winner", "penalty")[seed % 2], **ends[seed % 3])


@pytest.mark.django_db(transaction=True)
@pytest.mark.extended
@pytest.mark.parametrize("make", [pool_rules, rules_of_straight], ids=["pool", "straight"])
@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 40))]
)
def test_any_game_ends_with_its_money_paid_out_and_moves_that_give_its_scores(seed, make, settings):
    settings.SIMULATION_SEED = f"any game {seed}"
    players, rules = 2 + seed % 5, make(seed)
    people = People(make_pool(players=players, rules=rules), random.Random(seed))

    table = people.play_on()

    assert_over_and_sound(table)
    assert (row_findings(), check_findings()[0]) == ((), ())
    assert table_view(table, None).phase == table.phase
    if table.phase == Table.Phase.CANCELLED:
        return
    prized = Result.objects.filter(table=table, prize_minor__gt=0).values("seat")
    out = Elimination.objects.standing().filter(table=table)
    if out.count() < players:  # Nobody who is out has a prize, unless nobody is left.
        assert not out.filter(seat__in=prized).exists()
