"""Whatever people do at a table, the game ends, the money adds up and the moves tell it again."""

import random

import pytest

from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.settlement.models import Result
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_rules
from tests.builders.tables.pools import make_pool
from tests.builders.tables.soundness import assert_over_and_sound
from tests.builders.tables.straight_tables import straight_rules
from wallet.audit.audit import check_findings, row_findings

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
