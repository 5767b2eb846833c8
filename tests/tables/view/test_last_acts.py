"""The last two acts of a deal: what everybody saw, and of the stock only one's own card."""

from random import Random

import pytest

import rummy
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at

pytestmark = pytest.mark.django_db


def acts(table, position=None):
    viewer = seat_at(table, position).player if position else None
    view = table_view(reread(table), viewer)
    return [(act.seat, act.kind, act.card) for act in view.deal.last_acts]


def test_draws_and_discards_are_public_and_a_stock_card_is_shown_to_its_holder():
    table = make_game(players=2)
    assert acts(table) == []

    move(table, 1, "ds")
    drawn = hand_of(table, 1)[-1]
    assert acts(table, 1) == [(1, "stock", drawn)]
    assert acts(table, 2) == acts(table) == [(1, "stock", None)]

    thrown = hand_of(table, 1)[0]
    move(table, 1, f"x {thrown}")
    assert acts(table, 1) == acts(table, 2) == [(1, "stock", None), (1, "throw", thrown)]

    move(table, 2, "do")
    assert acts(table) == [(1, "throw", thrown), (2, "open", thrown)]
    move(table, 2, f"x {hand_of(table, 2)[0]}")
    move(table, 1, "drop")
    plies = [
        act.ply for act in table_view(table, None, at=deal_at(table).moves.last()).deal.last_acts
    ]
    assert plies == [4, 5]


def test_the_clocks_move_is_one_too():
    table = make_game(players=3)
    top = str(fold_of(deal_at(table)).state.pile[-1])
    move(table, 1, "ds")
    drawn = hand_of(table, 1)[-1]

    People(table, Random(0)).wait()
    assert acts(table) == [(1, "stock", None), (1, "throw", drawn)]
    move(table, 2, "do")
    People(table, Random(0)).wait()

    assert acts(table) == [(2, "open", None), (2, "throw", drawn)]
    assert drawn != top
    People(table, Random(0)).wait()
    assert acts(table)[-1] == (3, "miss", None)


def truth_of(before, after, played):
    """What the states on both sides of a move say of it."""
    if played.action in ("ds", "do"):
        return ("stock" if played.action == "ds" else "open", str(after.drawn))
    if len(after.pile) > len(before.pile):
        return "throw", str(after.pile[-1])
    return played.action, None


@pytest.mark.extended
def test_over_many_turns_no_act_is_wrong_and_no_stock_card_is_shown_to_others():
    table, chance = make_game(players=3), Random(5)
    truth = {}
    for _ in range(24):
        before = fold_of(deal_at(table)).state
        legal = rummy.thirteen.legal_moves(before, before.to_act)
        turns = [each for each in legal if isinstance(each, rummy.Draw | rummy.Discard)]
        if len(truth) % 7 == 6:
            People(table, chance).wait()
        else:
            move(table, before.to_act, chance.choice(turns).text)
        made = deal_at(table).moves.order_by("ply").last()
        after = fold_of(deal_at(table)).state
        truth[made.ply] = truth_of(before, after, rummy.parse_move(made.text))
        for position in (1, 2, 3):
            view = table_view(reread(table), seat_at(table, position).player)
            for act in view.deal.last_acts:
                kind, card = truth[act.ply]
                assert (act.kind, act.card) in ((kind, card), (kind, None))
                assert kind != "throw" or act.card == card
                assert kind != "stock" or act.card in (None, view.me.drawn)

    assert {kind for kind, _ in truth.values()} == {"stock", "open", "throw", "miss"}
