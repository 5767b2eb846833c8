"""Whatever people do at a table, the game ends, the money adds up and the moves tell it again."""

import random

import pytest
from django.db.models import Sum

import rummy
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score
from tables.models.tables import Table
from tables.settlement.models import Result, Window
from tables.state import fold as state
from tables.state.fold import FoldCache, fold_of
from tables.state.rules import rules_of
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_rules
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import make_pool
from tests.builders.tables.straight_tables import straight_rules
from wallet.audit.audit import check_findings, row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)


def pool_rules(seed):
    """Half of the games have gaps, in which splits can be proposed."""
    return make_rules(gap_seconds=60 * (seed % 2))


def rules_of_straight(seed):
    ends = [{"target": 60}, {"target": 150}, {"game": "rounds", "target": None, "rounds": 3}]
    return straight_rules(scoring=("winner", "penalty")[seed % 2], **ends[seed % 3])


@pytest.mark.extended
@pytest.mark.parametrize("make", [pool_rules, rules_of_straight], ids=["pool", "straight"])
@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 40))]
)
def test_any_game_ends_with_its_money_paid_out(seed, make, settings):
    settings.SIMULATION_SEED = f"any game {seed}"
    players, rules = 2 + seed % 5, make(seed)
    people = People(make_pool(players=players, rules=rules), random.Random(seed))

    for _ in range(6_000):
        if people.table.is_over:
            break
        people.act()
        people.table = reread(people.table)

    table = people.table
    assert table.is_over
    assert table.escrow.balance_minor == 0
    assert (row_findings(), check_findings()[0]) == ((), ())
    assert not Window.objects.open().exists()
    if table.phase == Table.Phase.FINISHED:
        tell_again(table, players)
    else:
        assert not Stake.objects.in_escrow().exists()


def tell_again(table, players):
    results = Result.objects.filter(table=table)
    entries = Stake.objects.filter(escrow=table.escrow).count()
    rejoined = Elimination.objects.filter(seat__table=table, rejoined_at__isnull=False)
    assert entries == players + rejoined.count()
    assert results.count() == players
    assert results.aggregate(sum=Sum("prize_minor"))["sum"] == entries * 90_00
    assert results.filter(place=1).exists()
    rules = rules_of(table.profile)
    assert all(rummy.pool.drops_left(e.rejoined_total, rules) >= 1 for e in rejoined)
    out = Elimination.objects.standing().filter(seat__table=table)
    prized = results.filter(prize_minor__gt=0).values_list("seat", flat=True)
    if out.count() < players:  # Nobody who is out has a prize, unless nobody is left.
        assert not out.filter(seat__in=prized).exists()
    for deal in Deal.objects.settled().filter(table=table):
        remembered = fold_of(deal)
        state.memo = FoldCache()
        replayed = fold_of(deal)
        assert replayed == remembered
        outcome = rummy.family_of(replayed.state.rules).outcome(replayed.state)
        scores = Score.objects.filter(deal=deal)
        points = {
            place.position: scores.get(seat=place.seat).points for place in deal.deal_seats.all()
        }
        assert points == {result.position: result.points for result in outcome.results}
    assert table_view(table, None).phase == "finished"
