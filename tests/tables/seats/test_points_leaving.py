"""Getting up from points tables: stacks are paid out, whenever and however people go (RB 8.1)."""

import random
from contextlib import suppress

import pytest
from django.urls import reverse

from tables.exceptions import AlreadySeated, InDeal, NotInPlay, TableFull, TableNotWaiting
from tables.integrity.moderation import rulings
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.settlement import scoring
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import drop_out, settle, take_turn
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import deal_at, reread, seat_at
from tests.builders.tables.points_tables import (
    make_points_game,
    next_deal,
    play_deal,
    points_rules,
    sit_in,
    stack_of,
    top_up,
    wallet_of,
)
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes import stacks as wallet_stacks
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def test_leaving_between_deals_pays_the_stack_at_once(points_game_of_three):
    table = points_game_of_three
    winner = seat_at(table, 1)
    play_deal(table, 0, 20, 30)

    for _ in range(2):
        seating.leave(seat_id=winner.pk)

    assert wallet_of(winner)["winnings"] == 50_00
    assert stack_of(table, winner) == 0
    assert Transfer.objects.filter(key=f"cashout:{winner.pk}").count() == 1
    assert reread(table).phase == Table.Phase.BETWEEN
    assert row_findings() == ()


def test_leaving_in_mid_deal_is_a_drop_and_the_stack_stays_until_it_is_settled(
    points_game_of_three,
):
    table = points_game_of_three
    leaver = seat_at(table, 1)
    before = wallet_of(leaver)["deposit"]

    seating.leave(seat_id=leaver.pk)

    assert stack_of(table, leaver) == 200_00
    with pytest.raises(AlreadySeated):
        seating.join(table_id=table.pk, player=leaver.player)
    drop_out(table)
    assert stack_of(table, leaver) == 0
    assert wallet_of(leaver)["deposit"] == before + 180_00
    assert Score.objects.get(seat=leaver).won_minor == -20_00
    seating.join(table_id=table.pk, player=leaver.player)
    assert row_findings() == ()


def test_seat_of_a_leaver_is_free_once_their_deal_is_settled():
    table = make_points_game(players=3, seats_max=3)
    seating.leave(seat_id=seat_at(table, 1).pk)

    with pytest.raises(TableFull):
        sit_in(table)
    drop_out(table)
    sit_in(table)

    assert table.seats.present().count() == 3


def test_the_last_to_leave_empties_the_escrow_and_the_table_closes():
    table = make_points_game()
    seats = [seat_at(table, position) for position in (1, 2)]
    play_deal(table, 0, 20)

    for seat in seats:
        seating.leave(seat_id=seat.pk)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "closed")
    assert (table.escrow.balance_minor, table.escrow.status) == (0, "closed")
    with pytest.raises(TableNotWaiting):
        sit_in(table)
    with pytest.raises(NotInPlay):
        top_up(seats[0], 2, 10_00)


def test_everybody_leaving_in_one_deal_is_paid_when_it_is_settled(points_game_of_three):
    table = points_game_of_three
    seats = [seat_at(table, position) for position in (1, 2, 3)]

    for seat in seats:
        seating.leave(seat_id=seat.pk)
    settle(table)

    assert reread(table).phase == Table.Phase.FINISHED
    assert reread(table).escrow.balance_minor == 0
    assert sum(wallet_of(seats[2]).values()) - sum(wallet_of(seats[0]).values()) == 60_00
    assert row_findings() == ()


def test_cancelling_during_a_deal_voids_it_and_returns_every_stack(points_game_of_three):
    table = points_game_of_three
    play_deal(table, 0, 20, 20)
    table = next_deal(table)
    take_turn(table)
    leaver = seat_at(table, 1)
    seating.leave(seat_id=leaver.pk)

    staff = make_player(is_staff=True)
    rulings.cancel_game(table_id=table.pk, by=staff, reason="A power cut")

    table = reread(table)
    assert table.phase == Table.Phase.CANCELLED
    assert table.deals.get(no=2).status == Deal.Status.VOID
    assert (table.escrow.balance_minor, table.escrow.status) == (0, "closed")
    paid = Transfer.objects.filter(kind="cash_out")
    amounts = [t.entries.get(account__kind="escrow").amount_minor for t in paid]
    assert sorted(amounts) == [-240_00, -180_00, -180_00]
    assert row_findings() == ()


def test_deals_voided_one_after_the_other_leave_the_table_in_play(points_game_of_three, client):
    """Only the last two deals of a table without an end are read, none of them settled."""
    table = points_game_of_three
    play_deal(table, 0, 20, 20)
    for _ in range(3):
        table = next_deal(table)
        deal, staff = deal_at(table), make_player(is_staff=True)
        rulings.void_deal(deal_id=deal.pk, by=staff, reason="A card was visible")

    seat = seat_at(table, 1)
    client.force_login(seat.player)
    page = client.get(reverse("table", args=[table.public_id]))
    seating.leave(seat_id=seat.pk)

    assert page.status_code == 200
    assert stack_of(table, seat) == 0
    assert reread(next_deal(table)).phase == Table.Phase.PLAYING
    assert row_findings() == ()


class Regulars(People):
    """Players who also top up, sit out, return and take a seat again."""

    def act(self):
        what = self.chance.random()
        table = reread(self.table)
        present = list(table.seats.present())
        held = wallet_stacks.stacks_in(table.escrow)
        if what < 0.03 and len(present) < table.seats_max:
            with suppress(TableFull):
                sit_in(table, self.chance.choice([80_00, 200_00]))
        elif what < 0.06 and present:
            stacks.sit_out(seat_id=self.chance.choice(present).pk)
        elif what < 0.20 and present:
            seat = self.chance.choice(present)
            with suppress(InDeal):
                if held.get(seat.player_id, 0) < 80_00:
                    top_up(seat, seat.buy_ins.count() + 1, 120_00)
                else:
                    stacks.come_back(seat_id=seat.pk)
        else:
            super().act()


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 3))]
)
def test_random_players_of_a_points_table_lose_no_money(seed, settings):
    settings.SIMULATION_SEED = f"points {seed}"
    table = make_points_game(
        players=2 + seed % 3, rules=points_rules(gap_seconds=seed % 2 * 10), rake_bps=1_000
    )
    people = Regulars(table, random.Random(seed), leaving=0.01)

    for step in range(250):
        if reread(table).is_over:
            break
        people.act()
        if step % 50 == 0:
            held = sum(wallet_stacks.stacks_in(table.escrow).values())
            assert reread(table).escrow.balance_minor == held
    while not reread(table).is_over:
        for seat in table.seats.present():
            seating.leave(seat_id=seat.pk)
        if reread(table).phase == Table.Phase.SETTLING:
            scoring.settle_deal(deal_id=deal_at(table).pk)

    assert reread(table).escrow.balance_minor == 0
    assert Deal.objects.settled().filter(table=table).count() > 2
    assert not Stake.objects.live().exists()
    paid_in = sum(Stake.objects.values_list("entry_minor", flat=True))
    out = Transfer.objects.filter(kind__in=["cash_out", "rake"])
    assert paid_in == sum(-t.entries.get(account__kind="escrow").amount_minor for t in out)
    won = sum(Score.objects.values_list("won_minor", flat=True))
    raked = sum(
        -t.entries.get(account__kind="escrow").amount_minor for t in out if t.kind == "rake"
    )
    assert won == -raked
    assert row_findings() == ()
