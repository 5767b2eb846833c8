"""Pages and receipts show a player's bonuses: use, end and effects of each."""

import pytest
from django.urls import reverse

from tests.builders.wallet.bonus_desk import RELEASE, days_later, give, join, left, rupees, settle
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.audit.audit import row_findings
from wallet.bonuses import expiry as bonus_expiry
from wallet.ledger.models import Transfer
from wallet.stakes import stacks, stakes
from wallet.stakes.balances import wallet_of
from wallet.statements.receipts import receipt_of

pytestmark = pytest.mark.django_db


def shown(client, player, name="wallet", *args):
    client.force_login(player)
    return " ".join(client.get(reverse(name, args=args)).content.decode().split())


def receipt(transfer, player):
    receipt = receipt_of(transfer, player)
    lines = [(line.text, line.money.amount) for line in receipt.sums]
    return receipt.title, receipt.sentence, lines


def latest(kind):
    return Transfer.objects.filter(kind=kind).latest("pk")


def test_spendable_bonus_shows_remainder_and_end(client):
    player, other = make_player(), make_player()
    fund(player, deposit=500_00)
    assert 'id="bonuses"' not in shown(client, player)
    lot = give(player, 50, reason="Diwali")
    give(other, 77, reason="Not yours")
    join(player)

    page = shown(client, player)

    assert "Diwali" in page
    assert "Pays up to 10 % of each entry, before your deposit." in page
    assert "<dt>Left to spend</dt><dd>₹40.00</dd>" in page
    assert "<dt>Granted</dt><dd>₹50.00</dd>" in page
    assert f'datetime="{lot.expires_at.astimezone().date().isoformat()}' in page
    assert reverse("wallet-receipt", args=[lot.transfer.public_id]) in page
    assert page.count("In games</dt><dd>₹10.00") == 1
    assert "Not yours" not in page
    assert "<progress" not in page


def test_locked_bonus_shows_released_part(client):
    players = [make_player(), make_player()]
    escrow = make_escrow()
    give(players[0], 100, mode=RELEASE, release_bps=1_250, reason="Diwali")
    for player in players:
        fund(player, deposit=100_00)
    settle(*[join(player, escrow=escrow) for player in players])

    page = shown(client, players[0])

    assert "Locked. 12.5 % of each settled entry moves to your winnings." in page
    assert "<dt>Still locked</dt><dd>₹87.50</dd>" in page
    assert "Released: ₹12.50 / ₹100.00" in page
    assert 'max="10000" value="1250"' in page
    assert "<dt>Locked bonus</dt><dd>₹87.50</dd>" in page
    [wallet] = wallet_of(players[0])
    assert wallet.spendable == rupees("212.50")


def test_ended_bonus_is_shown_only_while_a_part_is_in_a_game(client):
    player = make_player()
    fund(player, deposit=500_00)
    give(player, 50, days=1, reason="Diwali")
    stake = join(player)

    with days_later(2):
        assert "This bonus has ended." in shown(client, player)
        stakes.return_stakes(stakes=[stake], key="leave:1")
        assert "Diwali" not in shown(client, player).split('id="recent-INR"')[0]


def test_bonus_receipt_shows_the_terms():
    player = make_player()
    spend, locked = give(player, 50), give(player, 20, mode=RELEASE, release_bps=500)

    title, sentence, lines = receipt(spend.transfer, player)
    assert (title, lines) == ("Bonus granted", [("To bonus", 50)])
    assert "It pays a part of your entries." in sentence
    assert "the rest then expires" in sentence
    _, sentence, lines = receipt(locked.transfer, player)
    assert "It is locked: 5 % of each settled entry moves to your winnings." in sentence
    assert lines == [("To locked bonus", 20)]


def test_release_receipt_shows_the_entry_and_each_lot():
    players = [make_player(), make_player()]
    escrow = make_escrow()
    give(players[0], 3, days=2, mode=RELEASE, reason="First")
    give(players[0], 50, mode=RELEASE, reason="Second")
    for player in players:
        fund(player, deposit=100_00)
    settle(*[join(player, escrow=escrow) for player in players])

    title, sentence, lines = receipt(latest("release"), players[0])

    assert title == "Bonus released"
    assert sentence.startswith("A settled game released")
    assert lines == [
        ("Your entry in the settled game", 100),
        ("Released from “First”: 10 % of a settled entry", 3),
        ("Still locked of “First”", 0),
        ("Released from “Second”: 10 % of a settled entry", 7),
        ("Still locked of “Second”", 43),
        ("Paid to your winnings", 10),
    ]


def test_expiry_receipt_shows_the_part_used_before():
    player = make_player()
    fund(player, deposit=500_00)
    give(player, 50, days=1, reason="Diwali")
    stake = join(player)
    with days_later(2):
        bonus_expiry.expire_due_bonuses()

    title, sentence, lines = receipt(latest("expiry"), player)
    assert title == "Bonus expired"
    assert sentence.startswith("Your bonus “Diwali” ended on ")
    assert lines == [("Granted", 50), ("Spent on entries", -10), ("Expired now", 40)]

    with days_later(2):
        refund = stakes.return_stakes(stakes=[stake], key="leave:1")
    _, _, lines = receipt(latest("expiry"), player)
    assert lines == [("Granted", 50), ("Expired before", -40), ("Expired now", 10)]
    _, sentence, lines = receipt(refund, player)
    assert sentence.endswith("₹10.00 of it came from a bonus that has ended, and expired.")
    assert lines == [("To bonus", 10), ("To deposit", 90), ("Returned", 100)]


def test_cash_out_receipt_shows_the_expired_part():
    """A deal takes the lot's part first; what is left of it meets an ended lot."""
    escrow, players = make_escrow(), [make_player(), make_player()]
    for player in players:
        fund(player, deposit=500_00)
    lot = give(players[0], 50, days=1)
    for player in players:
        join(player, escrow=escrow)
    losses = {players[0].pk: rupees(4)}
    stacks.pass_stacks(
        escrow=escrow, losses=losses, winner=players[1], rake=rupees(0), key="deal:1"
    )

    with days_later(2):
        left_with = stacks.cash_out(
            escrow=escrow, player=players[0], key="cashout:1", closes_game=False
        )
        assert row_findings() == ()

    sentence, lines = receipt(left_with, players[0])[1:]
    assert "₹6.00 of it came from a bonus that has ended" in sentence
    assert ("To bonus", 6) in lines
    assert left(lot) == [0]


def test_a_buy_in_names_each_lot():
    player = make_player()
    fund(player, deposit=500_00)
    give(player, 4, days=3, reason="First")
    give(player, 50, reason="Second")

    _, _, lines = receipt(join(player).transfer, player)

    assert lines[:4] == [
        ("From bonus “First”", 4),
        ("From bonus “Second”", 6),
        ("From deposit", 90),
        ("Entry", 100),
    ]
