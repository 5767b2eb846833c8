"""The editor of prizes by place, and the preview of what they pay (RB 10.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rummy
from tournaments.exceptions import BadPrizes
from tournaments.planning.prize_table import (
    DEFAULT_ROWS,
    LARGE_ROWS,
    check_rows,
    rows_of_text,
    text_of_rows,
)
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes.preview import prize_preview

ODD = (2, 3, 5, 7, 53, 200, 1_000)


# Non-increasing basis points that sum to 100 percent.
PRIZE_ROWS = st.lists(st.integers(1, 50), min_size=1, max_size=20).map(
    lambda weights: sorted(rummy.payouts.largest_remainder(10_000, weights), reverse=True)
)


@given(PRIZE_ROWS)
def test_text_of_the_editor_gives_the_same_rows_again(rows):
    assert rows_of_text(text_of_rows(rows)) == rows
    check_rows(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1: 50\n3: 50", "the next place is 2"),
        ("2: 100", "the next place is 1"),
        ("1: 50\n2-1: 50", "the next place is 2"),
        ("half", "like 3: 12.5"),
        ("1: 33.333", "like 3: 12.5"),
        ("1: 50\n2: 40", "sum to 90 percent"),
        ("1: 40\n2: 60", "place 2 exceeds"),
        ("1: 100\n2: 0", "above 0"),
    ],
)
def test_wrong_tables_are_refused(text, said):
    with pytest.raises(BadPrizes, match=said):
        check_rows(rows_of_text(text))


@given(
    rows=st.sampled_from([[], *(list(rows) for _, rows in DEFAULT_ROWS), list(LARGE_ROWS)])
    | PRIZE_ROWS,
    entry=st.integers(1, 10_000_00),
    rake_bps=st.integers(0, 9_999),
    guarantee=st.integers(0, 10_000_00),
)
def test_prizes_sum_to_the_pool_for_every_number_of_entries(rows, entry, rake_bps, guarantee):
    template = TournamentTemplate(
        entry_minor=entry,
        rake_bps=rake_bps,
        guarantee_minor=guarantee,
        prize_bps=rows,
        currency="PTS",
    )

    columns = prize_preview(template, ODD)["columns"]

    for column in columns:
        assert column.total == column.pool
        paid = column.paid_in.minor - column.fees.minor + column.overlay.minor
        assert column.pool.minor == paid >= guarantee
        assert len(column.odd_to) < max(2, len(column.prizes))
