"""Advice of the strong bot about a hand without a deal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from rummy.bots import closing, straight, strong
from rummy.errors import ImpossibleHand
from rummy.notation.cards import CARDS_INCARDS, Card, Rank, Suit, card_of, parse_card, wild_rank
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.solver.declaration import refuse_impossible
from rummy.straight.rules import StraightRules
from rummy.straight.state import TableMeld
from rummy.straight.views import SeatView as StraightSeatView
from rummy.straight.views import View as StraightView
from rummy.thirteen.state import full_deck
from rummy.thirteen.views import SeatView, View


@overload
def best_discard(
    hand: Iterable[Card],
    *,
    wild: Rank | Card | str,
    rules: Rules,
    open_pile: Iterable[Card] = (),
    players: int = 2,
) -> Card: ...


@overload
def best_discard(
    hand: Iterable[Card],
    *,
    rules: StraightRules,
    open_pile: Iterable[Card] = (),
    players: int = 2,
    melds: Iterable[Iterable[Card]] = (),
) -> Card: ...


def best_discard(
    hand: Iterable[Card],
    *,
    rules: Rules | StraightRules,
    wild: Rank | Card | str | None = None,
    open_pile: Iterable[Card] = (),
    players: int = 2,
    melds: Iterable[Iterable[Card]] = (),
) -> Card:
    """Return the best discard after drawing, for a hand and the open cards.

    Of 14 cards it is the finish card if the hand can be declared, else the strong bot's discard
    for this hand and open pile. In straight rummy hands have any length, `melds` are those on the
    table, and cards of melds in the hand are not discarded.

    >>> from rummy import ALL_PROFILES, PROFILES, parse_cards
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> hand = parse_cards("5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C 8S")
    >>> best_discard(hand, wild="3S", rules=rules)
    Card('2C')
    >>> best_discard(parse_cards("5H 6H 7H 9C 9D KD 2S"), rules=ALL_PROFILES["straight"])
    Card('KD')
    """
    cards, pile = tuple(hand), tuple(open_pile)
    rules.refuse_players(players)
    if isinstance(rules, StraightRules):
        laid = tuple(TableMeld.of(2, tuple(meld), rules) for meld in melds)
        return straight.discards(_straight_view(cards, pile, laid, rules, players))[0].card
    if wild is None:
        raise TypeError("a hand of the thirteen-card family needs a wild card")
    if len(cards) != CARDS_DEALT + 1:
        raise ImpossibleHand("wrong_number_of_cards", f"14 cards are held, not {len(cards)}")
    refuse_impossible((*cards, *pile), rules)
    seen = _view(cards, pile, wild, rules, players)
    show = closing.show(seen)
    if show is not None:
        return show.finish
    return strong.discards(seen, strong.CONSIDERED)[0].card


def _straight_view(
    hand: tuple[Card, ...],
    pile: tuple[Card, ...],
    melds: tuple[TableMeld, ...],
    rules: StraightRules,
    players: int,
) -> StraightView:
    """Return the view of position 1 after drawing; all others still hold their dealt hands."""
    known = [*hand, *pile, *(card for meld in melds for card in meld.cards)]
    if len(hand) < 2 or len(set(known)) < len(known) or any(card.rank is None for card in known):
        raise ImpossibleHand(
            "impossible_hand", "the hand needs two or more cards of one pack of 52"
        )
    seats = tuple(
        StraightSeatView(at, "active", rules.cards_for(players), False, False, 0, 0)
        for at in range(1, players + 1)
    )
    return StraightView(
        rules=rules,
        position=1,
        phase="playing",
        stock=max(0, CARDS_INCARDS - len(known) - rules.cards_for(players) * (players - 1)),
        open_pile=pile,
        melds=melds,
        to_act=1,
        has_drawn=True,
        drawn_from="stock",
        taken=None,
        melds_this_turn=0,
        refills=0,
        seats=seats,
        hand=hand,
        drawn=hand[-1],
        outcome=None,
    )


def _view(
    hand: tuple[Card, ...],
    pile: tuple[Card, ...],
    wild: Rank | Card | str,
    rules: Rules,
    players: int,
) -> View:
    """Return the view of position 1, which has just drawn the last card of the hand."""
    rank = wild_rank(wild)
    turned = card_of(rank, Suit.SPADES)
    if isinstance(wild, Card):
        turned = wild
    elif isinstance(wild, str) and wild.strip() not in {"10", wild.strip()[:1]}:
        turned = parse_card(wild)
    seats = tuple(
        SeatView(at, "active", CARDS_DEALT + (at == 1), 0, 0, True, ())
        for at in range(1, players + 1)
    )
    in_sight = CARDS_DEALT * players + 2 + len(pile)
    return View(
        rules=rules,
        position=1,
        phase="playing",
        wild=turned,
        wild_rank=rank,
        stock=max(0, len(full_deck(rules, players)) - in_sight),
        open_pile=pile,
        to_act=1,
        waiting=frozenset(),
        has_drawn=True,
        drawn_from="stock",
        reshuffles=0,
        seats=seats,
        shown=None,
        hand=hand,
        drawn=hand[-1],
        outcome=None,
        has_first_upcard=False,
    )
