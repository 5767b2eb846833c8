"""Rejoins at a tournament's table: paid into the tournament, and only while it takes them."""

import pytest

from tables.exceptions import RejoinsClosed
from tables.lobby.table_templates import profiles
from tables.models.seats import BuyIn
from tables.models.tables import Table
from tables.seats import hosted
from tables.settlement.models import Window
from tests.builders.tables.making import make_rules
from tests.builders.tables.pools import YES, make_rich_player, say, score, totals
from wallet.ledger import accounts

pytestmark = pytest.mark.django_db

OUT = 101


def hosted_pool(*, stop_at_survivors=2, with_rejoins=True):
    """A tournament's table of four, its rejoins paid into a pot of the tournament's own."""
    pot = accounts.open_escrow(ref="tournament:1", currency="PTS") if with_rejoins else None
    return hosted.open_table(
        profile=profiles.register_profile(make_rules(gap_seconds=60)),
        name="Round 1",
        owner_ref="tournament:1",
        players=[make_rich_player(500_00) for _ in range(4)],
        stop_at_survivors=stop_at_survivors,
        currency="PTS",
        entry_minor=100_00,
        rake_bps=1_000,
        rejoin_account=pot,
    )


def test_a_tournaments_rejoin_is_paid_into_the_tournament():
    table = hosted_pool()
    table = score(table, 0, 10, 20, OUT)
    assert table.phase == Table.Phase.REJOIN

    say(table, 4, YES)

    table.rejoin_account.refresh_from_db()
    assert table.rejoin_account.balance_minor == 100_00
    assert totals(table) == [0, 10, 20, 21]
    assert BuyIn.objects.get().no == 2


def test_a_tournament_that_has_closed_rejoins_takes_none_in_an_open_window():
    table = hosted_pool()
    score(table, 0, 10, 20, OUT)
    Table.objects.filter(pk=table.pk).update(rejoins_open=False)

    with pytest.raises(RejoinsClosed):
        say(table, 4, YES)

    assert not BuyIn.objects.exists()


def test_a_table_that_stops_at_two_offers_no_rejoin_once_two_are_left():
    table = hosted_pool()

    table = score(table, 0, 10, OUT, OUT)

    assert table.phase == Table.Phase.FINISHED
    assert not Window.objects.exists()


def test_a_host_without_rejoins_offers_none():
    table = hosted_pool(with_rejoins=False)

    assert score(table, 0, 10, 20, OUT).phase == Table.Phase.BETWEEN
