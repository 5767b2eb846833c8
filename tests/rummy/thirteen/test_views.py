"""A view contains no card that its viewer may not see."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rummy
from rummy import ALL_PROFILES, PROFILES, IllegalMove, Move, Stream, family_of, parse_move
from rummy.thirteen import Deal, public_view, thrown_by, view
from tests.builders.cards import straight
from tests.builders.cards.dealing import deal_of, make_deal, play, random_play, shuffled_secrets
from tests.builders.cards.hands import LAID, LOSER, POOR, WINNER


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PROFILES)), st.integers(2, 6))
def test_a_view_is_the_same_for_any_hidden_cards(seed: int, name: str, players: int) -> None:
    rules = PROFILES[name]
    rng = random.Random(seed)
    deal = deal_of(seed, rules=rules, players=min(players, rules.players_max))

    for _, after in random_play(deal, rng, most=120):
        deal = after
        if deal.phase == "ended":
            return
        viewer = rng.choice([None, *range(1, deal.players + 1)])
        other = shuffled_secrets(deal, viewer, rng)
        if viewer is None:
            assert public_view(deal) == public_view(other)
        else:
            assert view(deal, viewer) == view(other, viewer)


def followed(pile: list[int | None], before: Deal, move: Move, after: Deal) -> list[int | None]:
    """Who threw what, by watching the pile itself rather than reading the moves."""
    if len(after.pile) > len(before.pile):
        return [*pile, move.position]
    if move.action == "do":
        return pile[:-1]
    if after.reshuffles > before.reshuffles:  # The top alone stays; a wrong show throws nothing.
        return pile[-1:] if move.action in ("show", "leave") else [move.position]
    return pile


def test_the_discarder_of_each_card_follows_from_the_moves() -> None:
    reshuffles = 0
    for seed in range(30):
        before = deal_of(seed, players=2 + seed % 5)
        pile: list[int | None] = [None]
        moves = []
        for move, after in random_play(before, random.Random(seed)):
            pile = followed(pile, before, move, after)
            moves.append(move)
            reshuffles += after.reshuffles - before.reshuffles
            before = after
            assert thrown_by(moves, cards=len(after.pile)) == pile

    assert reshuffles > 0


def test_a_drawn_card_is_visible_only_to_its_player() -> None:
    deal = play(make_deal(WINNER, LOSER, POOR, up="9D", next_cards="JH"), "p1 ds")

    own, other, public = view(deal, 1), view(deal, 2), public_view(deal)

    assert (str(own.drawn), len(own.hand), own.hand[-1]) == ("JH", 14, own.drawn)
    assert (other.drawn, other.has_drawn, other.drawn_from) == (None, True, "stock")
    assert (public.hand, public.position, public.drawn) == ((), None, None)
    assert [seat.cards for seat in other.seats] == [14, 13, 13]
    assert other.stock == len(deal.stock)


def test_a_valid_show_is_visible_and_other_answers_stay_hidden_until_the_end() -> None:
    deal = make_deal(WINNER, LOSER, POOR, up="9D", next_cards="JH")
    shown = play(deal, "p1 ds", f"p1 show {LAID} x JH", "p2 meld 2H 3H 4H")

    seen = view(shown, 3)

    assert seen.shown is not None
    assert (seen.shown.position, str(seen.shown.finish), len(seen.shown.groups)) == (1, "JH", 4)
    assert [seat.standing for seat in seen.seats] == ["won", "melded", "active"]
    assert seen.outcome is None
    ended = view(play(shown, "p3 miss"), 3)
    assert ended.outcome is not None
    assert ended.outcome.points(2) == 27


def test_a_deal_and_its_parts_keep_secrets_out_of_their_repr() -> None:
    deal = deal_of(3)

    for text in (repr(deal), repr(deal.seats), repr(deal.stream)):
        assert deal.stream.server_seed.hex() not in text
        assert repr(deal.stream.server_seed) not in text
        assert repr(deal.stock) not in text
        assert repr(deal.seats[0].hand) not in text


@pytest.mark.parametrize("name", sorted(ALL_PROFILES))
def test_a_deal_is_played_by_its_methods_alone(name: str) -> None:
    rules, rng = ALL_PROFILES[name], random.Random(name)
    family = family_of(rules)
    deal = rummy.start(rules, players=2, stream=Stream(bytes(32)))

    for _ in range(40):
        if deal.phase == "ended":
            break
        moves = deal.legal_moves()
        position = moves[0].position
        assert moves == family.legal_moves(deal, position)
        assert deal.view(position) == family.view(deal, position)
        deal = deal.apply(str(rng.choice([move for move in moves if move.action != "drop"])))

    assert deal.outcome() == family.outcome(deal)
    assert deal.view(None) == family.public_view(deal)
    assert type(deal) is type(rummy.start(rules, players=2, stream=Stream(bytes(32))))


def test_moves_as_text_are_refused_as_moves_are() -> None:
    deal = deal_of(1, players=3)

    with pytest.raises(IllegalMove, match="turn of position 1"):
        deal.apply("p2 ds")
    assert deal.apply("p1 ds") == deal.apply(parse_move("p1 ds"))
    assert isinstance(deal.apply("p1 ds"), Deal)


@pytest.mark.parametrize("name", sorted(ALL_PROFILES))
def test_a_view_has_the_legal_moves_of_its_position(name: str) -> None:
    family, rules, rng = family_of(ALL_PROFILES[name]), ALL_PROFILES[name], random.Random(name)
    is_straight = rules.family == "straight"
    begin, play_on = PLAYED[is_straight]
    made = set()

    for move, deal in play_on(begin(name, rules=rules, players=2), rng):
        made.add(move.action)
        for position in (1, 2):
            assert family.view(deal, position).legal_moves() == family.legal_moves(deal, position)

    assert deal.phase == "ended"
    assert deal.view(None).legal_moves() == ()
    assert made >= ({"ds", "x", "meld", "lay"} if is_straight else {"ds", "x"})


PLAYED: tuple[Any, Any] = (
    (deal_of, random_play),
    (straight.straight_deal, straight.random_play),
)


def test_a_printed_view_shows_no_card_of_others() -> None:
    deal = deal_of(3, players=2)
    shown = str(deal.view(1))
    hidden = str(deal.view(None))

    assert rummy.format_cards(sorted(deal.seat(1).hand)) in shown
    assert rummy.format_cards(sorted(deal.seat(2).hand)) not in shown
    assert rummy.format_cards(sorted(deal.seat(1).hand)) not in hidden
    assert str(deal).count("\n") == 3
