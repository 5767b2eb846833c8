"""A view contains no card that its viewer may not see."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import PROFILES, Card, Move
from rummy.thirteen import Deal, public_view, thrown_by, view
from tests.builders.cards.dealing import deal_of, make_deal, play, random_play, shuffled_secrets
from tests.builders.cards.hands import LAID, LOSER, POOR, WINNER


def cards_in(value: Any) -> Counter[Card]:
    """Every card anywhere inside a value, however deep."""
    if isinstance(value, Card):
        return Counter([value])
    if dataclasses.is_dataclass(value):
        parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
    elif isinstance(value, (tuple, list, frozenset, set)):
        parts = list(value)
    else:
        return Counter()
    return sum((cards_in(part) for part in parts), Counter())


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


@pytest.mark.parametrize("examples", [3, pytest.param(8, marks=pytest.mark.extended)])
def test_a_view_holds_no_card_but_the_public_ones_and_the_viewers(examples: int) -> None:
    many = settings(max_examples=examples, deadline=None)
    many(given(st.integers(0, 2**32), st.integers(2, 6))(hold_no_secret))()


def hold_no_secret(seed: int, players: int) -> None:
    rng = random.Random(seed)

    for _, deal in random_play(deal_of(seed, players=players), rng):
        if deal.phase == "ended":
            return
        public = Counter([*deal.pile, deal.wild])
        if deal.ending == "show" and deal.winner is not None and deal.finish is not None:
            public += Counter([*deal.seats[deal.winner - 1].hand, deal.finish])
        assert not cards_in(public_view(deal)) - public
        for at in range(1, players + 1):
            own = Counter(deal.seats[at - 1].hand)
            own += Counter([deal.drawn] if deal.drawn and deal.to_act == at else [])
            assert not cards_in(view(deal, at)) - public - own


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
