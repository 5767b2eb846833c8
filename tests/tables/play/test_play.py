"""Moves: what is refused changes nothing, and what was accepted is accepted once."""

from functools import partial
from uuid import uuid4

import pytest

from rummy import RummyError
from tables.exceptions import MoveIdConflict, NotInPlay, StaleVersion, WindowClosed, WindowMissing
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.actions import Accepted, make_move
from tables.seats import seating
from tables.settlement import scoring
from tables.state.fold import fold_of
from tests.builders.tables.every_phase import showing
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import (
    at_once,
    deal_at,
    hand_of,
    move,
    other_than,
    reread,
    seat_at,
)

pytestmark = pytest.mark.django_db


def test_a_turn_is_a_draw_and_a_discard(game_of_two):
    table = game_of_two

    move(table, 1, "ds")
    drawn = hand_of(table, 1)[-1]
    accepted = move(table, 1, f"x {drawn}")

    assert [m.text for m in table.deals.get().moves.all()] == ["p1 ds", f"p1 x {drawn}"]
    assert accepted.move.ply == 2
    assert accepted.move.version == reread(table).version
    assert accepted.move.origin == Move.Origin.PLAYER
    assert len(hand_of(table, 1)) == 13


@pytest.mark.parametrize(
    ("position", "text", "code"),
    [
        (2, "ds", "not_your_turn"),
        (1, "x 7H", "draw_first"),
        (1, "meld 5H 6H 7H", "unknown_move"),
        (1, "fold", "unknown_move"),
        (1, "", "bad_move"),
        (1, "x 77", "bad_card"),
        (1, "ds ds", "bad_move"),
        (1, "miss", "unknown_move"),  # The clock's moves.
        (1, "leave", "unknown_move"),
        (1, "ds +12000", "bad_move"),
        (1, "p1 ds", "bad_move"),
        (1, "lay 7H 1", "unknown_move"),
    ],
)
def test_an_illegal_move_is_refused_with_its_code_and_changes_nothing(
    position, text, code, game_of_two
):
    table = game_of_two

    with pytest.raises(RummyError) as refusal:
        move(table, position, text)

    assert refusal.value.code == code
    said, _, sent = refusal.value.message.partition("; you can send: ")
    assert not sent or sorted(sent.split(", ")) == ["do", "drop", "ds"]
    assert not {"miss", "leave"} & {*said.replace(",", "").split()}
    assert text == "p1 ds" or "p1" not in said
    assert Move.objects.count() == 0
    assert reread(table).version == table.version
    assert reread(table).due_at == table.due_at


def test_a_card_that_is_not_held_is_not_discarded(game_of_two):
    table = game_of_two
    move(table, 1, "ds")
    held = hand_of(table, 1)
    foreign = other_than(held)

    with pytest.raises(RummyError) as refusal:
        move(table, 1, f"x {foreign}")

    assert refusal.value.code == "card_not_held"
    assert Move.objects.count() == 1
    assert hand_of(table, 1) == held


def test_unknown_move_or_one_of_another_phase_is_refused_with_those_that_can_be_sent(game_of_two):
    shown = showing()
    (waiting,) = fold_of(deal_at(shown)).state.waiting
    for table, position, text, ending in (
        (game_of_two, 1, "fold", "you can send: ds, do, drop"),
        (game_of_two, 2, "fold", "you have no move now"),
        (game_of_two, 1, "meld", "you can send: ds, do, drop"),
        (shown, waiting, "drop", "you can send: meld"),
    ):
        with pytest.raises(RummyError) as refusal:
            move(table, position, text)

        assert refusal.value.code == "unknown_move"
        assert refusal.value.message.rpartition("; ")[2] == ending


def test_a_meld_after_a_show_is_refused_without_its_window():
    shown = reread(showing())
    (waiting,) = fold_of(deal_at(shown)).state.waiting
    made = Move.objects.count()

    with pytest.raises(WindowMissing):
        move(shown, waiting, "meld", expected_version=shown.version, window_id=None)

    assert (reread(shown).version, Move.objects.count()) == (shown.version, made)
    move(shown, waiting, "meld", window_id=shown.window_id)
    assert reread(shown).phase == Table.Phase.SETTLING


def test_same_id_and_move_again_return_the_first_move_and_another_move_is_a_conflict(game_of_two):
    table = game_of_two
    move_id = uuid4()
    first = move(table, 1, "ds", move_id=move_id)
    drawn = hand_of(table, 1)[-1]
    move(table, 1, f"x {drawn}")

    # Whatever version or window comes along.
    for sent in (
        {"expected_version": table.version},
        {"expected_version": 0},
        {"expected_version": None, "window_id": uuid4()},
    ):
        again = move(table, 1, "ds", move_id=move_id, **sent)
        assert (again.move, again.is_repeat) == (first.move, True)
    with pytest.raises(MoveIdConflict):
        move(table, 1, f"x {hand_of(table, 1)[0]}", move_id=move_id)

    assert not first.is_repeat
    assert Move.objects.count() == 2


def test_a_refused_move_leaves_its_id_free(game_of_two):
    table = game_of_two
    move_id = uuid4()
    with pytest.raises(StaleVersion):
        move(table, 1, "ds", move_id=move_id, expected_version=0)

    accepted = move(table, 1, "ds", move_id=move_id)

    assert not accepted.is_repeat


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_one_id", [True, False])
def test_of_two_concurrent_moves_one_is_made(has_one_id):
    table = make_game(players=2)
    seat, ids = seat_at(table, 1), [uuid4(), uuid4()]

    def draw(move_id):
        return make_move(seat=seat.pk, move_id=move_id, text="ds", expected_version=table.version)

    answers = at_once([partial(draw, ids[0]), partial(draw, ids[not has_one_id])])

    assert Move.objects.count() == 1
    if has_one_id:
        assert answers[0].move == answers[1].move
        assert sorted(answer.is_repeat for answer in answers) == [False, True]
    else:
        assert {type(answer) for answer in answers} == {Accepted, StaleVersion}


def test_no_move_is_made_while_a_deal_is_scored_or_between_deals():
    table = make_game(players=2, rules=make_rules(gap_seconds=60))
    move(table, 1, "drop")
    with pytest.raises(NotInPlay):
        move(table, 2, "ds")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)
    assert reread(table).phase == Table.Phase.BETWEEN

    with pytest.raises(NotInPlay):
        move(table, 2, "ds")

    assert Move.objects.count() == 1


def test_an_answer_to_a_window_that_is_not_open_is_refused(game_of_two):
    table = game_of_two

    with pytest.raises(WindowClosed):
        move(table, 2, "meld 5H", expected_version=None, window_id=uuid4())

    assert Move.objects.count() == 0


def test_player_at_two_tables_moves_at_both_and_leaving_one_keeps_the_other():
    player = make_player()
    tables = [make_table() for _ in range(2)]
    for table in tables:
        seating.join(table_id=table.pk, player=player)
        seating.join(table_id=table.pk, player=make_player())
    mine = [table.seats.get(player=player) for table in tables]

    moved = [move(reread(table), 1, "ds") for table in tables]
    seating.leave(seat_id=mine[0].pk)

    assert all(isinstance(answer, Accepted) for answer in moved)
    phases = [reread(table).phase for table in tables]
    assert phases == [Table.Phase.SETTLING, Table.Phase.PLAYING]
    assert Seat.objects.get(pk=mine[1].pk).left_at is None
