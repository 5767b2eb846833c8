"""RB 5: the deal, turn by turn, and everything it refuses."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import (
    PROFILES,
    Draw,
    IllegalMove,
    RulesError,
    best_arrangement,
    format_cards,
    parse_cards,
)
from rummy.thirteen import (
    Deal,
    apply,
    clock_move,
    extra_ms_left,
    full_deck,
    leave_move,
    legal_moves,
    misses,
    outcome,
    start,
    status,
)
from tests.builders.cards.dealing import (
    POOL,
    all_cards,
    deal_of,
    make_deal,
    play,
    random_play,
    stream_of,
)
from tests.builders.cards.hands import LAID, LOSER, POOR, WINNER


def offers(deal: Deal, position: int) -> tuple[str, ...]:
    return tuple(move.offer for move in legal_moves(deal, position))


def refused(code: str, *setup: object) -> None:
    deal, *moves = setup
    with pytest.raises(IllegalMove) as refusal:
        play(deal, *moves)  # type: ignore[arg-type]
    assert refusal.value.code == code


def test_thirteen_cards_are_dealt_one_at_a_time_from_the_leader() -> None:
    stream = stream_of(1)
    deck, _ = stream.shuffled(full_deck(POOL, 3))

    deal = start(POOL, players=3, stream=stream)

    assert deal.seats[0].hand == deck[0:39:3]
    assert deal.seats[2].hand == deck[2:39:3]
    assert deal.pile == (deck[39],)
    assert deal.wild == deck[40]
    assert deal.stock == deck[41:]
    assert deal.to_act == 1


@pytest.mark.parametrize("players", [1, 7])
def test_a_table_of_one_or_seven_is_not_dealt(players: int) -> None:
    with pytest.raises(RulesError):
        start(POOL, players=players, stream=stream_of(1))


def test_a_turn_is_draw_then_discard() -> None:
    deal = deal_of(1)

    after = play(deal, "p1 ds", "p1 x @")

    assert after.to_act == 2
    assert after.pile[-1] == deal.stock[0]
    assert after.seats[0].hand == deal.seats[0].hand
    assert after.seats[0].has_drawn


def test_moves_out_of_turn_or_order_are_refused() -> None:
    deal = make_deal(WINNER, POOR)

    refused("not_your_turn", deal, "p2 ds")
    refused("no_such_position", deal, "p3 ds")
    refused("draw_first", deal, "p1 x 5H")
    refused("draw_first", deal, f"p1 show {LAID} x 5H")
    refused("already_drawn", deal, "p1 ds", "p1 do")
    refused("already_drawn", deal, "p1 ds", "p1 ds")
    refused("already_drawn", deal, "p1 ds", "p1 drop")
    refused("card_not_held", deal, "p1 ds", "p1 x QH")
    refused("unknown_move", deal, "p1 meld 5H 6H 7H")
    refused("card_not_held", deal, "p1 ds", f"p1 show {LAID} x QH")


def test_the_card_just_taken_from_the_open_pile_may_be_discarded() -> None:
    deal = play(make_deal(WINNER, POOR, up="9D"), "p1 do", "p1 x 9D")

    assert format_cards(deal.pile) == "9D"


def test_the_open_pile_may_run_empty_and_then_offers_nothing() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D")

    after = play(deal, "p1 do", "p1 leave")

    assert after.pile == ()
    assert offers(after, 2) == ("ds", "drop")
    refused("open_pile_empty", after, "p2 do")


def test_a_joker_leaves_the_open_pile_only_as_the_first_upcard() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="PJ", wild="9D")
    always = replace(deal, rules=POOL.with_(open_joker="always"))
    never = replace(deal, rules=POOL.with_(open_joker="never"))

    assert "do" in offers(deal, 1)
    assert "do" in offers(play(deal, "p1 drop"), 2)
    assert "do" not in offers(play(deal, "p1 do", "p1 x PJ"), 2)
    refused("joker_not_takeable", deal, "p1 do", "p1 x PJ", "p2 do")
    assert "do" in offers(play(always, "p1 do", "p1 x PJ"), 2)
    refused("joker_not_takeable", never, "p1 do")
    assert "do" in offers(play(deal, "p1 miss"), 2)


def test_a_first_drop_costs_the_first_price_and_a_later_one_the_middle_price() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D")

    first = outcome(play(deal, "p1 drop", "p2 drop"))
    later = outcome(play(deal, "p1 ds", "p1 x @", "p2 drop", "p3 ds", "p3 x @", "p1 drop"))

    assert first is not None
    assert [(r.points, r.how) for r in first.results] == [
        (20, "first_drop"),
        (20, "first_drop"),
        (0, "won"),
    ]
    assert (first.ending, first.winner) == ("last_standing", 3)
    assert later is not None
    assert [(r.points, r.how) for r in later.results] == [
        (40, "middle_drop"),
        (20, "first_drop"),
        (0, "won"),
    ]


def test_drops_off_means_no_drop_and_leaving_costs_the_cap() -> None:
    rules = PROFILES["total-rummy-best-of-2"]
    deal = make_deal(POOR, LOSER, rules=rules)

    refused("drop_not_allowed", deal, "p1 drop")
    left = outcome(play(deal, "p1 leave"))

    assert offers(deal, 1) == ("ds", "do")
    assert left is not None
    assert (left.results[0].points, left.results[1].points) == (80, 0)


def test_leaving_counts_as_the_drop_of_the_moment_on_turn_or_not() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D")

    before = play(deal, "p2 leave")
    on_turn = play(deal, "p1 ds", "p1 leave")

    assert (before.seats[1].standing, before.seats[1].points) == ("first_drop", 20)
    assert before.to_act == 1
    assert (on_turn.seats[0].standing, on_turn.seats[0].points) == ("middle_drop", 40)
    assert len(on_turn.seats[0].hand) == 14
    assert (on_turn.to_act, on_turn.drawn) == (2, None)
    refused("not_in_deal", on_turn, "p1 ds")
    refused("not_in_deal", on_turn, "p1 leave")


def test_a_valid_show_opens_the_window_and_every_answer_gets_the_better_score() -> None:
    deal = make_deal(WINNER, LOSER, POOR, up="9D", next_cards="JH")

    shown = play(deal, "p1 ds", f"p1 show {LAID} x JH")

    now = status(shown)
    assert (now.phase, now.to_act, now.waiting) == ("showing", None, frozenset({2, 3}))
    assert offers(shown, 2) == ("meld",)
    assert offers(shown, 1) == ()
    refused("not_awaited", shown, "p1 meld 5H 6H 7H")
    refused("unknown_move", shown, "p2 drop")
    refused("card_not_held", shown, "p2 meld AH AS AC")
    answered = play(shown, "p2 meld 2H 3H 4H / 8C 9C TC", "p3 miss")
    refused("deal_over", answered, "p2 meld 2H 3H 4H")
    ended = outcome(answered)
    assert ended is not None
    assert (ended.ending, ended.winner) == ("show", 1)
    assert [result.points for result in ended.results] == [0, 27, 80]
    assert ended.results[0].arrangement is not None
    assert ended.results[0].arrangement.to_text() == LAID
    assert [str(v.kind) for v in ended.results[1].submitted] == ["pure_sequence"]
    assert ended.results[2].submitted == ()


def test_an_answer_is_given_once_and_leaving_in_the_window_costs_nothing_more() -> None:
    deal = make_deal(WINNER, LOSER, POOR, up="9D", next_cards="JH")
    shown = play(deal, "p1 ds", f"p1 show {LAID} x JH", "p3 meld")

    refused("not_awaited", shown, "p3 meld 8C 9C TC")
    refused("not_awaited", shown, "p3 leave")
    ended = outcome(play(shown, "p2 leave"))

    assert ended is not None
    assert (ended.results[1].points, ended.results[1].how) == (27, "lost")


@pytest.mark.parametrize(("card", "stock"), [("PJ", None), ("JH", 1)])
def test_a_joker_or_the_last_card_of_the_stock_may_finish(card: str, stock: int | None) -> None:
    deal = make_deal(WINNER, LOSER, up="9D", next_cards=card, stock=stock)
    deal = replace(deal, reshuffles=1)

    assert status(play(deal, "p1 ds", f"p1 show {LAID} x {card}")).phase == "showing"


def test_wrong_show_costs_the_cap_and_the_deal_continues() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D", next_cards="JH")

    after = play(deal, "p1 ds", "p1 show 2D 4C 6D | 8S TS QH x JH")

    seat = after.seats[0]
    assert (seat.standing, seat.points, len(seat.hand)) == ("wrong_show", 80, 14)
    assert seat.reasons[-1] == "ungrouped_cards"
    assert (after.to_act, format_cards(after.pile)) == (2, "9D")
    assert after.has_first_upcard
    refused("not_in_deal", after, "p1 ds")


def test_a_wrong_show_with_two_left_makes_the_other_win() -> None:
    deal = make_deal(POOR, LOSER, up="9D", next_cards="JH", rules=PROFILES["total-rummy-pool-61"])

    ended = outcome(play(deal, "p1 ds", "p1 show 2D 4C 6D x JH"))

    assert ended is not None
    assert (ended.ending, ended.winner) == ("last_standing", 2)
    assert [(r.points, r.how) for r in ended.results] == [(60, "wrong_show"), (0, "won")]
    assert ended.results[0].reasons[0] == "mixed_suits"


def test_the_declarer_is_judged_on_what_was_sent_not_on_what_could_have_been() -> None:
    deal = make_deal(WINNER, LOSER, up="9D", next_cards="JH")
    worse = LAID.replace("KD KS KC | 2C", "KD KS 2C | KC")

    ended = outcome(play(deal, "p1 ds", f"p1 show {worse} x JH"))

    assert ended is not None
    assert ended.results[0].how == "wrong_show"


def test_a_miss_discards_the_drawn_card_and_three_in_a_row_are_a_middle_drop() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D", next_cards="JH 3C 6C")

    once = play(deal, "p1 ds", "p1 miss")
    turn = ("p2 ds", "p2 x @", "p3 ds", "p3 x @")
    twice = play(once, *turn, "p1 miss")
    thrice = play(twice, *turn, "p1 miss")

    assert (format_cards(once.pile), once.seats[0].hand) == ("9D JH", deal.seats[0].hand)
    assert (misses(once, 1), misses(twice, 1)) == (1, 2)
    assert misses(play(once, *turn, "p1 ds", "p1 x @"), 1) == 0
    assert thrice.seats[0].standing == "middle_drop"
    assert thrice.seats[0].points == 40
    assert thrice.to_act == 2


def test_three_misses_without_a_card_drawn_are_a_middle_drop_all_the_same() -> None:
    deal = make_deal(POOR, LOSER)
    turn = ("p2 ds", "p2 x @")

    ended = outcome(play(deal, "p1 miss", *turn, "p1 miss", *turn, "p1 miss"))

    assert ended is not None
    assert (ended.results[0].points, ended.results[0].how) == (40, "middle_drop")
    assert ended.results[1].points == 0


def test_extra_time_is_taken_from_the_bank_and_never_below_zero() -> None:
    deal = make_deal(POOR, LOSER)

    after = play(deal, "p1 ds +12000", "p1 x @ +1000")
    empty = play(after, "p2 miss +99000")

    assert extra_ms_left(after, 1) == 17_000
    assert extra_ms_left(after, 2) == 30_000
    assert extra_ms_left(empty, 2) == 0
    with pytest.raises(IllegalMove):
        apply(deal, Draw(1, "stock", extra_ms=-5))
    assert str(clock_move(after, 2, 500)) == "p2 miss +500"
    assert str(leave_move(after, 2)) == "p2 leave"


def test_the_last_card_is_played_out_and_then_the_pile_is_reshuffled_but_its_top() -> None:
    deal = make_deal(POOR, LOSER, up="9D", next_cards="JH", stock=1)

    drawn = play(deal, "p1 ds")
    after = play(drawn, "p1 x JH")

    assert (drawn.stock, drawn.reshuffles) == ((), 0)
    assert (after.reshuffles, format_cards(after.pile)) == (1, "JH")
    assert sorted(after.stock) == sorted(deal.pile)
    assert after.stream != deal.stream
    assert not after.has_first_upcard


def test_a_second_exhaustion_ends_the_deal_and_the_lowest_hand_wins() -> None:
    deal = make_deal(POOR, LOSER, WINNER.replace("9C", "9S"), up="9D", next_cards="JH", stock=1)
    used = replace(deal, reshuffles=1)
    nothing_left = replace(deal, pile=())

    ended = outcome(play(used, "p1 ds", "p1 x JH"))
    assert outcome(play(nothing_left, "p1 ds", "p1 x JH")) is not None

    assert ended is not None
    assert (ended.ending, ended.winner) == ("exhausted", 2)
    assert [(r.points, r.how) for r in ended.results] == [(80, "lost"), (0, "won"), (80, "lost")]


def test_a_tie_at_exhaustion_goes_to_the_earlier_in_turn_order_and_the_dropped_cannot_win() -> None:
    deal = make_deal(LOSER, LOSER, LOSER.replace("KH", "KS"), up="9D", next_cards="JH 6C", stock=2)
    used = replace(deal, reshuffles=1)

    ended = outcome(play(used, "p1 drop", "p2 ds", "p2 x JH", "p3 ds", "p3 x 6C"))

    assert ended is not None
    assert (ended.winner, [r.points for r in ended.results]) == (2, [20, 0, 27])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PROFILES)), st.integers(2, 6))
def test_random_deals_keep_every_card_and_end_in_order(seed: int, name: str, players: int) -> None:
    rules = PROFILES[name]
    deal = deal_of(seed, rules=rules, players=min(players, rules.players_max))
    whole = all_cards(deal)

    for _, after in random_play(deal, random.Random(seed)):
        deal = after
        assert all_cards(deal) == whole
        playing = status(deal).phase == "playing"
        for at, seat in enumerate(deal.seats, start=1):
            if seat.is_active and playing:
                assert len(seat.hand) == (14 if deal.drawn and deal.to_act == at else 13)
            assert (seat.is_active and playing and deal.to_act == at) == bool(
                playing and legal_moves(deal, at)
            )

    ended = outcome(deal)
    if ended is not None:
        for result in ended.results:
            assert 0 <= result.points <= rules.cap
            assert (result.points == 0) or result.how != "won"
            if result.how == "lost":
                hand = deal.seats[result.position - 1].hand
                best = best_arrangement(hand, wild=deal.wild, rules=rules)
                assert result.points == best.points
        assert [r.how for r in ended.results].count("won") == 1


def test_the_hands_of_these_tests_are_what_they_claim() -> None:
    (ace,) = parse_cards("AC")
    points = [
        best_arrangement(parse_cards(hand), wild=ace, rules=POOL).points
        for hand in (WINNER, LOSER, POOR)
    ]

    assert points == [0, 27, 80]
