"""A stake goes in by the spending order, and out by prizes or by the very parts it came from."""

import pytest
from moneyed import Money

from tests.wallet.builders import balances, fund, make_escrow, make_player
from wallet.models import Bucket
from wallet.services import stakes

pytestmark = pytest.mark.django_db


def take(player, escrow, entry="100.00", key="buyin:1:1", **options):
    return stakes.take_stake(
        player=player, escrow=escrow, entry=Money(entry, "INR"), key=key, rake_bps=1_000, **options
    )


@pytest.mark.parametrize(
    ("bonus", "deposit", "winnings", "expected"),
    [
        (50_00, 500_00, 500_00, [10_00, 90_00]),  # Of the bonus a tenth of the entry, no more.
        (4_00, 60_00, 500_00, [4_00, 60_00, 36_00]),  # Each bucket is emptied before the next.
        (0, 0, 100_00, [100_00]),
        (0, 100_00, 0, [100_00]),
        (10_00, 90_00, 0, [10_00, 90_00]),
    ],
)
def test_an_entry_is_spent_from_bonus_deposit_winnings(bonus, deposit, winnings, expected):
    player, escrow = make_player(), make_escrow()
    given = {"bonus": bonus, "deposit": deposit, "winnings": winnings}
    mine = fund(player, **{kind: amount for kind, amount in given.items() if amount})

    stake = take(player, escrow)

    assert [part.amount_minor for part in stake.parts.all()] == expected
    assert (stake.entry_minor, stake.rake_minor, stake.net_minor) == (100_00, 10_00, 90_00)
    left = balances(*(mine[kind] for kind in Bucket.values))
    assert sum(left) == bonus + deposit + winnings - 100_00
    assert balances(escrow) == [100_00]
