"""The last two moves of a deal in a view: stock cards are shown only to their player."""

from random import Random

import pytest
from rest_framework.test import APIClient

import rummy
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.api import api_client
from tests.builders.tables.crowd import People
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.straight_tables import make_straight_game

pytestmark = pytest.mark.django_db
VIP = {"may_discard_taken": False, "refill": "turn_over", "max_refills": 1, "misses_allowed": 9}


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


def test_last_acts_include_moves_of_the_clock():
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
    """Return what the states on both sides of a move say of it."""
    if isinstance(played, rummy.Draw):
        return ("stock" if played.source == "stock" else "open", str(after.drawn))
    if isinstance(played, rummy.LayOff):
        return "lay", str(played.card)
    if len(after.pile) > len(before.pile):
        return "throw", str(after.pile[-1])
    return played.action, None


def choose(state, chance):
    """Choose a move that shows much: melds while the hand is large, else a draw or a discard."""
    legal = rummy.family_of(state.rules).legal_moves(state, state.to_act)
    for wanted in (rummy.LayOff, rummy.Meld, rummy.TurnOver):
        of_kind = [each for each in legal if isinstance(each, wanted)]
        if of_kind and len(state.seats[state.to_act - 1].hand) > 3:
            return chance.choice(of_kind)
    return chance.choice([each for each in legal if isinstance(each, rummy.Draw | rummy.Discard)])


@pytest.mark.extended
@pytest.mark.parametrize(
    ("make", "turns", "kinds"),
    [
        (lambda: make_game(players=3), 24, {"stock", "open", "throw", "miss"}),
        *(
            pytest.param(
                lambda may=may: make_straight_game(3, **VIP | {"may_discard_taken": may}),
                90,
                {"stock", "open", "throw", "meld", "lay"},
                marks=pytest.mark.soak,
            )
            for may in (True, False)
        ),
    ],
)
def test_no_act_is_wrong_and_no_stock_card_is_shown_to_others(make, turns, kinds):
    table, chance, truth = make(), Random(5), {}
    for turn in range(turns):
        before = fold_of(deal_at(table)).state
        if turn % 7 == 6:
            People(reread(table), chance).wait()
        else:
            move(table, before.to_act, choose(before, chance).text)
        made = deal_at(table).moves.order_by("ply").last()
        after = fold_of(deal_at(table)).state
        truth[made.ply] = truth_of(before, after, rummy.parse_move(made.text))
        for position in (1, 2, 3):
            view = table_view(reread(table), seat_at(table, position).player)
            for act in view.deal.last_acts if view.deal else ():
                kind, card = truth[act.ply]
                assert (act.kind, act.card) in ((kind, card), (kind, None)), made.text
                assert kind != "throw" or act.card == card
                assert kind != "stock" or act.card in (None, view.me.drawn)
        if after.phase == "ended":
            break

    assert kinds <= {kind for kind, _ in truth.values()}


def ask(table, player):
    client = api_client(player)
    return client.get(f"/api/v1/tables/{table.public_id}/arrangement/")


def test_a_practice_table_lays_the_own_hand_at_its_least_cost():
    table = make_game(bots_fill=True)
    hand, wild = hand_of(table, 1), rummy.parse_cards(wild_of(table))[0]
    rules = rummy.PROFILES["total-rummy-pool-101"]

    answer = ask(table, seat_at(table, 1).player)

    best = rummy.best_arrangement(rummy.parse_cards(" ".join(hand)), wild=wild, rules=rules)
    shown = {"groups": best.to_text(), "points": best.points, "finish": None}
    assert (answer.status_code, {**answer.json(), **shown}) == (200, answer.json())
    laid = answer.json()["groups"].replace("|", " ").replace("/", " ").split()
    assert sorted(laid) == sorted(hand)


def wild_of(table):
    answer = APIClient().get(f"/api/v1/tables/{table.public_id}/public/")
    return answer.json()["deal"]["wild"]


def test_with_a_card_drawn_all_fourteen_are_laid():
    table = make_game(bots_fill=True)
    move(table, 1, "ds")

    shown = ask(table, seat_at(table, 1).player).json()

    laid = shown["groups"].replace("|", " ").replace("/", " ").split()
    left = [shown["finish"]] if shown["finish"] else []
    assert sorted(laid + left) == sorted(hand_of(table, 1))


def test_help_is_refused_without_cards_and_where_people_play():
    table, other = make_game(players=3, bots_fill=True), make_game()
    dropped = seat_at(table, 1).player
    move(table, 1, "drop")

    answers = [ask(table, dropped), ask(other, seat_at(other, 1).player)]

    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert found == [(409, "not_in_play"), (409, "no_help")]
    assert ask(table, make_player()).status_code == 404
