"""RB 7.5, 8, 10.3: money in whole minor units."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import PROFILES, MoneyError, RulesError
from rummy.money.chips import chips_after, deals_standing
from rummy.money.payouts import (
    equal_shares,
    largest_remainder,
    points_hold,
    points_payout,
    prize,
    rake,
)
from rummy.money.pool import drops_left, split_shares

BEST_OF_2 = PROFILES["total-rummy-best-of-2"]


@pytest.mark.parametrize(
    ("points", "value", "bps", "gross", "fee", "net"),
    [
        ([0, 15, 25, 10, 20, 5], 100, 0, 7500, 0, 7500),
        ([0, 50, 30, 20, 20, 10], 50, 1000, 6500, 650, 5850),
        ([0, 13], 5, 1200, 65, 7, 58),
        ([0, 40, 35, 25], 1000, 0, 100_000, 0, 100_000),  # 100 points at 10.00.
    ],
)
def test_points_vectors(  # noqa: PLR0917
    points: list[int], value: int, bps: int, gross: int, fee: int, net: int
) -> None:
    paid = points_payout(points, value=value, bps=bps)

    assert (paid.gross, paid.rake, paid.net) == (gross, fee, net)
    assert paid.losses == tuple(lost * value for lost in points)


def test_loss_is_limited_to_the_amount_held() -> None:
    paid = points_payout([0, 80], value=125, bps=0)

    assert max(paid.losses) == points_hold(80, 125)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: rake(-1, 0),
        lambda: rake(1, 10_001),
        lambda: rake(1.5, 0),  # type: ignore[arg-type]
        lambda: prize(-1, 100, 0),
        lambda: equal_shares(10, 0),
        lambda: largest_remainder(10, [0, 0]),
        lambda: largest_remainder(10, [1, -1]),
        lambda: points_payout([0, -5], value=1, bps=0),
        lambda: points_payout([5, 5], value=1, bps=0),
        lambda: points_payout([0, 5], value=-1, bps=0),
        lambda: points_hold(80, -1),
    ],
)
def test_money_that_cannot_be_is_refused(refused: object) -> None:
    with pytest.raises(MoneyError):
        refused()  # type: ignore[operator]


def test_chips_pass_to_the_winner_of_the_deal() -> None:
    assert chips_after([160, 160, 160], [40, 0, 80], winner=1) == (120, 280, 80)
    for points, winner in (([1, 0], 0), ([0, -1], 0), ([0, 1], 2), ([0, 1], -1), ([], 0)):
        with pytest.raises(RulesError):
            chips_after([160, 160], points, winner=winner)


def test_a_tie_plays_extra_deals_among_the_tied_at_most_three() -> None:
    tied = [200, 80, 200]

    assert deals_standing(BEST_OF_2, tied, played=1).playing == (0, 1, 2)
    assert deals_standing(BEST_OF_2, tied, played=2).playing == (0, 2)
    assert deals_standing(BEST_OF_2, tied, played=4).playing == (0, 2)
    last = deals_standing(BEST_OF_2, tied, played=5)
    assert (last.is_over, last.leaders) == (True, (0, 2))


def test_the_highest_stack_wins_and_leavers_forfeit() -> None:
    assert deals_standing(BEST_OF_2, [240, 80], played=2).leaders == (0,)
    gone = deals_standing(BEST_OF_2, [240, 80, 160], played=1, left={0, 1})
    assert (gone.is_over, gone.leaders) == (True, (2,))


@given(st.lists(st.integers(0, 80), min_size=2, max_size=6), st.data())
def test_chips_on_the_table_never_change(points: list[int], data: st.DataObject) -> None:
    winner = data.draw(st.integers(0, len(points) - 1))
    points[winner] = 0

    after = chips_after([240] * len(points), points, winner)

    assert sum(after) == 240 * len(points)


POOL = PROFILES["total-rummy-pool-101"]

entries = st.integers(1, 10**4)
entry = st.integers(0, 10**8)
bps = st.integers(0, 10_000)
weights = st.lists(st.integers(0, 10_000), min_size=1, max_size=12).filter(any)
scores = st.lists(st.integers(0, 100), min_size=2, max_size=3, unique=True)


def in_another_order(places: int, chance: int) -> list[int]:
    return sorted(range(places), key=lambda place: (place * chance) % 13)


def share_by_weights(number: int, price: int, fee: int, parts: list[int], chance: int) -> None:
    pot = prize(number, price, fee)
    assert pot + number * rake(price, fee) == number * price
    assert 0 <= rake(price, fee) <= price

    shares = largest_remainder(pot, parts)

    whole = sum(parts)
    assert sum(shares) == pot
    for share, part in zip(shares, parts, strict=True):
        assert abs(share * whole - pot * part) < whole
    if len({pot * part % whole for part in parts}) == len(parts):  # Nobody's remainder is tied.
        order = in_another_order(len(parts), chance)
        again = largest_remainder(pot, [parts[place] for place in order])
        assert list(again) == [shares[place] for place in order]


def share_equally(number: int, price: int, fee: int, heads: int) -> None:
    pot = prize(number, price, fee)

    shares = equal_shares(pot, heads)

    assert sum(shares) == pot
    assert all(abs(share * heads - pot) < heads for share in shares)
    assert list(shares) == sorted(shares, reverse=True)


def split_a_pool(number: int, price: int, fee: int, totals: list[int], chance: int) -> None:
    drops, net = [drops_left(total, POOL) for total in totals], price - rake(price, fee)
    pot = prize(number + sum(drops), price, fee)

    shares = split_shares(pot, totals, drops, net=net)

    assert sum(shares) == pot
    rest = pot - sum((drop - min(drops)) * net for drop in drops)
    for share, drop in zip(shares, drops, strict=True):
        exact = (drop - min(drops)) * net * len(totals) + rest
        assert abs(share * len(totals) - exact) < len(totals)
    order = in_another_order(len(totals), chance)
    again = split_shares(
        pot, [totals[place] for place in order], [drops[place] for place in order], net=net
    )
    assert list(again) == [shares[place] for place in order]


chances = st.integers(1, 12)
PROMISES = {
    "by weights": (share_by_weights, (entries, entry, bps, weights, chances)),
    "equally": (share_equally, (entries, entry, bps, st.integers(1, 12))),
    "a split": (split_a_pool, (entries, entry, bps, scores, chances)),
}


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.parametrize(
    "examples",
    [100, pytest.param(100_000, marks=[pytest.mark.soak, pytest.mark.timeout(3_600)])],
)
def test_the_parts_of_any_pot_are_the_whole(name: str, examples: int) -> None:
    promise, given_to_it = PROMISES[name]
    many = settings(max_examples=examples, deadline=None)

    many(given(*given_to_it)(promise))()
