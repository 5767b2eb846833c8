"""Tables of a tournament: all players seated at once, absent ones skipped, ended on request."""

import random

import pytest
from django.db import transaction
from django.utils import timezone

from rummy import PROFILES
from tables.exceptions import NotInPlay
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal, Move
from tables.models.seats import Elimination, Seat
from tables.models.tables import Table
from tables.seats import client_seeds, hosted, seating
from tables.settlement.models import Result
from tables.state import absence, clock
from tables.state.locks import lock_table
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import drop_out, hidden
from tests.builders.tables.making import NO_PAUSES, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread, seat_at
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def host(players=3, *, rules=None, stop=1, absent=(), is_bot=False):
    people = [make_player(is_bot=is_bot) for _ in range(players)]
    return hosted.open_table(
        profile=profiles.register_profile(rules or make_rules()),
        name="Round 1, table 1",
        owner_ref="tournament:test",
        players=people,
        absent=[people[place] for place in absent],
        stop_at_survivors=stop,
        currency="PTS",
        entry_minor=100_00,
        rake_bps=1_000,
    )


def absent_position(table):
    return deal_at(table).deal_seats.get(seat__is_absent=True).position


def tick(table):
    clock.apply_overdue(table_id=table.pk, now=timezone.now())


def test_players_add_seeds_before_the_first_deal_and_leave_after_it():
    table = host(2, rules=make_rules(start_seconds=10))
    one, two = table.seats.order_by("pk")
    with pytest.raises(NotInPlay):
        seating.leave(seat_id=one.pk)
    for texts in ({one: hidden("mine"), two: hidden("yours")}, {one: "mine", two: "yours"}):
        for seat, text in texts.items():
            client_seeds.give_client_seed(seat_id=seat.pk, text=text)
    waiting = reread(table)
    assert (waiting.phase, waiting.deal_no) == (Table.Phase.WAITING, 0)

    clock.apply_overdue(table_id=table.pk, now=waiting.due_at)

    deal = deal_at(table)
    assert (reread(table).phase, deal.no) == (Table.Phase.PLAYING, 1)
    assert [seed.text for seed in deal.client_seeds.order_by("seat")] == ["mine", "yours"]
    seating.leave(seat_id=one.pk)
    assert not Seat.objects.present().filter(pk=one.pk).exists()


def test_hosted_table_can_be_stopped_before_its_first_deal_and_bots_are_not_waited_for():
    table = host(2, rules=make_rules(start_seconds=10))

    with transaction.atomic():
        hosted.stop_table(lock_table(table.pk), timezone.now())

    assert reread(table).phase == Table.Phase.CANCELLED
    of_bots = host(2, rules=make_rules(start_seconds=10), is_bot=True)
    assert reread(of_bots).phase == Table.Phase.PLAYING


def test_hosted_table_deals_without_money():
    before = Transfer.objects.filter(kind=Transfer.Kind.BUY_IN).count()

    table = reread(host(4))

    assert (table.phase, table.starters, table.escrow_account) == ("playing", 4, None)
    assert deal_at(table).deal_seats.count() == 4
    assert Transfer.objects.filter(kind=Transfer.Kind.BUY_IN).count() == before
    assert not Account.objects.filter(ref=f"table:{table.public_id}").exists()


def lead_by_the_absent(players=3, **more):
    while True:
        table = host(players, absent=[0], **more)
        if absent_position(table) == 1:
            return table


BEST_OF_2 = PROFILES["total-rummy-best-of-2"].with_(name="hosted best of 2", **NO_PAUSES)


@pytest.mark.parametrize(
    ("players", "rules", "text"),
    [(3, None, "p1 drop"), (2, BEST_OF_2, "p1 miss")],  # Without drops the turn is missed.
)
def test_clock_plays_for_an_absent_leader_at_once(players, rules, text):
    table = lead_by_the_absent(players, rules=rules)

    tick(table)

    made = Move.objects.get(deal=deal_at(table))
    assert (made.text, made.origin) == (text, Move.Origin.CLOCK)
    due_at = reread(table).due_at
    assert due_at is None or due_at > timezone.now()


