"""Receipts describe a transfer and its calculation to its own player only."""

import pytest
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from wallet.bonuses import play_points
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.statements.receipts import receipt_of, transfers_of

pytestmark = pytest.mark.django_db


def lines(transfer, player):
    return [(line.text, line.money.amount) for line in receipt_of(transfer, player).sums]


def test_buy_in_receipt_shows_buckets_fee_and_share_of_the_pot():
    player = make_player()
    fund(player, bonus=50_00, deposit=70_00, winnings=30_00)
    stake = stakes.take_stake(
        player=player, escrow=make_escrow(), entry=Money(100, "INR"), rake_bps=1_000, key="buyin:1"
    )

    assert lines(stake.transfer, player) == [
        ("From bonus “Welcome”", 10),
        ("From deposit", 70),
        ("From winnings", 20),
        ("Entry", 100),
        ("Platform fee, due only when the game is settled", -10),
        ("Your part of the prize pool", 90),
    ]


def test_prize_receipt_shows_pot_fee_and_other_shares():
    escrow, winner, second = make_escrow(), make_player(), make_player()
    players = [winner, second, *(make_player() for _ in range(4))]
    paid = [make_stake(escrow=escrow, player=player) for player in players]
    prizes = [(winner, Money(400, "INR")), (second, Money(140, "INR"))]
    prize = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    assert lines(prize, winner) == [
        ("6 entries paid in", 600),
        ("Platform fee", -60),
        ("Prize pool", 540),
        ("Shares of other players", -140),
        ("Paid to your winnings", 400),
    ]
    assert lines(prize, second)[-2:] == [
        ("Shares of other players", -400),
        ("Paid to your winnings", 140),
    ]


def test_prize_receipt_of_several_postings_shows_the_whole_pot(monkeypatch):
    monkeypatch.setattr(stakes, "PAID_AT_ONCE", 1)
    escrow, winner, second = make_escrow(), make_player(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, second)]
    prizes = [(winner, Money(100, "INR")), (second, Money(80, "INR"))]
    stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")
    postings = Transfer.objects.filter(kind=Transfer.Kind.PRIZE).order_by("pk")

    shown = [lines(prize, player) for prize, player in zip(postings, (winner, second), strict=True)]

    for mine, others, line in ((100, -80, shown[0]), (80, -100, shown[1])):
        assert line == [
            ("2 entries paid in", 200),
            ("Platform fee", -20),
            ("Prize pool", 180),
            ("Shares of other players", others),
            ("Paid to your winnings", mine),
        ]


def test_late_cancellation_receipt_shows_the_shares():
    escrow, first, second = make_escrow(), make_player(), make_player()
    kept = [make_stake(escrow=escrow, player=player) for player in (first, second)]
    lost = stakes.lose_stake(stake=make_stake(escrow=escrow))
    share = Money(145, "INR")
    refund = stakes.cancel_game(
        escrow=escrow,
        stakes=[*kept, lost],
        key="cancel:1",
        shares=[(first, share), (second, share)],
    )

    assert lines(refund, first) == [
        ("All entries", 300),
        ("Platform fee for lost entries", -10),
        ("To share", 290),
        ("Shares of other players", -145),
        ("Your share", 145),
        ("To deposit", 100),
        ("To winnings", 45),
    ]


@pytest.fixture
def reversed_adjustment():
    player = make_player()
    mine = fund(player, deposit=50_00)
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    mistake = posting.post(
        key="mistake",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(mine["deposit"], -10_00), (suspense, 10_00)],
    )
    return player, mistake, posting.reverse(mistake)


def test_reversal_and_reversed_transfer_link_to_each_other(client, reversed_adjustment):
    player, mistake, reversal = reversed_adjustment
    client.force_login(player)
    address = {t.pk: reverse("wallet-receipt", args=[t.public_id]) for t in (mistake, reversal)}

    assert address[reversal.pk] in client.get(address[mistake.pk]).content.decode()
    assert address[mistake.pk] in client.get(address[reversal.pk]).content.decode()
    assert lines(reversal, player) == [("To deposit", 10)]
    assert lines(mistake, player) == [("From deposit", -10)]


def test_receipt_page_shows_text_and_figures(client):
    player = make_player()
    client.force_login(player)
    grant = play_points.grant_sign_up(player=player)

    page = client.get(reverse("wallet-receipt", args=[grant.public_id])).content.decode()

    assert "Free points" in page
    assert "A promotion by the site. Welcome." in page
    assert "10,000\xa0PTS" in page
    assert "promotions" not in page.lower().replace("out of its promotions", "")


@pytest.mark.parametrize(("name", "signed_out"), [("wallet-receipt", 302), ("api-receipt", 403)])
def test_receipt_is_shown_only_to_players_of_the_transfer(client, name, signed_out):
    escrow, winner, loser = make_escrow(), make_player(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, loser)]
    prizes = [(winner, Money(180, "INR"))]
    prize = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")
    address = reverse(name, args=[prize.public_id])

    assert client.get(address).status_code == signed_out
    client.force_login(loser)
    assert client.get(address).status_code == 404
    assert not transfers_of(loser).filter(pk=prize.pk).exists()
    client.force_login(winner)
    assert client.get(address).status_code == 200
