"""Figures of pairs are symmetric and no more certain than their counts."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tables.integrity.collusion.money import shared_out
from tables.integrity.collusion.statistics import (
    PRIOR,
    Share,
    Spread,
    Sum,
    fed_usually,
    groups,
    share_surprise,
    sum_surprise,
    usual_points,
    with_base_rate,
)

counts = st.integers(0, 400)
shares = st.tuples(counts, counts).map(lambda two: Share(min(two), max(two)))


@given(shares, shares)
def test_surprise_of_two_shares_is_antisymmetric(one, other):
    z = share_surprise(one, other)

    assert math.isfinite(z)
    # Of equal shares it is the root of a rounding error, with the sign of either.
    assert math.isclose(z, -share_surprise(other, one), abs_tol=1e-5)
    if one.cases and other.cases and one.rate != other.rate:
        assert (z > 0) == (one.rate > other.rate)


@given(st.integers(0, 60), st.integers(1, 60), st.integers(2, 20))
def test_surprise_grows_with_the_number_of_cases(hits, cases, times):
    seen, usual = Share(min(hits, cases), cases), Share(20, 100)
    more = Share(times * seen.hits, times * seen.cases)

    assert abs(share_surprise(more, usual)) >= abs(share_surprise(seen, usual)) - 1e-9


@given(shares, shares)
def test_a_player_without_other_play_is_compared_with_the_base_rate(own, base):
    assert math.isclose(with_base_rate(Share(0, 0), base).rate, base.rate, abs_tol=1e-9)
    rates = sorted((own.rate, base.rate)) if own.cases and base.cases else (0, 1)
    assert rates[0] - 1e-9 <= with_base_rate(own, base).rate <= rates[1] + 1e-9


@given(shares, shares, shares)
def test_expected_feeding_is_a_rate_with_limited_weight(giver, taker, base):
    usual = fed_usually(giver, taker, base)

    assert 0 <= usual.rate <= 1
    assert usual.cases <= min(giver.cases, taker.cases) + PRIOR


@given(st.integers(1, 200), st.integers(0, 80), st.integers(0, 200))
def test_usual_loss_of_points_is_not_significant(deals, mean, own_deals):
    base = Sum(mean * 1_000, 1_000, (mean**2 + 400) * 1_000)
    own = Sum(mean * own_deals, own_deals)
    seen = Sum(mean * deals, deals)

    assert math.isclose(usual_points(own, base), mean, abs_tol=1e-9)
    assert abs(sum_surprise([(seen, own, base)])) < 1e-6
    assert sum_surprise([(Sum(seen.total + 1, deals), own, base)]) > 0


@given(st.lists(st.floats(-5, 5), min_size=1))
def test_figures_are_never_made_larger_by_their_spread(figures):
    spread = Spread()
    for figure in figures:
        spread.add(figure)

    assert spread.width >= 1
    assert spread.number == len(figures)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=40))
def test_group_of_a_pair_is_named_by_its_lowest_key(pairs):
    leads = groups(pairs)

    assert set(leads) == {player for pair in pairs for player in pair}
    assert all(leads[one] == leads[other] for one, other in pairs)
    assert all(lead <= player and leads[lead] == lead for player, lead in leads.items())


money = st.dictionaries(st.integers(1, 6), st.integers(0, 10_000), max_size=6)


@given(money, money, st.sets(st.integers(3, 6), max_size=3))
def test_a_refund_takes_no_more_than_was_won_and_gives_no_more_than_was_lost(won, paid, linked):
    lines = shared_out(won, paid, pair=(1, 2), linked=linked)

    assert sum(lines.values()) == 0
    for player, minor in lines.items():
        if minor < 0:
            assert player in {1, 2}
            assert -minor <= won[player]
        else:
            assert player not in {1, 2} | linked
            assert minor <= paid[player] - won.get(player, 0)
    prizes = won.get(1, 0) + won.get(2, 0)
    victims = set(paid) - {1, 2} - linked
    lost = sum(max(0, paid[player] - won.get(player, 0)) for player in victims)
    assert sum(minor for minor in lines.values() if minor > 0) == min(prizes, lost)
