"""Any game in which staff intervene ends, its money balances, and its files verify."""

from contextlib import suppress
from random import Random

import pytest

import rummy
from rummy import PROFILES
from tables.exceptions import ClientSeedGiven, ClientSeedLate, MaintenanceMode, NotInPlay
from tables.history.deal_file import history_of, history_text
from tables.integrity.moderation import rulings
from tables.models.deals import Deal
from tables.play import drains
from tables.seats import client_seeds, seating
from tests.builders.tables.crowd import People
from tests.builders.tables.making import NO_PAUSES, make_player, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import make_rich_player
from tests.builders.tables.soundness import assert_over_and_sound
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db(transaction=True)

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
