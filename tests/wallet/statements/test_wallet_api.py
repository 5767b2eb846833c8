"""The wallet API returns the same data as the pages, to the player only."""

import pytest
from django.urls import reverse

from tests.builders.wallet.amounts import sent
from tests.builders.wallet.bonus_desk import give, join
from tests.builders.wallet.filters import SENSELESS
from tests.builders.wallet.players import fund, make_player
from wallet.bonuses import play_points

pytestmark = pytest.mark.django_db


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
