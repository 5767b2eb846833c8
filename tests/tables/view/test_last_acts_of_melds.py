"""Last acts of straight rummy: melds, cards laid off, and the clock with a barred card."""

from random import Random

import pytest

import rummy
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.straight_tables import make_straight_game

pytestmark = pytest.mark.django_db
VIP = {"may_discard_taken": False, "refill": "turn_over", "max_refills": 1, "misses_allowed": 9}


def acts_of(table, position=None):
    viewer = seat_at(table, position).player if position else None
    return table_view(reread(table), viewer).deal.last_acts


def shown(table):
    return [(act.seat, act.kind, act.card) for act in acts_of(table)]


def state_of(table):
    return fold_of(deal_at(table)).state


def test_the_clock_throws_another_card_than_the_one_just_taken():
    table = make_straight_game(3, **VIP)
    move(table, 1, "ds")
    first = str(state_of(table).seat(1).hand[0])
    move(table, 1, f"x {first}")
    move(table, 2, "do")

    People(table, Random(0)).wait()

    thrown = str(state_of(table).pile[-1])
    assert thrown != first
    assert shown(table) == [(2, "open", first), (2, "throw", thrown)]
    move(table, 3, "do")
    last = state_of(table).seat(3).hand[0]
    assert shown(table)[-1] in [(3, "open", thrown), (3, "open", None)]
    move(table, 3, f"x {last}")
    assert shown(table)[0] in [(3, "open", thrown), (3, "open", None)]
    assert shown(table)[1] == (3, "throw", str(last))


def truth_of(before, after, played):
    """What the states on both sides of a move say of it."""
    if isinstance(played, rummy.Draw):
        return ("stock" if played.source == "stock" else "open", str(after.drawn))
    if isinstance(played, rummy.LayOff):
        return "lay", str(played.card)
    if len(after.pile) > len(before.pile):
        return "throw", str(after.pile[-1])
    return played.action, None


def choose(state, chance):
    legal = rummy.straight.legal_moves(state, state.to_act)
    kinds = {type(each) for each in legal} - {rummy.Leave}
    for wanted in (rummy.LayOff, rummy.Meld, rummy.TurnOver):
        if wanted in kinds and len(state.seat(state.to_act).hand) > 3:
            return chance.choice([each for each in legal if isinstance(each, wanted)])
    plain = [each for each in legal if isinstance(each, rummy.Draw | rummy.Discard)]
    return chance.choice(plain)


@pytest.mark.extended
@pytest.mark.parametrize("may_discard_taken", [True, False])
@pytest.mark.soak
def test_no_act_of_a_straight_deal_is_wrong(may_discard_taken):
    table = make_straight_game(3, **{**VIP, "may_discard_taken": may_discard_taken})
    chance, truth = Random(3), {}
    for turn in range(90):
        before = state_of(table)
        if turn % 9 == 8:
            People(reread(table), chance).wait()
        else:
            move(table, before.to_act, choose(before, chance).text)
        made = deal_at(table).moves.order_by("ply").last()
        after = state_of(table)
        truth[made.ply] = truth_of(before, after, rummy.parse_move(made.text))
        for position in (1, 2, 3):
            for act in acts_of(table, position):
                kind, card = truth[act.ply]
                assert (act.kind, act.card) in ((kind, card), (kind, None)), made.text
        if after.phase == "ended":
            break

    kinds = {kind for kind, _ in truth.values()}
    assert {"stock", "open", "throw", "meld", "lay"} <= kinds
