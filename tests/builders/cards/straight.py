"""Deals of straight rummy for the tests: built by hand, or played at random by the rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rummy import Card, Move, parse_cards, parse_move
from rummy.notation.cards import pack
from rummy.straight import (
    HOUSE_RULES,
    PROFILES,
    Deal,
    StraightRules,
    TableMeld,
    apply,
    clock_move,
    leave_move,
    legal_moves,
    start,
)
from rummy.straight.state import Seat
from tests.builders.cards.dealing import stream_of

STRAIGHT = PROFILES["straight"]
VIP = PROFILES["vip-straight"]


def straight_rules(*names: str, **overrides: object) -> StraightRules:
    """Return `straight` with these house rules of RB 9.4 and other fields."""
    fields = {field: value for name in names for field, value in HOUSE_RULES[name].items()}
    return STRAIGHT.with_(**{**fields, **overrides})


def random_rules(rng: random.Random) -> StraightRules:
    """Chance house rules together: none, some or all of them, and both kinds of refill."""
    names = [name for name in HOUSE_RULES if rng.random() < 0.4]
    overrides: dict[str, Any] = {}
    if not {"aces high and low", "round the corner"} & {*names} and rng.random() < 0.3:
        overrides = {"aces": "high", "ace_points": 15}
    if rng.random() < 0.4:  # Few cards, so that somebody goes out, and at once.
        few = rng.randint(3, 5)
        overrides |= {"cards_for_two": few, "cards_for_four": few, "cards_for_six": few}
    if rng.random() < 0.2:
        overrides["max_turns"] = rng.randint(2, 30)
    return straight_rules(*names, refill=rng.choice(["shuffle", "turn_over"]), **overrides)


def straight_deal(seed: object = 0, *, rules: StraightRules = STRAIGHT, players: int = 2) -> Deal:
    return start(rules, players=players, stream=stream_of(("straight", seed)))


def make_straight(
    *hands: str,
    melds: str = "",
    up: str = "TS",
    next_cards: str = "",
    rules: StraightRules = STRAIGHT,
    stock: int | None = None,
) -> Deal:
    """A deal with these hands and melds (`1: 5H 6H 7H | 2: ...`), the rest by chance.

    `stock` leaves only so many cards there; the others lie at the bottom of the open pile.
    """
    table = []
    for text in filter(None, melds.split("|")):
        owner, _, cards = text.partition(":")
        table.append(TableMeld.of(int(owner), parse_cards(cards), rules))
    seats = [parse_cards(hand) for hand in hands]
    laid = [card for meld in table for card in meld.cards]
    named = [*parse_cards(up), *parse_cards(next_cards), *laid]
    held = [card for hand in seats for card in hand]
    rest = sorted((Counter(pack()) - Counter([*named, *held])).elements())
    assert len(rest) + len(named) + len(held) == len(pack()), "a card is named twice"
    random.Random(len(rest)).shuffle(rest)
    bottom: list[Card] = []
    if stock is not None:
        keep = stock - len(parse_cards(next_cards))
        bottom, rest = rest[keep:], rest[:keep]
    owners = {meld.owner for meld in table}
    return Deal(
        rules=rules,
        stock=(*parse_cards(next_cards), *rest),
        pile=(*bottom, *parse_cards(up)),
        seats=tuple(
            Seat(hand=hand, extra_ms=30_000, has_melded=at in owners, has_laid=at in owners)
            for at, hand in enumerate(seats, start=1)
        ),
        stream=stream_of("made straight"),
        melds=tuple(table),
    )


def play(deal: Deal, *moves: str) -> Deal:
    for text in moves:
        deal = apply(deal, parse_move(text))
    return deal


def random_move(deal: Deal, rng: random.Random) -> Move:
    """Any legal move; laying down now and then more often, the clock's and leavers' rarely."""
    position = deal.to_act
    assert position is not None
    chance = rng.random()
    if chance < 0.02:
        return clock_move(deal, position, rng.choice([0, 500, 40_000]))
    if chance < 0.022:
        return leave_move(deal, rng.choice(deal.active))
    legal = legal_moves(deal, position)
    laying = [move for move in legal if move.action in {"meld", "lay"}]
    return rng.choice(laying if laying and rng.random() < 0.5 else legal)


def random_play(deal: Deal, rng: random.Random, most: int = 2_000) -> Iterator[tuple[Move, Deal]]:
    """Play at random to the end; yield each move and the deal after it."""
    for _ in range(most):
        if deal.phase == "ended":
            return
        move = random_move(deal, rng)
        deal = apply(deal, move)
        yield move, deal


def all_cards(deal: Deal) -> list[Card]:
    """Return all cards of the deal, from all hands, melds and piles, in order."""
    hands = [card for seat in deal.seats for card in seat.hand]
    laid = [card for meld in deal.melds for card in meld.cards]
    return sorted([*deal.stock, *deal.pile, *hands, *laid])
