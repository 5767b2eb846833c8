"""For any pot, shares and rake, the parts sum to the whole, and each is exact to a unit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import PROFILES
from rummy.money.payouts import equal_shares, largest_remainder, prize, rake
from rummy.money.pool import drops_left, split_shares

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
