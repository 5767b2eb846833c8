"""The strong bot asked about a hand alone, where there is no deal to look at."""

from __future__ import annotations

from collections.abc import Iterable

from rummy.bots import closing, strong
from rummy.errors import ImpossibleHand
from rummy.notation.cards import Card, Rank, Suit, card_of, parse_card, wild_rank
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.solver.declaration import refuse_impossible
from rummy.thirteen.state import full_deck
from rummy.thirteen.views import SeatView, View


def best_discard(
    hand: Iterable[Card],
    *,
    wild: Rank | Card | str,
    rules: Rules,
    open_pile: Iterable[Card] = (),
    players: int = 2,
) -> Card:
    """Return which of 14 cards to throw: the finish card where the hand declares.

    Otherwise it is what the strong bot throws that has seen this hand and the open pile.

    >>> from rummy import PROFILES, parse_cards
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> hand = parse_cards("5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C 8S")
    >>> best_discard(hand, wild="3S", rules=rules)
    Card('2C')
    """
    cards, pile = tuple(hand), tuple(open_pile)
    if len(cards) != CARDS_DEALT + 1:
        raise ImpossibleHand("wrong_number_of_cards", f"14 cards are held, not {len(cards)}")
    refuse_impossible((*cards, *pile), rules)
    rules.refuse_players(players)
    seen = _view(cards, pile, wild, rules, players)
    show = closing.show(seen)
    if show is not None:
        return show.finish
    return strong.discards(seen, strong.CONSIDERED)[0].card


def _view(
    hand: tuple[Card, ...],
    pile: tuple[Card, ...],
    wild: Rank | Card | str,
    rules: Rules,
    players: int,
) -> View:
    """Return what position 1 sees that has just drawn the last card."""
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
