"""Complete deals of straight rummy: invariants, one-line positions, files and the command line."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import (
    HistoryError,
    RummyError,
    Stream,
    bots,
    format_cards,
    history,
    parse_move,
    rules_from_text,
)
from rummy.command_line import records
from rummy.history.files import History
from rummy.notation.cards import pack
from rummy.straight import (
    HOUSE_RULES,
    PROFILES,
    Deal,
    StraightRules,
    apply,
    format_position,
    leave_move,
    legal_moves,
    outcome,
    parse_position,
    public_view,
    start,
    thrown_by,
    view,
)
from rummy.straight.melds import laid_out
from tests.builders.cards.straight import (
    STRAIGHT,
    VIP,
    all_cards,
    make_straight,
    random_play,
    random_rules,
    straight_deal,
    straight_rules,
)


def scores_add_up(deal: Deal) -> None:
    """The scores are the sum of the others' hand values, by clause (RB 9.2-9.5)."""
    ended = outcome(deal)
    assert ended is not None
    gained = [result.points for result in ended.results]
    worth = [sum(map(deal.rules.points_of, result.hand)) for result in ended.results]
    others = sum(worth) - worth[ended.winner - 1]
    if deal.rules.scoring == "penalty":
        assert sum(gained) >= sum(worth) - worth[ended.winner - 1] - (deal.rules.rummy_bonus or 0)
    elif ended.ending in {"exhausted", "too_long"}:
        assert sum(gained) == sum(max(0, each - worth[ended.winner - 1]) for each in worth)
    elif ended.is_rummy:
        bonus = deal.rules.rummy_bonus
        assert sum(gained) == (2 * others if bonus is None else others + bonus)
    else:
        assert sum(gained) == others
    if deal.rules.scoring == "winner":
        assert {at for at, points in enumerate(gained, start=1) if points} <= {ended.winner}


@pytest.mark.parametrize(
    "examples", [20, pytest.param(2_000, marks=[pytest.mark.soak, pytest.mark.timeout(1_800)])]
)
def test_cards_are_conserved_and_melds_hold_at_all_times(examples: int) -> None:
    amount = settings(max_examples=examples, deadline=None)

    amount(given(st.integers(0, 2**32), st.integers(2, 6))(hold_at_all_times))()


