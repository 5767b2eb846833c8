"""Statistics of the cards dealt, published so that anybody can look for a bias (RB 12)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import chain
from typing import Any, Final

from django.core.cache import cache

import rummy
from rummy.notation.cards import pack
from tables.models.deals import Deal
from tables.state.fold import begin_fold
from tables.state.rules import family_of

DEALS: Final = 1_000
KEPT_SECONDS: Final = 86_400
# While there are fewer deals.
FEW_KEPT_SECONDS: Final = 600
_KEY: Final = "tables.fair.statistics"
KINDS: Final = tuple(card.text for card in pack())
JOKER: Final = "PJ"


def latest() -> Any:
    """Return the settled deals of thirteen cards that are counted, newest first."""
    deals = Deal.objects.settled().filter(
        reveal__isnull=False, table__profile__text__contains="family: thirteen\n"
    )
    return deals.order_by("-pk")[:DEALS]


def statistics() -> dict[str, Any]:
    """Return the number of deals counted, their query and the places, computed once a day."""
    found: dict[str, Any] | None = cache.get(_KEY)
    if found is None:
        found = _counted()
        cache.set(_KEY, found, KEPT_SECONDS if found["deals"] == DEALS else FEW_KEPT_SECONDS)
    return found


def _counted() -> dict[str, Any]:
    dealt: dict[str, Counter[str]] = defaultdict(Counter)
    expected, shows = defaultdict[str, float](float), Counter[str]()
    deals = latest().select_related("table__profile", "reveal")
    rows = list(deals.prefetch_related("deal_seats", "client_seeds", "scores"))
    for deal in rows:
        places = {each.seat_id: f"p{each.position}" for each in deal.deal_seats.all()}
        texts = deal.texts_of(places).values()
        stream = rummy.Stream(bytes.fromhex(deal.reveal.server_seed), tuple(texts))
        start = begin_fold(deal, stream, players=len(places)).state
        lines = family_of(deal.table.profile).opening_lines(start)
        cards = {name: text.split() for name, _, text in (line.partition(": ") for line in lines)}
        deck = list(chain.from_iterable(cards.values()))
        del cards["stock"]
        for name, kinds in cards.items():
            dealt[name].update(kinds)
            expected[name] += len(kinds) * deck.count(JOKER) / len(deck)
        if deal.ending == "show":
            shows.update(places[one.seat_id] for one in deal.scores.all() if one.how == "won")
    shown = [place_of(name, dealt[name], expected[name], shows[name]) for name in sorted(dealt)]
    return {"deals": len(rows), "query": str(latest().query), "places": shown}


def place_of(name: str, cards: Counter[str], jokers: float, shows: int) -> dict[str, Any]:
    """Return the figures of a place (`p1` in turn order, `up`, `wild`) from the cards dealt to it.

    The chi-square is of the 52 cards against equal numbers, with 51 degrees of freedom; `chance` is
    the probability of a value at least as large, slightly too large for hands. `shows` are the
    deals that the position ended by a valid show.
    """
    naturals = cards.total() - cards[JOKER]
    mean = naturals / len(KINDS)
    square = sum((cards[kind] - mean) ** 2 for kind in KINDS) / mean if mean else 0.0
    return {
        "name": name,
        "cards": cards.total(),
        "chi_square": square,
        "chance": _chance(square, len(KINDS) - 1),
        "jokers": cards[JOKER],
        "jokers_expected": jokers,
        "shows": shows,
    }


def _chance(square: float, degrees: int) -> float:
    """Return the probability of a chi-square this large or larger (Wilson and Hilferty).

    >>> round(_chance(68.67, 51), 2)
    0.05
    """
    spread = 2 / (9 * degrees)
    z = ((square / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2
