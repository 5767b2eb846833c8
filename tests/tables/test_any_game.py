"""Whatever people do at a table, the game ends, the money adds up and the moves tell it again."""

import random
from uuid import uuid4

import pytest
from django.db.models import Sum
from django.utils import timezone

import rummy
from tables import state
from tables.models import Deal, Elimination, Result, Score, Table
from tables.selectors import table_view
from tables.services import clock, play, seating, settlement
from tables.state import Memo, fold_of
from tests.tables.builders import deal_at, make_game, reread, run_out
from wallet.models import Stake
from wallet.services import audit

pytestmark = pytest.mark.django_db(transaction=True)


class People:
    """A table of people who play, drop, dawdle and walk out by chance."""

    def __init__(self, table, chance):
        self.table, self.chance = table, chance

    def act(self):
        self.table = reread(self.table)
        if self.table.phase == Table.Phase.SETTLING:
            settlement.settle_deal(deal_id=deal_at(self.table).pk)
            return
        what = self.chance.random()
        if what < 0.02:
            seating.leave(seat_id=self.chance.choice(list(self.table.seats.present())).pk)
        elif what < 0.10:
            run_out(self.table, seconds=60)
            clock.apply_overdue(table_id=self.table.pk, now=timezone.now())
        else:
            self.move()

    def move(self):
        deal = deal_at(self.table)
        state = fold_of(deal).state
        family = rummy.family_of(state.rules)
        status = family.status(state)
        awaited = {status.to_act} if status.phase == "playing" else status.waiting
        position = min(awaited)
        legal = family.legal_moves(state, position)
        is_tired = "drop" in legal and self.chance.random() < 0.15
        text = "drop" if is_tired else rummy.bots.choose(family.view(state, position), legal)
        play.play(
            seat_id=deal.deal_seats.get(position=position).seat_id,
            move_id=uuid4(),
            text=text,
            expected_version=self.table.version,
            window_id=self.table.window_id,
        )


@pytest.mark.parametrize("seed", range(6))
def test_any_game_ends_with_its_money_paid_out(seed, settings):
    settings.SIMULATION_SEED = f"any game {seed}"
    players = 2 + seed % 5
    people = People(make_game(players=players), random.Random(seed))

    for _ in range(4_000):
        if people.table.is_over:
            break
        people.act()
        people.table = reread(people.table)

    table = people.table
    assert table.is_over
    assert table.escrow.balance_minor == 0
    assert audit.audit().is_clean
    if table.phase == Table.Phase.FINISHED:
        tell_again(table, players)
    else:
        assert set(Stake.objects.values_list("status", flat=True)) == {"refunded"}


def tell_again(table, players):
    results = Result.objects.filter(table=table)
    assert results.count() == players
    assert results.aggregate(sum=Sum("prize_minor"))["sum"] == players * 90_00
    assert results.filter(place=1).exists()
    assert Elimination.objects.filter(seat__table=table).count() >= players - 1
    for deal in Deal.objects.settled().filter(table=table):
        remembered = fold_of(deal)
        state.memo = Memo()
        replayed = fold_of(deal)
        assert replayed == remembered
        outcome = rummy.family_of(replayed.state.rules).outcome(replayed.state)
        scores = Score.objects.filter(deal=deal)
        points = {
            place.position: scores.get(seat=place.seat).points for place in deal.deal_seats.all()
        }
        assert points == {result.position: result.points for result in outcome.results}
    assert table_view(table, None).phase == "finished"
