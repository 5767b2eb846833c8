"""Rules of a pool between its deals: elimination, rejoins, splits (RB 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rummy.errors import MoneyError, RulesError
from rummy.money.payouts import equal_shares, net_entry, prize, rake
from rummy.notation.rules import Rules

__all__ = [
    "RejoinOffer",
    "SplitOffer",
    "auto_split_from",
    "cancelled_shares",
    "drops_left",
    "is_out",
    "net_entry",
    "prize",
    "rake",
    "rejoin_ceiling",
    "rejoin_offer",
    "split_offer",
    "split_shares",
    "successors",
]


def _limit(rules: Rules) -> int:
    if rules.limit is None:
        raise RulesError("no_pool", f"{rules.name} is no pool")
    return rules.limit


def is_out(total: int, rules: Rules) -> bool:
    """Return whether a total has reached the limit and is out (RB 7.1).

    >>> from rummy.notation.profiles import PROFILES
    >>> [is_out(total, PROFILES["total-rummy-pool-101"]) for total in (100, 101)]
    [False, True]
    """
    return total >= _limit(rules)


def drops_left(total: int, rules: Rules) -> int:
    """Return the number of first drops that a total survives (RB 7.2).

    >>> from rummy.notation.profiles import PROFILES
    >>> [drops_left(total, PROFILES["total-rummy-pool-101"]) for total in (0, 1, 20, 21, 80, 81)]
    [5, 4, 4, 3, 1, 0]
    """
    return max(0, (_limit(rules) - 1 - total) // rules.first_drop)


def rejoin_ceiling(rules: Rules) -> int:
    """Return the highest surviving score that still lets others rejoin (RB 7.3).

    >>> from rummy.notation.profiles import PROFILES
    >>> [rejoin_ceiling(PROFILES[f"total-rummy-pool-{limit}"]) for limit in (61, 101, 201)]
    [44, 79, 174]
    """
    ceiling = _limit(rules) - rules.first_drop - 2
    return ceiling if rules.rejoin_at_most is None else min(ceiling, rules.rejoin_at_most)


def auto_split_from(rules: Rules) -> int:
    """Return the total at which the pot is split once all survivors have reached it (RB 7.4).

    >>> from rummy.notation.profiles import PROFILES
    >>> auto_split_from(PROFILES["total-rummy-pool-101"])
    81
    """
    without_drop = _limit(rules) - rules.first_drop
    return without_drop if rules.auto_split_from is None else rules.auto_split_from


def _refuse_no_survivors(scores: Sequence[int], rules: Rules) -> None:
    for score in scores:
        if score < 0 or is_out(score, rules):
            raise RulesError("bad_score", f"{score} is no score of a survivor")


def _too_many(survivors: Sequence[int], started: int) -> str:
    return f"{len(survivors)} survivors are more than the {started} players who began"


@dataclass(frozen=True, slots=True)
class RejoinOffer:
    """Whether the eliminated players may rejoin, their score, and the code `why` not."""

    allowed: bool
    score: int | None
    why: str | None


def rejoin_offer(
    rules: Rules, survivors: Sequence[int], *, started: int, rejoined: int = 0
) -> RejoinOffer:
    """Return the rejoin offer, which is fixed when the deal is scored (RB 7.3).

    `survivors` are the totals of active players; `rejoined` is the player's number of earlier
    rejoins. The caller checks money, the time window, and players who left (who cannot rejoin).

    >>> from rummy.notation.profiles import PROFILES
    >>> rejoin_offer(PROFILES["total-rummy-pool-101"], [0, 50], started=3).score
    51
    >>> rejoin_offer(PROFILES["total-rummy-pool-101"], [0, 80], started=3).why
    'survivor_too_high'
    """
    _refuse_no_survivors(survivors, rules)
    rules.refuse_players(started)
    if len(survivors) > started:
        raise RulesError("bad_players", _too_many(survivors, started))
    why = None
    if not rules.rejoin:
        why = "no_rejoin"
    elif started < 3:
        why = "too_few_started"
    elif len(survivors) < 2:
        why = "too_few_survivors"
    elif max(survivors) > rejoin_ceiling(rules):
        why = "survivor_too_high"
    elif rules.auto_split and min(survivors) >= auto_split_from(rules):
        why = "splits_by_itself"  # No rejoin to a pot that is about to be split.
    elif rules.max_rejoins is not None and rejoined >= rules.max_rejoins:
        why = "rejoined_too_often"
    if why is not None:
        return RejoinOffer(False, None, why)
    return RejoinOffer(True, max(survivors) + 1, None)


@dataclass(frozen=True, slots=True)
class SplitOffer:
    """The survivors' shares of a split, in seat order, or the code `why` there is none.

    `auto` means an automatic split: every survivor has reached `auto_split_from` (RB 7.4).
    """

    eligible: bool
    auto: bool
    shares: tuple[int, ...] | None
    why: str | None


def split_offer(
    rules: Rules, scores: Sequence[int], *, started: int, entries: int, entry: int, bps: int
) -> SplitOffer:
    """Return the split offer for the survivors' `scores`, in seat order (RB 7.4).

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> split_offer(rules, [20, 55, 92], started=5, entries=7, entry=100_00, bps=1000).shares
    (39000, 21000, 3000)
    """
    _refuse_no_survivors(scores, rules)
    rules.refuse_players(started)
    if len(scores) > started:
        raise MoneyError("bad_entries", _too_many(scores, started))
    if entries < started:
        raise MoneyError("bad_entries", f"{started} players began, and {entries} entries are fewer")
    drops = [drops_left(score, rules) for score in scores]
    sizes = len(scores) in {2, 3} if started > 3 else len(scores) == 2 and started == 3
    if not (rules.split or rules.auto_split):
        return SplitOffer(False, False, None, "no_split")
    if not sizes:
        return SplitOffer(False, False, None, "wrong_number_of_players")
    pot = prize(entries, entry, bps)
    auto = rules.auto_split and min(scores) >= auto_split_from(rules)
    if not auto and not rules.split:
        return SplitOffer(False, False, None, "no_split")
    net = net_entry(entry, bps)
    # Impossible without drops left.
    if pot - _drops_value(drops, net) < net:
        return SplitOffer(False, False, None, "rest_too_small")
    return SplitOffer(True, auto, split_shares(pot, scores, drops, net=net), None)


def _drops_value(drops: Sequence[int], net: int) -> int:
    least = min(drops)
    return sum((drop - least) * net for drop in drops)


def split_shares(
    pot: int, scores: Sequence[int], drops: Sequence[int], *, net: int
) -> tuple[int, ...]:
    """Return the shares: a net entry for each drop above the fewest, the rest equally (RB 7.4).

    Odd units go one each to the lowest scores, then to the earlier seats.

    >>> split_shares(150_00, [10, 30, 95], [3, 1, 0], net=25_00)
    (9167, 4167, 1666)
    """
    if not scores or len(scores) != len(drops):
        raise MoneyError("nobody_to_pay", "a split has one score and one number of drops each")
    rest = pot - _drops_value(drops, net)
    if rest < 0:
        raise MoneyError("pot_too_small", "the pot does not pay the drops")
    least = min(drops)
    luckiest = sorted(range(len(scores)), key=lambda place: (scores[place], place))
    shares = [(drop - least) * net for drop in drops]
    for place, part in zip(luckiest, equal_shares(rest, len(scores)), strict=True):
        shares[place] += part
    return tuple(shares)


def cancelled_shares(
    survivors: int, *, entries: int, lost: int, entry: int, bps: int
) -> tuple[int, ...]:
    """Return the survivors' shares of a pool cancelled after its first scored deal (RB 7.7).

    `lost` is the number of entries lost so far, including those lost before a rejoin. The shares
    are in seat order; earlier seats get the odd units.

    >>> cancelled_shares(4, entries=6, lost=2, entry=100_00, bps=1000)
    (14500, 14500, 14500, 14500)
    """
    if not 0 <= lost <= entries:
        raise MoneyError("bad_entries", f"{lost} of {entries} entries cannot be lost")
    return equal_shares(entries * entry - lost * rake(entry, bps), survivors)


def successors(totals_before: Sequence[int]) -> tuple[int, ...]:
    """Return the indices of the players who share a pool without survivors (RB 7.6).

    These are the players with the lowest total before the last deal.

    >>> successors([40, 12, 12])
    (1, 2)
    """
    if not totals_before:
        raise MoneyError("nobody_to_pay", "a pool needs at least one player to pay")
    lowest = min(totals_before)
    return tuple(place for place, total in enumerate(totals_before) if total == lowest)
