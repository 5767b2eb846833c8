"""Search for pairs of players whose results with each other are not explained by chance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappush, heapreplace
from itertools import groupby
from operator import attrgetter
from typing import Final

from tables.integrity.collusion import counts
from tables.integrity.collusion.counts import Fed, Losses, Pair, Span, Together
from tables.integrity.collusion.models import FindingFact
from tables.integrity.collusion.statistics import (
    Share,
    Spread,
    fed_usually,
    of_both,
    share_surprise,
    sum_surprise,
    threshold,
    usual_points,
    with_base_rate,
)

Kind = FindingFact.Kind
# The shares that are compared, of a giver's deals at tables of one size.
SHARES: Final[dict[Kind, Callable[[Losses], Share]]] = {
    Kind.LOST: attrgetter("lost"),
    Kind.DROPS: attrgetter("drops"),
}
# How many of the most extreme figures are kept during the search of a span.
KEPT_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Figure:
    """How often a giver did one thing with one taker, and how unusual that is.

    `seen` of `cases` is the count, `expected` the usual rate, `z` the distance between them.
    Without a giver it covers both directions together.
    """

    kind: Kind
    pair: Pair
    giver: int | None
    seen: float
    cases: float
    expected: float
    base: Share
    z: float


@dataclass(frozen=True, slots=True)
class Search:
    """The pairs found in a span, and the number of figures tested."""

    pairs: frozenset[Pair]
    tests: int
    threshold: float
    # All figures of the pairs found.
    figures: list[Figure]


def search(span: Span) -> Search:
    """Return the pairs of a span whose play together is not explained by chance.

    Each figure is divided by the spread of its kind over all pairs, so that kinds can be compared.
    Suspected pairs are then measured again, against play with players they are not suspected with:
    losing on purpose to one partner changes a player's usual rates.
    """
    spreads = {kind: Spread() for kind in map(Kind, FindingFact.OF_PLAY)}
    tests, furthest = 0, list[tuple[float, int, Pair, Kind]]()
    for figure in figures(span):
        tests += 1
        if figure.giver is not None:
            spreads[figure.kind].add(figure.z)
        one = (figure.z, tests, figure.pair, figure.kind)
        if len(furthest) < KEPT_MAX:
            heappush(furthest, one)
        elif one > furthest[0]:
            heapreplace(furthest, one)
    least = threshold(tests)
    widths = {kind: spread.width for kind, spread in spreads.items()}
    pairs = {pair for z, _number, pair, kind in furthest if z / widths[kind] >= least}
    of_suspected = list(_figures_of(span, pairs, widths))
    standing = {figure.pair for figure in of_suspected if figure.z >= least}
    kept = [figure for figure in of_suspected if figure.pair in standing]
    return Search(frozenset(standing), tests, least, kept)


def _figures_of(
    span: Span, suspected: Collection[Pair], widths: Mapping[Kind, float]
) -> Iterator[Figure]:
    """Yield all figures of suspected pairs, each divided by the spread of its kind."""
    for figure in figures(span, suspected) if suspected else ():
        if figure.pair in suspected:
            yield replace(figure, z=figure.z / widths[figure.kind])


def figures(span: Span, suspected: Collection[Pair] = ()) -> Iterator[Figure]:
    """Yield the figures of all pairs with enough common play, per direction and combined."""
    base_losses = counts.base_losses(span)
    for _pair, directions in groupby(counts.together(span, suspected), key=_pair_of):
        of_pair = list(directions)
        for kind, share in SHARES.items():
            yield from _with_both([_share(kind, row, base_losses, share) for row in of_pair])
        yield from _with_both([_points(row, base_losses) for row in of_pair])
    base_fed = counts.base_fed(span)
    for _pair, fed_directions in groupby(counts.fed(span), key=_pair_of):
        yield from _with_both([_fed(row, base_fed) for row in fed_directions])


def _pair_of(row: Together | Fed) -> Pair:
    return min(row.giver, row.taker), max(row.giver, row.taker)


def _with_both(directions: Sequence[Figure]) -> Iterator[Figure]:
    yield from directions
    if len(directions) > 1:
        first, second = directions
        yield replace(
            first,
            giver=None,
            seen=first.seen + second.seen,
            cases=first.cases + second.cases,
            expected=first.expected + second.expected,
            z=of_both(first.z, second.z),
        )


def _share(
    kind: Kind, pair: Together, base_losses: dict[int, Losses], share: Callable[[Losses], Share]
) -> Figure:
    """Return how often the giver lost or dropped, with table sizes weighted by deals."""
    seen = usual = at_base_rate = Share(0, 0)
    expected = 0.0
    for seats, losses in pair.seen.items():
        with_others = with_base_rate(share(pair.own[seats]), share(base_losses[seats]))
        seen += share(losses)
        usual += with_others
        at_base_rate += share(base_losses[seats])
        expected += share(losses).cases * with_others.rate
    rate = expected / seen.cases if seen.cases else 0.0
    z = share_surprise(seen, Share(rate * usual.cases, usual.cases))
    return Figure(
        kind, _pair_of(pair), pair.giver, seen.hits, seen.cases, expected, at_base_rate, z
    )


def _points(pair: Together, base_losses: dict[int, Losses]) -> Figure:
    """Return how many points the giver lost when the taker won."""
    parts = [
        (losses.points, pair.own[seats].points, base_losses[seats].points)
        for seats, losses in pair.seen.items()
    ]
    total = sum(seen.total for seen, _own, _house in parts)
    deals = sum(seen.deals for seen, _own, _house in parts)
    expected = sum(seen.deals * usual_points(own, base) for seen, own, base in parts)
    at_base_rate = Share(
        sum(base.total for _seen, _own, base in parts),
        sum(base.deals for _seen, _own, base in parts),
    )
    z = sum_surprise(parts)
    return Figure(Kind.POINTS, _pair_of(pair), pair.giver, total, deals, expected, at_base_rate, z)


def _fed(row: Fed, base: Share) -> Figure:
    """Return how many of the giver's discards the taker took."""
    usual = fed_usually(row.given, row.taken, base)
    z = share_surprise(row.seen, usual)
    expected = usual.rate * row.seen.cases
    return Figure(
        Kind.FED, _pair_of(row), row.giver, row.seen.hits, row.seen.cases, expected, base, z
    )
