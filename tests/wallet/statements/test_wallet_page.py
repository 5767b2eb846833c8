"""The wallet page shows the player's own money only."""

import pytest
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.amounts import sent
from tests.builders.wallet.bonus_desk import give, join
from tests.builders.wallet.filters import SENSELESS
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.bonuses import play_points
from wallet.stakes import stakes
from wallet.stakes.balances import games_of, wallet_of

pytestmark = pytest.mark.django_db


def test_the_page_shows_my_latest_rows_only(client, django_assert_max_num_queries):
    me, other = make_player(), make_player()
    play_points.grant_sign_up(player=me)
    for amount in range(1, 12):
        fund(me, deposit=amount * 100)
    fund(other, deposit=987_65)
    client.force_login(me)

    with django_assert_max_num_queries(30):
        page = client.get(reverse("wallet")).content.decode()

    assert "987.65" not in page
    # The latest five rows in each currency.
    assert page.count("<tr>") == (1 + 5) + (1 + 1)
    assert "10,000\xa0PTS" in page
    assert "Free points" in page
    # The buttons are above the balances, so that a phone shows them first.
    assert page.index(reverse("start-withdrawal")) < page.index('id="wallet-PTS"')


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


def test_wallet_api_returns_balances_by_bucket(client, me):
    fund(me, deposit=120_00, winnings=5_00)
    give(me, 50)
    stake = join(me)

    shown = client.get(reverse("api-wallet")).json()

    assert shown["wallets"] == [
        {
            "currency": "INR",
            "spendable": sent(75_00),
            "bonus": sent(40_00),
            "deposit": sent(30_00),
            "winnings": sent(5_00),
            "in_games": sent(100_00),
            "locked_bonus": sent(0),
            "withdrawal_hold": sent(0),
            "owed": sent(0),
        }
    ]
    [game] = shown["games"]
    assert (game["held"], game["transfer"]) == (sent(100_00), str(stake.transfer.public_id))
    [bonus] = shown["bonuses"]
    assert (bonus["granted"], bonus["left"], bonus["mode"]) == (sent(50_00), sent(40_00), "spend")


@pytest.mark.extended
def test_the_statement_is_walked_to_its_end(client, me):
    for units in range(1, 103):
        fund(me, deposit=units * 100)
    fund(make_player(), deposit=987_65)
    address = reverse("api-statement")

    first_page = client.get(address)
    first = first_page.json()
    fund(me, deposit=500_00)
    rest = client.get(first["next"]).json()

    rows = [*first["results"], *rest["results"]]
    assert [row["amount"]["minor"] for row in rows] == [*range(102_00, 0, -1_00)]
    assert first_page["Link"] == f'<{first["next"]}>; rel="next"'
    assert (rows[-1]["balance"], rows[-1]["kind"], rest["next"]) == (sent(1_00), "deposit", None)


def test_the_statement_is_filtered(client, me):
    fund(me, deposit=120_00)
    join(me)

    paid = client.get(reverse("api-statement"), {"kind": "buy_in"}).json()["results"]

    assert [(row["amount"], row["bucket"]) for row in paid] == [(sent(-100_00), "Deposit")]


@pytest.mark.parametrize("wrong", [{"before": "17"}, *SENSELESS])
def test_a_question_that_means_nothing_is_refused(client, me, wrong):
    fund(me, deposit=1_00)

    answer = client.get(reverse("api-statement"), wrong)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter")


def test_receipt_has_entries_and_sums(client, me):
    fund(me, deposit=120_00)
    transfer = join(me).transfer

    shown = client.get(reverse("api-receipt", args=[transfer.public_id])).json()

    assert (shown["id"], shown["kind"]) == (str(transfer.public_id), "buy_in")
    assert [entry["amount"] for entry in shown["entries"]] == [sent(-100_00)]
    assert sent(100_00) in [line["amount"] for line in shown["sums"]]


def test_api_refills_play_points_or_says_why_not(client, me):
    filled = client.post(reverse("api-refill"))
    [points] = filled.json()["wallets"]
    assert (points["currency"], points["deposit"]) == ("PTS", sent(10_000_00, "PTS"))
    assert client.post(reverse("api-refill")).json() == filled.json()

    other = make_player()
    play_points.grant_sign_up(player=other)
    client.force_login(other)
    refused = client.post(reverse("api-refill"))
    assert (refused.status_code, refused.json()["code"]) == (409, "points_suffice")