def hold_at_all_times(seed: int, players: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    first = deal = straight_deal(seed, rules=rules, players=players)
    moves = []

    for move, after in random_play(deal, rng, most=120):
        deal = after
        moves.append(move)
        assert all_cards(deal) == list(pack())
        assert all(laid_out(meld.cards, rules) == meld.cards for meld in deal.melds)
        assert all(seat.hand for at, seat in enumerate(deal.seats, 1) if at != deal.winner)
        assert parse_position(format_position(deal), rules=rules, stream=deal.stream) == deal
        assert bool(deal.phase == "playing") == bool(deal.to_act and legal_moves(deal, deal.to_act))
        if rules.refill == "turn_over" and deal.phase == "playing":
            assert len(thrown_by(moves, cards=len(deal.pile))) == len(deal.pile)

    again = first
    for move in moves:
        again = apply(again, parse_move(str(move)))
    assert again == deal
    if deal.phase == "ended":
        scores_add_up(deal)


@pytest.mark.parametrize("at", [1, 2])
def test_a_position_sees_its_own_hand_and_no_other(at: int) -> None:
    deal = apply(straight_deal(3), parse_move("p1 ds"))

    seen = view(deal, at)

    assert seen.hand == deal.seats[at - 1].hand
    assert seen.drawn == (deal.drawn if at == 1 else None)
    assert (seen.taken, public_view(deal).hand, public_view(deal).drawn) == (None, (), None)
    taken = apply(straight_deal(3), parse_move("p1 do"))
    assert view(taken, 2).taken == taken.drawn  # Everybody saw it lie open.


LINES = {
    ("vip-straight", 2): (2, 22, 50, 461, 1084),
    ("vip-straight", 4): (2, 15, 30, 231, 482),
    ("straight", 2): (2, 23, 52, 504, 1178),
    ("straight", 6): (2, 14, 28, 196, 392),
}


@pytest.mark.parametrize(("name", "players"), LINES)
def test_legal_lines_from_fixed_seeds(ask: Any, name: str, players: int) -> None:
    words = ["perft", name, "--seed", "7", "--players", str(players), "--depth", "5", "--json"]

    code, out, _ = ask(*words)

    assert code == 0
    assert tuple(json.loads(out)["lines"]) == LINES[name, players]


def test_too_many_lines_are_refused(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_LINES", 1_000)

    assert ask("perft", "straight", "--depth", "30", "--seed", "7", "--json")[0] == 1


COMBINATIONS = [(name,) for name in HOUSE_RULES] + [
    tuple(random.Random(seed).sample(sorted(HOUSE_RULES), 2 + seed % 6)) for seed in range(21)
]


@pytest.mark.parametrize("strength", bots.STRENGTHS)
def test_bots_play_thirty_combinations_of_house_rules_to_the_end(strength: bots.Strength) -> None:
    endings = set()
    for seed, names in enumerate(COMBINATIONS):
        if strength == "random" and seed % 3:
            continue  # They take long.
        refill = "turn_over" if seed % 2 else "shuffle"
        deal = straight_deal(
            seed, rules=straight_rules(*names, refill=refill), players=2 + seed % 5
        )
        rng = random.Random(seed)
        while deal.to_act is not None:
            legal = legal_moves(deal, deal.to_act)
            move = bots.choose(view(deal, deal.to_act), legal, rng, strength=strength)
            assert move in legal
            deal = apply(deal, move)
        scores_add_up(deal)
        endings.add(deal.ending)
    assert endings == {"out", "exhausted"}


@pytest.mark.parametrize("rules", [VIP, STRAIGHT], ids=["vip", "plain"])
def test_the_greedy_bot_beats_the_random_one(rules: StraightRules) -> None:
    won = 0
    for seed in range(20):
        greedy, rng = 1 + seed % 2, random.Random(seed)
        deal = straight_deal(seed, rules=rules)
        while deal.to_act is not None:
            strength: bots.Strength = "greedy" if deal.to_act == greedy else "random"
            seen, legal = view(deal, deal.to_act), legal_moves(deal, deal.to_act)
            deal = apply(deal, bots.choose(seen, legal, rng, strength=strength))
        won += deal.winner == greedy
    assert won >= 18


@pytest.mark.extended
def test_the_strong_bot_wins_more_than_the_greedy_one_from_the_same_cards() -> None:
    gained = 0
    for seed in range(120):
        for strong in (1, 2):
            deal = straight_deal(seed)
            while deal.to_act is not None:
                strength: bots.Strength = "strong" if deal.to_act == strong else "greedy"
                seen, legal = view(deal, deal.to_act), legal_moves(deal, deal.to_act)
                deal = apply(deal, bots.choose(seen, legal, strength=strength))
            ended = outcome(deal)
            assert ended is not None
            gained += ended.points(strong) - ended.points(3 - strong)
    assert gained > 240  # A point a deal; bench.bots finds three.


@pytest.mark.extended
def test_the_strong_bot_keeps_the_pair_that_can_grow_and_throws_the_one_that_cannot() -> None:
    # Two sevens are still out; the other kings lie on the table.
    melds = "2: KH QH JH | 2: KD QD JD"
    deal = make_straight("7C 7S KC KS 4H", "AH AD 2C 8S", melds=melds, next_cards="5D")
    deal = apply(deal, parse_move("p1 ds"))
    seen, legal = view(deal, 1), legal_moves(deal, 1)

    assert str(bots.choose(seen, legal, strength="strong")) in {"p1 x KC", "p1 x KS"}
    assert str(bots.choose(seen, legal, strength="greedy")) in {"p1 x 4H", "p1 x 5D"}


def played(rules: StraightRules, seed: int) -> History:
    """Forty chance moves, then all but one leave."""
    server_seed = random.Random(seed).randbytes(32)
    deal, moves = start(rules, players=3, stream=Stream(server_seed)), []
    for move, after in random_play(deal, random.Random(seed), most=40):
        moves.append(move)
        deal = after
    while deal.to_act is not None:
        moves.append(leave_move(deal, deal.to_act))
        deal = apply(deal, moves[-1])
    return History(rules, 3, server_seed, moves=tuple(moves))


@pytest.mark.parametrize(
    "rules", [VIP, STRAIGHT, straight_rules(*HOUSE_RULES)], ids=["vip", "plain", "all"]
)
def test_a_history_file_reads_back(rules: StraightRules) -> None:
    whole = played(rules, 5)

    again = history.loads(history.dumps(whole))

    assert again == whole
    assert again.end == whole.end
    assert again.end.phase == "ended"


@pytest.mark.parametrize(
    ("find", "put", "code"),
    [
        ("\np3: ", "\np3: 2C ", "tampered"),
        ("stock: ", "stock: 2C ", "tampered"),
        ("ending: ", "ending: not ", "tampered"),
        ("must_discard_last: yes", "must_discard_last: maybe", "bad_rules"),
        ("family: straight", "family: thirteen", "bad_rules"),
        ("\np1 d", "\np2 d", "illegal_move"),
        ("\np1 ds", "\np1 lay 7H", "bad_move"),
    ],
)
def test_a_tampered_file_of_straight_rummy_is_refused(find: str, put: str, code: str) -> None:
    text = history.dumps(played(VIP, 7))
    assert find in text

    with pytest.raises(HistoryError) as caught:
        history.loads(text.replace(find, put, 1))

    assert caught.value.code == code


@pytest.mark.parametrize("name", PROFILES)
def test_the_command_line_deals_replays_and_verifies(ask: Any, name: str, tmp_path: Any) -> None:
    code, text, _ = ask("deal", "--profile", name, "--players", "4", "--seed", "07" * 32)
    assert code == 0
    assert ask("deal", name, "--players", "4", "--seed", "07" * 32)[1] == text
    file = tmp_path / "deal.txt"
    file.write_text(text)

    verified = json.loads(ask("verify", str(file), "--json")[1])
    assert (verified["verified"], verified["profile"], verified["rules"]) == (True, name, {})
    lines = ask("replay", str(file), "--json")[1].splitlines()
    last = parse_position(json.loads(lines[-1])["position"])
    ended = outcome(last)
    assert ended is not None
    assert verified["points"] == [result.points for result in ended.results]


def test_the_command_line_scores_a_hand_and_refuses_what_belongs_to_others(ask: Any) -> None:
    code, out, _ = ask("score", "AC KD 5H 6H 7H", "--profile", "straight", "--json")
    assert (code, json.loads(out)["points"]) == (0, 29)
    for words, error in (
        (("score", "AC", "--profile", "straight", "--wild", "7"), "wrong_family"),
        (("score", "AC AC", "--profile", "straight"), "too_many_of_a_card"),
        (("score", "PJ", "--profile", "straight"), "too_many_of_a_card"),
        (("split", "--profile", "straight", "--scores", "1,2"), "wrong_family"),
        (("deal", "--profile", "vip-straight", "--players", "5"), "bad_players"),
    ):
        code, out, _ = ask(*words, "--json")
        assert (code, json.loads(out)["error"]) == (1, error)


def test_rules_read_back_and_keep_to_their_family() -> None:
    for rules in (*PROFILES.values(), straight_rules(*HOUSE_RULES)):
        assert rules_from_text(rules.to_text()) == rules
    with pytest.raises(RummyError):
        rules_from_text(STRAIGHT.to_text().replace("family: straight", "family: canasta"))


def test_a_printed_view_shows_melds_and_no_card_of_others() -> None:
    deals = [deal for _, deal in random_play(straight_deal(1, players=2), random.Random(1))]
    deal = next(deal for deal in deals if deal.melds)

    shown = str(deal.view(1)).splitlines()

    assert shown[2] == f"meld 1 {format_cards(deal.melds[0].cards)}"
    assert shown[-1] == format_cards(sorted(deal.seat(1).hand))
    hands = [format_cards(sorted(seat.hand)) for seat in deal.seats]
    assert not set(hands) & set(str(deal.view(None)).splitlines())