def test_returning_player_gets_a_whole_turn():
    table = lead_by_the_absent()
    seat = seat_at(table, 1)

    absence.come_back(seat_id=seat.pk)
    absence.come_back(seat_id=seat.pk)
    tick(table)

    assert not Seat.objects.get(pk=seat.pk).is_absent
    assert not Move.objects.filter(deal=deal_at(table)).exists()
    assert (reread(table).due_at - timezone.now()).total_seconds() > 20


def test_a_pool_stops_when_as_many_are_left_as_qualify():
    table = host(3, rules=make_rules(limit=81, first_drop=40, middle_drop=80), stop=2)

    while not reread(table).is_over:
        drop_out(table)

    assert reread(table).phase == Table.Phase.FINISHED
    assert 1 <= table.seats.active().count() <= 2
    assert Result.objects.filter(table=table).count() == 3
    assert Result.objects.filter(table=table, prize_minor__gt=0).count() == 0


BEST_OF_6 = PROFILES["total-rummy-best-of-6"].with_(name="hosted best of 6", **NO_PAUSES)


@pytest.mark.parametrize("rules", [None, BEST_OF_6])
def test_no_deal_follows_the_last_one_and_its_scores_decide_the_places(rules):
    table = host(3, rules=rules)
    hosted.make_last_deal(table_id=table.pk, now=timezone.now())

    drop_out(table)

    table = reread(table)
    assert (table.phase, table.deal_no) == (Table.Phase.FINISHED, 1)
    results = sorted(Result.objects.filter(table=table).values_list("place", "total"))
    assert [place for place, _ in results] == [1, 2, 2]
    assert rules is not None or results == [(1, 0), (2, 20), (2, 20)]


def test_between_two_deals_the_round_s_end_is_the_game_s():
    table = host(3, rules=make_rules(gap_seconds=60))
    drop_out(table)
    assert reread(table).phase == Table.Phase.BETWEEN

    hosted.make_last_deal(table_id=table.pk, now=timezone.now())
    hosted.make_last_deal(table_id=table.pk, now=timezone.now())

    assert reread(table).phase == Table.Phase.FINISHED


@pytest.mark.parametrize("gap_seconds", [0, 10])
def test_a_stopped_table_has_no_places(gap_seconds):
    table = host(3, rules=make_rules(gap_seconds=gap_seconds))
    drop_out(table)

    hosted.stop_table(lock_table(table.pk), timezone.now())

    assert reread(table).phase == Table.Phase.CANCELLED
    assert not Result.objects.filter(table=table).exists()
    assert deal_at(table).status in (Deal.Status.VOID, Deal.Status.SETTLED)
    assert reread(table).due_at is None


SHORT = make_rules(limit=81, first_drop=40, middle_drop=80, cap=80)


def make_chips_game(*, players, **overrides):
    fields = {"stake_mode": "chips", "entry_minor": 0, "rake_bps": 0} | overrides
    table = make_table(seats_min=players, seats_max=players, **fields)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_player())
    return reread(table)


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 3))]
)
@pytest.mark.parametrize("survivors", [2, 1])
def test_a_pool_for_chips_stops_when_as_many_are_left_as_qualify(seed, survivors, settings):
    settings.SIMULATION_SEED = f"chips {seed}"
    table = make_chips_game(players=4, stop_at_survivors=survivors, rules=SHORT)
    people = People(table, random.Random(seed), leaving=0.0)

    for _ in range(4_000):
        if reread(table).is_over:
            break
        people.act()

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    assert not Stake.objects.exists()
    assert not Transfer.objects.filter(kind__in=["prize", "buy_in", "refund"]).exists()
    left = list(table.seats.active())
    assert 1 <= len(left) <= survivors
    totals = table.seats.totals()
    by_place = list(Result.objects.order_by("place", "seat__number"))
    assert [row.seat for row in by_place[: len(left)]] == sorted(
        left, key=lambda seat: (totals[seat.pk], seat.number)
    )
    lasted = [Elimination.objects.get(seat=row.seat).deal.no for row in by_place[len(left) :]]
    assert lasted == sorted(lasted, reverse=True)
    assert table_view(table, None).phase == "finished"


def test_leaving_a_waiting_table_for_chips_moves_no_money():
    waiting = make_table(stake_mode="chips", entry_minor=0)
    seat = seating.join(table_id=waiting.pk, player=make_player())

    seating.leave(seat_id=seat.pk)

    assert not Transfer.objects.filter(key__startswith="leave:").exists()
