"""Practice bots move legally, repeat their move for the same view, and see no hidden cards."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rummy
from rummy import (
    PROFILES,
    Card,
    Discard,
    Drop,
    ImpossibleHand,
    Rank,
    Rules,
    Show,
    bots,
    parse_cards,
    parse_move,
)
from rummy.bots import between, drops
from rummy.bots.completions import completions
from rummy.bots.prospects import situation
from rummy.numbers.lookup import Estimate
from rummy.straight import PROFILES as STRAIGHT
from rummy.thirteen import Deal, apply, legal_moves, outcome, status, view
from tests.builders.cards.dealing import POOL, deal_of, make_deal, shuffled_secrets

GOOD = "5H 6H 7H 9C TC JC 4D 4S 4H KD QD 2C 2S"
POOR = "2C 5D 8H JS 3D 6H 9S QC 4H 7S TC KD 3S"


def on_turn(deal: Deal) -> int:
    now = status(deal)
    return now.to_act or min(now.waiting)


def choice(deal: Deal, strength: bots.Strength, seed: int = 0, total: int = 0) -> str:
    position = on_turn(deal)
    legal = legal_moves(deal, position)
    rng = random.Random(seed)
    return bots.choose(view(deal, position), legal, rng, strength=strength, total=total).text


@pytest.mark.extended
@pytest.mark.parametrize("strength", bots.STRENGTHS)
@pytest.mark.parametrize("name", sorted(PROFILES))
def test_bots_play_every_profile_to_the_end_with_legal_moves(
    name: str, strength: bots.Strength
) -> None:
    rules = PROFILES[name]
    deal = deal_of(name, rules=rules, players=min(3, rules.players_max))

    for ply in range(2_000):
        if status(deal).phase == "ended":
            break
        position = on_turn(deal)
        action = choice(deal, strength, seed=ply)
        assert action.split()[0] in {move.action for move in legal_moves(deal, position)}
        deal = apply(deal, parse_move(f"p{position} {action}"))

    ended = outcome(deal)
    assert ended is not None
    assert all(result.how != "wrong_show" for result in ended.results)
    assert strength == "random" or ended.ending in {"show", "last_standing"}


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(2, 5),
    st.integers(0, 40),
    st.sampled_from(bots.STRENGTHS),
)
def test_a_bot_moves_the_same_whatever_the_hidden_cards_are(
    seed: int, players: int, plies: int, strength: bots.Strength
) -> None:
    deal = deal_of(seed, players=players)
    for ply in range(plies):
        if status(deal).phase == "ended":
            return
        deal = apply(deal, parse_move(f"p{on_turn(deal)} {choice(deal, 'greedy', ply)}"))
    if status(deal).phase == "ended":
        return
    other = shuffled_secrets(deal, on_turn(deal), random.Random(seed))

    assert choice(deal, strength, seed) == choice(other, strength, seed)
    assert choice(deal, strength, seed) == choice(deal, strength, seed)


def test_unseen_cards_of_a_strong_bot_exclude_its_own_and_open_cards() -> None:
    deal = deal_of(7, players=3)

    unseen = situation(view(deal, 1)).unseen

    hidden = [*deal.stock, *deal.seats[1].hand, *deal.seats[2].hand]
    assert sorted(unseen.elements()) == sorted(hidden)


def test_a_card_that_more_ways_need_is_worth_more() -> None:
    hand = parse_cards("5H 6H 7H 9C TC JC 4D 4S 4H KD QD 2C 8S AS")
    unseen = dict.fromkeys(parse_cards("JD AD KS 2D"), 2)

    ways = completions(hand, Rank.THREE, unseen, reach=0.05)

    five, queen, eight = parse_cards("5H QD 8S")
    assert ways.without(five) < ways.without(queen) < ways.without(eight) == ways.total


def test_a_twin_is_spare_where_one_copy_is_enough() -> None:
    hand = parse_cards("5H 5H 6H 7H 9C TC JC 4D 4S 4H KD QD 2C 8S")

    ways = completions(hand, Rank.THREE, {}, reach=0.05)

    assert ways.without(parse_cards("5H")[0]) == ways.total > 0


def test_a_hopeless_hand_is_dropped_and_a_good_one_is_not() -> None:
    assert choice(make_deal(POOR, GOOD), "strong") == "drop"
    assert choice(make_deal(GOOD, POOR), "strong") in {"ds", "do"}


@pytest.mark.parametrize("strength", ["greedy", "strong"])
def test_bots_do_not_drop_if_the_drop_would_end_their_game(strength: bots.Strength) -> None:
    last = POOL.limit - POOL.first_drop if POOL.limit else 0

    for seed in range(30):
        assert choice(deal_of(seed, players=4), strength, total=last) != "drop"


NO_PURE = "2C 5D 8H JS 3D 6H 9S QC 4H 7S TC KD"


@pytest.mark.parametrize(
    ("players", "position", "hand", "is_dropped"),
    [
        pytest.param(2, 2, f"{NO_PURE} 3S", True, id="last of two, no joker"),
        pytest.param(2, 2, f"{NO_PURE} PJ", False, id="two seats, one joker"),
        pytest.param(6, 6, f"{NO_PURE} PJ", True, id="last of six, one joker"),
        pytest.param(6, 6, "2C 3C 4C 5D 8H JS 3D 6H 9S QC 4H 7S KD", True, id="pure sequence only"),
        pytest.param(6, 6, "2C 3C 4C 5D 6D 7D 3S 6H 9S QC 4H 7S PJ", False, id="both sequences"),
    ],
)
@pytest.mark.parametrize("strength", ["greedy", "strong"])
def test_first_drop_follows_the_measured_table(
    players: int, position: int, hand: str, is_dropped: bool, strength: bots.Strength
) -> None:
    others = ["3H 6C 9D"] * (players - 1)
    hands = [*others[: position - 1], hand, *others[position - 1 :]]
    deal = make_deal(*hands, wild="AC", up="KC", rules=PROFILES["total-rummy-points"])
    deal = replace(deal, to_act=position)
    seen = deal.view(position)

    move = bots.choose(seen, deal.legal_moves(position), strength=strength)

    assert isinstance(move, Drop) is is_dropped
    assert drops.first_drop(seen, ()) is is_dropped
    unmeasured = replace(seen, rules=PROFILES["rummycentral-points"])
    assert drops.first_drop(unmeasured, ()) is None


def test_first_drop_that_eliminates_is_never_made() -> None:
    deal = make_deal(f"{NO_PURE} 3S", "3H 6C 9D", wild="AC", up="KC")

    assert drops.first_drop(deal.view(1), (81, 75)) is False


@pytest.mark.parametrize(
    ("low", "high", "splits", "rejoins"),
    [(0, 100, False, True), (0, 40, True, False), (90, 100, False, True)],
)
def test_measured_shares_bound_what_a_bot_expects(
    monkeypatch: pytest.MonkeyPatch, low: float, high: float, splits: bool, rejoins: bool
) -> None:
    known = Estimate((low + high) / 2, low, high, 1000)
    monkeypatch.setattr(between, "expected_share", lambda *_, **__: known)
    monkeypatch.setattr(between, "expected_rejoin", lambda *_, **__: known)
    rules = PROFILES["total-rummy-pool-101"]

    # By the totals alone, 70 % and 49 % of the prize are expected.
    is_split = between.splits(rules, [40, 80], own=0, offered=240, prize=400)
    is_rejoined = between.rejoins(rules, [80], score=81, prize=120, entry=100, net=100)

    assert (is_split, is_rejoined) == (splits, rejoins)


def test_an_easy_bot_plays_on_keeps_its_jokers_and_shows_some_day() -> None:
    shows = 0
    for number in range(12):
        deal = deal_of(f"easy {number}", players=2)
        for ply in range(400):
            if status(deal).phase != "playing":
                break
            position = on_turn(deal)
            seen = view(deal, position)
            move = parse_move(f"p{position} {choice(deal, 'random', seed=ply)}")
            assert not isinstance(move, Drop)
            if isinstance(move, Discard):
                assert not move.card.is_joker(seen.wild_rank)
            shows += isinstance(move, Show)
            deal = apply(deal, move)
    assert shows > 0


def dropped(rules: Rules, totals: Sequence[int], plies: int = 0) -> set[int]:
    """The deals of 60 in which the strong bot drops at once, or after some moves of others."""
    found = set()
    for seed in range(60):
        deal = deal_of(seed, rules=rules, players=4)
        for ply in range(plies):
            if status(deal).phase == "playing":
                move = choice(deal, "random", ply)
                deal = apply(deal, parse_move(f"p{on_turn(deal)} {move}"))
        if status(deal).phase != "playing":
            continue
        at = on_turn(deal)
        legal, seen = legal_moves(deal, at), view(deal, at)
        move = bots.choose(seen, legal, strength="strong", totals=totals)
        found |= {seed} if isinstance(move, Drop) else set()
    return found


def test_a_strong_bot_drops_more_when_behind_and_less_when_ahead() -> None:
    assert len(dropped(POOL, (50, 0, 0, 0))) > len(dropped(POOL, (0, 90, 90, 90)))


@pytest.mark.extended
@pytest.mark.parametrize("name", ["total-rummy-points", "vengala-points"])
def test_some_hands_are_dropped_in_the_middle_of_a_deal(name: str) -> None:
    rules = PROFILES[name]

    assert dropped(rules, (), plies=2 * 4 * 4)


def test_rules_with_a_sequence_of_four_count_the_ways_to_one() -> None:
    rules = PROFILES["vengala-points"]
    long = parse_cards("5H 6H 7H 8H 9C TC JC 4D 4S 4H KD QD 2C")
    short = parse_cards("5H 6H 7H 4C 9C TC JC 4D 4S 4H KD QD 2C")
    unseen = dict.fromkeys(parse_cards("JD AD KS KH QC 8C QS"), 2)

    def ways(hand: Sequence[Card], rules: Rules | None) -> float:
        return completions(hand, Rank.THREE, unseen, 0.05, rules=rules).total

    assert ways(long, rules) / ways(short, rules) > ways(long, None) / ways(short, None)


def test_three_identical_cards_are_a_sequence_if_the_rules_allow_it() -> None:
    hand = parse_cards("9C 9C 9C 5H 6H 7H 8H 4D 4S 4H KD QD 2C")
    vengala, total = (PROFILES[name] for name in ("vengala-points", "total-rummy-points"))
    unseen = dict.fromkeys(parse_cards("JD AD KS"), 2)

    ways = [
        completions(hand, Rank.THREE, unseen, 0.05, rules=rules).total
        for rules in (vengala, vengala.with_(identical_triples=False), total)
    ]
    assert ways[0] > ways[1]
    assert ways[2] > 0


def test_the_open_card_that_makes_a_run_is_taken() -> None:
    deal = make_deal("5H 6H 9C TC 4D 4S KD QD 2C 8S AS 2D JH", POOR, up="7H")

    assert choice(deal, "strong") == "do"
    assert choice(deal, "greedy") == "do"


def test_the_best_discard_of_straight_rummy_counts_the_cards_on_the_table() -> None:
    rules = STRAIGHT["straight"]
    hand = parse_cards("5H 6H QC QD 2S")

    assert str(rummy.best_discard(hand, rules=rules)) == "2S"
    # Neither queen is out any more.
    gone = parse_cards("QH QS")
    assert str(rummy.best_discard(hand, rules=rules, open_pile=gone)) in {"QC", "QD"}
    melds = [parse_cards("JH QH KH"), parse_cards("JS QS KS")]
    assert str(rummy.best_discard(hand, rules=rules, melds=melds)) in {"QC", "QD"}


@pytest.mark.parametrize("hand", ["5H", "5H 5H 6H", "5H PJ 7H"])
def test_no_pack_of_straight_rummy_holds_some_hands(hand: str) -> None:
    with pytest.raises(ImpossibleHand) as refused:
        rummy.best_discard(parse_cards(hand), rules=STRAIGHT["straight"])

    assert refused.value.code == "impossible_hand"


def test_thirteen_cards_are_judged_by_their_wild_card() -> None:
    with pytest.raises(TypeError):
        rummy.best_discard(parse_cards(GOOD + " 8S"), rules=POOL)  # type: ignore[call-overload]
