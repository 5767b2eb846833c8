"""The wallet page shows the player's own money only."""

import pytest
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.bonuses import play_points
from wallet.stakes import stakes
from wallet.stakes.balances import games_of, wallet_of

pytestmark = pytest.mark.django_db


def test_the_page_shows_my_latest_entries_only(client, django_assert_max_num_queries):
    me, other = make_player(), make_player()
    play_points.grant_sign_up(player=me)
    for amount in range(1, 12):
        fund(me, deposit=amount * 100)
    fund(other, deposit=987_65)
    client.force_login(me)

    with django_assert_max_num_queries(17):
        page = client.get(reverse("wallet")).content.decode()

    assert "987.65" not in page
    assert page.count("<tr>") == 1 + 10
    assert "10,000\xa0PTS" in page
    assert "Play points granted" not in page


def test_wallet_page_shows_the_money_in_each_game(client):
    me, other = make_player(), make_player()
    fund(me, deposit=500_00)
    fund(other, deposit=77_00)
    tables = [make_escrow() for _ in range(2)]
    entries = [(me, 0, 100, "Table A"), (me, 1, 30, "Table B"), (me, 1, 20, "Table B")]
    taken = [
        stakes.take_stake(
            player=player,
            escrow=tables[table],
            entry=Money(rupees, "INR"),
            rake_bps=0,
            key=f"buyin:{no}",
            memo=memo,
        )
        for no, (player, table, rupees, memo) in enumerate([*entries, (other, 0, 77, "Table C")])
    ]
    client.force_login(me)

    page = client.get(reverse("wallet")).content.decode()
    rows = [(row.game, row.held, row.paid_by) for row in games_of(me)]

    assert rows == [
        ("Table A", Money(100, "INR"), taken[0].transfer.public_id),
        ("Table B", Money(50, "INR"), taken[2].transfer.public_id),
    ]
    assert sum(held.amount for _game, held, _paid in rows) == wallet_of(me)[0].in_games.amount
    assert "Table A" in page
    assert "Table B" in page
    assert "Table C" not in page
