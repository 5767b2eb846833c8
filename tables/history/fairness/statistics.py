"""Statistics of the cards dealt, published so that anybody can look for a bias (RB 12)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.core.cache import cache

import rummy
from rummy.notation.cards import pack
from tables.models.deals import Deal
from tables.state.rules import family_of, rules_of

DEALS: Final = 1_000
KEPT_SECONDS: Final = 86_400
# While there are fewer deals.
FEW_KEPT_SECONDS: Final = 600
_KEY: Final = "tables.fair.statistics"
KINDS: Final = tuple(card.text for card in pack())
JOKER: Final = "PJ"


@dataclass(frozen=True, slots=True)
class Place:
    """Where cards were dealt: a position in turn order, `up` or `wild`."""

    name: str
    cards: int
    chi_square: float
    """Of the 52 cards against equal numbers, with 51 degrees of freedom."""
    chance: float
    """The probability of a value at least as large; slightly too large for hands."""
    jokers: int
    jokers_expected: float
    shows: int
    """The deals that this position ended by a valid show."""


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
    dealt: dict[str, Counter[str]] = {}
    expected, shows = defaultdict[str, float](float), Counter[str]()
    deals = latest().select_related("table__profile", "reveal")
    rows = list(deals.prefetch_related("deal_seats", "client_seeds", "scores"))
    for deal in rows:
        share, places = _cards(deal)
        for name, cards in places:
            dealt.setdefault(name, Counter()).update(cards)
            expected[name] += share * len(cards)
        if deal.ending == "show":
            won = {score.seat_id for score in deal.scores.all() if score.how == "won"}
            shows.update(
                f"p{each.position}" for each in deal.deal_seats.all() if each.seat_id in won
            )
    shown = [place_of(name, dealt[name], expected[name], shows[name]) for name in sorted(dealt)]
    return {"deals": len(rows), "query": str(latest().query), "places": list(map(asdict, shown))}


def _cards(deal: Deal) -> tuple[float, Iterator[tuple[str, list[str]]]]:
    """Return the share of jokers in the deck, and the cards dealt to each place."""
    seats = {each.seat_id for each in deal.deal_seats.all()}
    given = sorted(deal.client_seeds.all(), key=lambda seed: seed.seat_id)
    texts = [s.text for s in given if s.draw == deal.draw and s.text and s.seat_id in seats]
    stream = rummy.Stream(bytes.fromhex(deal.reveal.server_seed), texts)
    if deal.toss:
        _, stream = rummy.toss(stream, len(seats))
    profile = deal.table.profile
    start = family_of(profile).start(rules_of(profile), players=len(seats), stream=stream)
    lines = [line.split(": ") for line in family_of(profile).opening_lines(start)]
    cards = {name: text.split() for name, text in lines}
    deck = [card for dealt in cards.values() for card in dealt]
    dealt = ((name, text) for name, text in cards.items() if name != "stock")
    return deck.count(JOKER) / len(deck), dealt


def place_of(name: str, cards: Counter[str], jokers: float, shows: int) -> Place:
    """Return the figures of a place from the cards dealt to it."""
    naturals = cards.total() - cards[JOKER]
    mean = naturals / len(KINDS)
    square = sum((cards[kind] - mean) ** 2 for kind in KINDS) / mean if mean else 0.0
    return Place(
        name, cards.total(), square, _chance(square, len(KINDS) - 1), cards[JOKER], jokers, shows
    )


def _chance(square: float, degrees: int) -> float:
    """Return the probability of a chi-square this large or larger (Wilson and Hilferty).

    >>> round(_chance(68.67, 51), 2)
    0.05
    """
    spread = 2 / (9 * degrees)
    z = ((square / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2
