"""A split with its calculation, line by line (RB 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

import rummy
from rummy import Rules

WHY_NOT = {
    "no_split": _("These rules do not allow a split."),
    "wrong_number_of_players": _(
        "A split needs 2 or 3 players left of more than 3, or 2 left of 3 who started."
    ),
    "rest_too_small": _("After the shares for drops, less than one net entry would be left."),
}


@dataclass(frozen=True, slots=True)
class SplitLine:
    """One survivor: drops, the share for drops above the fewest, the equal part, and the sum."""

    score: int
    drops: int
    more_drops: int
    for_drops_minor: int
    equal_part_minor: int
    share_minor: int


@dataclass(frozen=True, slots=True)
class SplitSum:
    net_minor: int
    prize_minor: int
    rest_minor: int
    is_automatic: bool
    lines: tuple[SplitLine, ...]
    why_not: str


def split_sum(
    rules: Rules, scores: Sequence[int], *, started: int, entries: int, entry: int, bps: int
) -> SplitSum:
    """Return the shares of `rummy.pool.split_offer` line by line; raise the same errors."""
    offer = rummy.pool.split_offer(
        rules, scores, started=started, entries=entries, entry=entry, bps=bps
    )
    net = rummy.pool.net_entry(entry, bps)
    prize = rummy.pool.prize(entries, entry, bps)
    drops = [rummy.pool.drops_left(score, rules) for score in scores]
    more = [left - min(drops) for left in drops]
    lines = [
        SplitLine(score, left, above, above * net, share - above * net, share)
        for score, left, above, share in zip(scores, drops, more, offer.shares or (), strict=False)
    ]
    return SplitSum(
        net_minor=net,
        prize_minor=prize,
        rest_minor=prize - sum(more) * net,
        is_automatic=offer.auto,
        lines=tuple(lines),
        why_not=str(WHY_NOT[offer.why]) if offer.why else "",
    )
