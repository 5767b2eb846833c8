"""Rulings and hosted tables killed at any write or commit are done once when repeated."""

import random
from contextlib import suppress
from functools import partial
from random import Random

import pytest
from django.db import transaction
from django.utils import timezone

import rummy
from rummy import PROFILES
from tables.exceptions import ClientSeedGiven, ClientSeedLate, MaintenanceMode, NotInPlay
from tables.history.deal_file import history_of, history_text
from tables.integrity.moderation import rulings
from tables.integrity.moderation.models import Ruling
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import drains
from tables.seats import client_seeds, hosted, seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.state.locks import lock_table
from tests.builders.tables.crowd import People
from tests.builders.tables.making import NO_PAUSES, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread
from tests.builders.tables.pools import NO, make_pool, make_rich_player, propose, say, score
from tests.builders.tables.soundness import assert_over_and_sound, assert_sound_money
from tests.builders.tables.table_faults import SOAK, UNHURRIED, every_service_dies
from wallet.audit.audit import row_findings
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
    ["playing", "rejoin", *(pytest.param(p, marks=SOAK) for p in ("waiting", "between", "split"))],
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


POOL_9 = PROFILES["total-rummy-pool-101"].with_(
    name="pool-9", limit=9, first_drop=2, middle_drop=3, cap=6
)
GAMES = (
    *(PROFILES[name] for name in ("total-rummy-pool-61", "total-rummy-best-of-2")),
    *(PROFILES[name] for name in ("vengala-pool-101", "total-rummy-best-of-3")),
    *(PROFILES[name] for name in ("total-rummy-pool-201", "total-rummy-best-of-6")),
    POOL_9,
)


class Ruled(People):
    """Players at a table where staff void some deals and start and end maintenance mode."""

    def __init__(self, table, chance):
        super().__init__(table, chance, leaving=0.01)
        self.staff, self.drain = make_player(is_staff=True), None

    def act(self):
        self.table = reread(self.table)
        what = self.chance.random()
        if what < 0.002:
            with suppress(NotInPlay):  # Nobody may be left who could share.
                rulings.cancel_game(table_id=self.table.pk, by=self.staff, reason="Power cut")
        elif what < 0.03:
            self.void()
        elif what < 0.045:
            self.drain_or_lift()
        elif what < 0.08:
            self.give_seed(f"{what}")
        else:
            with suppress(MaintenanceMode):
                super().act()

    def void(self):
        deal = self.table.deals.filter(no=self.table.deal_no).first()
        with suppress(NotInPlay):
            if deal is not None:
                rulings.void_deal(deal_id=deal.pk, by=self.staff, reason="A card lay open")

    def drain_or_lift(self):
        if self.drain is None:
            self.drain = drains.begin(by=self.staff, reason="New version")
        else:
            drains.lift(drain=self.drain, by=self.staff)
            self.drain = None

    def give_seed(self, text):
        present = list(self.table.seats.present())
        with suppress(ClientSeedLate, ClientSeedGiven):
            if present:
                client_seeds.give_client_seed(seat_id=self.chance.choice(present).pk, text=text)


@pytest.mark.extended
@pytest.mark.parametrize(
    "seed", [6, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(7, 28))]
)
def test_whatever_is_ruled_the_game_ends_sound(seed, settings):
    settings.SIMULATION_SEED = f"rulings {seed}"
    chance = Random(seed)
    pauses = NO_PAUSES | {"gap_seconds": chance.choice([0, 10])}
    base = GAMES[seed % len(GAMES)]
    rules = base.with_(name=f"ruled {base.name} {pauses['gap_seconds']}", **pauses)
    players = chance.randint(2, rules.players_max)
    table = make_table(rules=rules, seats_min=players, seats_max=players)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_rich_player(600_00))
    people = Ruled(table, chance)

    for _ in range(5_000):
        if reread(table).is_over:
            break
        people.act()

    assert_over_and_sound(reread(table))
    assert row_findings() == ()
    for deal in Deal.objects.revealed().filter(table=table):
        history = rummy.history.loads(history_text(deal))
        assert history == history_of(deal)
        assert (history.commitment, history.chain) == (deal.commitment, deal.chain)
