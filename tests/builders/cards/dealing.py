"""Deals for the tests: built by hand, or played at random by the rules."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rummy import PROFILES, Card, Move, Rules, Stream, parse_cards, parse_move
from rummy.thirteen import (
    Deal,
    apply,
    clock_move,
    full_deck,
    leave_move,
    legal_moves,
    start,
    status,
)
from rummy.thirteen.state import Seat

ZERO_SEED = "00" * 32
POOL = PROFILES["total-rummy-pool-101"]


def stream_of(seed: object) -> Stream:
    return Stream(hashlib.sha256(repr(seed).encode()).digest())


def deal_of(seed: object = 0, *, rules: Rules = POOL, players: int = 2) -> Deal:
    return start(rules, players=players, stream=stream_of(seed))


def make_deal(
    *hands: str,
    up: str = "9C",
    wild: str = "AC",
    next_cards: str = "",
    rules: Rules = POOL,
    stock: int | None = None,
) -> Deal:
    """A deal with these hands, the next cards of the stock as named, the rest by chance.

    `stock` leaves only so many cards there; the others lie at the bottom of the open pile.
    """
    seats = [parse_cards(hand) for hand in hands]
    named = [*parse_cards(up), *parse_cards(wild), *parse_cards(next_cards)]
    rest = list(
        (
            Counter(full_deck(rules, len(hands)))
            - Counter(named)
            - Counter(card for hand in seats for card in hand)
        ).elements()
    )
    random.Random(len(rest)).shuffle(rest)
    pile_bottom: list[Card] = []
    if stock is not None:
        keep = stock - len(parse_cards(next_cards))
        pile_bottom, rest = rest[keep:], rest[:keep]
    return Deal(
        rules=rules,
        wild=parse_cards(wild)[0],
        stock=(*parse_cards(next_cards), *rest),
        pile=(*pile_bottom, *parse_cards(up)),
        seats=tuple(Seat(hand=hand, extra_ms=30_000) for hand in seats),
        stream=stream_of("made"),
        has_first_upcard=stock is None,
    )


def play(deal: Deal, *moves: str) -> Deal:
    """The deal after these moves; `x @` discards the card just drawn."""
    for text in moves:
        drawn = str(deal.drawn) if deal.drawn else "@"
        deal = apply(deal, parse_move(text.replace("@", drawn)))
    return deal


def random_move(deal: Deal, rng: random.Random) -> Move:
    """Any legal move, drops and shows and the clock's and leavers' moves now and then."""
    now = status(deal)
    position = now.to_act or rng.choice(sorted(now.waiting))
    chance = rng.random()
    if chance < 0.02:
        return clock_move(deal, position, rng.choice([0, 500, 40_000]))
    if chance < 0.024:
        return leave_move(deal, rng.choice(deal.active if now.phase == "playing" else [position]))
    action = rng.choice(legal_moves(deal, position)).offer
    if action == "drop" and rng.random() < 0.9:
        action = "ds"
    hand = list(deal.seat(position).hand)
    if action == "show":
        if rng.random() < 0.95:
            action = f"x {rng.choice(hand)}"
        else:
            rng.shuffle(hand)
            action = f"show {_grouped(hand[1:])} x {hand[0]}"
    elif action == "meld":
        rng.shuffle(hand)
        action = f"meld {_grouped(hand[:9])} / {' '.join(map(str, hand[9:]))}"
    return parse_move(f"p{position} {action}")


def _grouped(cards: Iterable[Card]) -> str:
    row = list(cards)
    return " | ".join(" ".join(map(str, row[at : at + 3])) for at in range(0, len(row), 3))


def random_play(deal: Deal, rng: random.Random, most: int = 600) -> Iterator[tuple[Move, Deal]]:
    """Play at random to the end; yield each move and the deal after it."""
    for _ in range(most):
        if status(deal).phase == "ended":
            return
        move = random_move(deal, rng)
        deal = apply(deal, move)
        yield move, deal


def all_cards(deal: Deal) -> Counter[Card]:
    """Return all cards of the deal, from all hands and piles."""
    cards = Counter([*deal.stock, *deal.pile, deal.wild])
    if deal.finish is not None:
        cards[deal.finish] += 1
    for seat in deal.seats:
        cards.update(seat.hand)
    return cards


def shuffled_secrets(deal: Deal, position: int | None, rng: random.Random) -> Deal:
    """The same deal as far as the viewer can know: all hidden cards change places."""
    hidden = list(deal.stock)
    sizes = []
    for at, seat in enumerate(deal.seats, start=1):
        known = at == position or (deal.ending == "show" and at == deal.winner)
        sizes.append(0 if known else len(seat.hand))
        hidden += [] if known else seat.hand
    rng.shuffle(hidden)
    seats = []
    for seat, size in zip(deal.seats, sizes, strict=True):
        hand, hidden = hidden[:size], hidden[size:]
        secret = replace(seat, hand=tuple(hand), groups=None if deal.waiting else seat.groups)
        seats.append(secret if size else seat)
    drawn = deal.drawn
    if drawn is not None and deal.to_act != position and deal.to_act is not None:
        drawn = seats[deal.to_act - 1].hand[-1]
    return replace(deal, stock=tuple(hidden), seats=tuple(seats), drawn=drawn)
