"""Rulings and hosted tables killed at any write or commit are done once when repeated."""

import random
from contextlib import suppress
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from tables.exceptions import NotInPlay
from tables.integrity.moderation import rulings
from tables.integrity.moderation.models import Ruling
from tables.lobby.table_templates import profiles
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import hosted, seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.state.locks import lock_table
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread
from tests.builders.tables.pools import NO, make_pool, propose, say, score
from tests.builders.tables.soundness import assert_over_and_sound, assert_sound_money
from tests.builders.tables.table_faults import SOAK, UNHURRIED, every_service_dies
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)

OUT = 101


def cancel(table, staff):
    """Staff whose request got no response repeat it, and may learn that it was carried out."""

    def step():
        with suppress(NotInPlay):
            rulings.cancel_game(table_id=table.pk, by=staff, reason="Power cut")

    return step


@pytest.mark.extended
@pytest.mark.no_settlement_worker
@pytest.mark.parametrize(
    "phase",
    [
        "playing",
        "rejoin",
        *(pytest.param(p, marks=SOAK) for p in ("waiting", "between", "split")),
    ],
)
def test_a_game_staff_call_off_in_any_phase(faults, phase):
    if phase == "waiting":
        table = make_table(seats_min=3, seats_max=3)
        seating.join(table_id=table.pk, player=make_player())
    else:
        table = make_pool(players=4, rules=make_rules(**UNHURRIED))
    if phase in ("between", "rejoin"):
        score(table, 0, 20, 40, OUT)
    if phase == "between":
        say(table, 4, NO)
    if phase == "split":
        score(table, 40, 81, OUT, OUT)
        propose(table, 1)
    assert reread(table).phase == phase

    faults.take("cancel", cancel(table, make_player(is_staff=True)))
    faults.take("settle", partial(scoring.settle_table, table_id=table.pk))

    assert faults.deaths["cancel"] + faults.deaths["settle"] > 8
    assert reread(table).phase == Table.Phase.CANCELLED
    assert Ruling.objects.filter(table=table).count() == 1
    assert Transfer.objects.filter(key=f"cancel:{table.pk}").count() == 1
    assert not Result.objects.filter(table=table).exists()
    assert_sound_money(table)


@pytest.mark.extended
def test_a_deal_staff_declare_void(faults):
    table = make_pool(players=3, rules=make_rules(**UNHURRIED))
    deal, staff = deal_at(table), make_player(is_staff=True)

    faults.take("void", partial(rulings.void_deal, deal_id=deal.pk, by=staff, reason="Power cut"))

    assert faults.deaths["void"] > 4
    assert Ruling.objects.filter(deal=deal).count() == 1
    assert (reread(table).phase, table.deals.get(no=1).status) == ("between", "void")
    assert table.deals.filter(no=2).count() == 1


def host(people):
    """Open a tournament's table, or find it open."""
    with transaction.atomic(durable=True):
        found = Table.objects.filter(owner_ref="tournament:faults").first()
        return found or hosted.open_table(
            profile=profiles.register_profile(make_rules(gap_seconds=60)),
            name="Round 1, table 1",
            owner_ref="tournament:faults",
            players=people,
            absent=people[:1],
            stop_at_survivors=1,
            currency="PTS",
            entry_minor=100_00,
            rake_bps=1_000,
        )


@pytest.mark.extended
def test_a_tournament_s_table_is_opened_once_and_ends_once(faults):
    people = [make_player() for _ in range(3)]
    table = faults.take("open", partial(host, people))
    players = People(table, random.Random(3), leaving=0)

    with every_service_dies(faults):
        while reread(table).phase != Table.Phase.BETWEEN:
            players.act()

    def make_last_deal():
        with transaction.atomic(durable=True):
            hosted.make_last_deal(table_id=table.pk, now=timezone.now())

    faults.take("make last deal", make_last_deal)

    assert faults.deaths["open"] > 8
    assert faults.deaths["make last deal"] > 4
    assert Table.objects.get().pk == table.pk
    assert Seat.objects.count() == Result.objects.count() == 3
    assert_over_and_sound(reread(table))


def test_a_tournament_s_table_is_stopped_once(faults):
    table = host([make_player() for _ in range(3)])

    def stop():
        with transaction.atomic(durable=True):
            locked = lock_table(table.pk)
            if not locked.is_over:
                hosted.stop_table(locked, timezone.now())

    faults.take("stop", stop)

    assert faults.deaths["stop"] > 2
    assert_over_and_sound(reread(table))
