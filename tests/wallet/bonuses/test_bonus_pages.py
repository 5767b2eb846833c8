"""Pages and receipts show a player's bonuses: use, end and effects of each."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from core.exceptions import AlreadyDecided
from players.exceptions import CashNotOffered
from tests.builders.people.regions import close_region, open_region
from tests.builders.staff.people import clerk_who_may
from tests.builders.wallet.bonus_desk import RELEASE, days_later, give, join, left, rupees, settle
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet import exceptions
from wallet.audit.audit import row_findings
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.liability import liability_by_month, liability_by_player, liability_totals
from wallet.bonuses.models import BonusGrant, BonusRequest
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


@pytest.fixture(autouse=True)
def _cash(db):
    open_region("IN-KA")


def make_staff(**overrides):
    return make_player(is_staff=True, is_superuser=True, country="IN", region="KA", **overrides)


def make_request(**overrides):
    fields = {
        "player": overrides.pop("player", None) or make_player(country="IN", region="KA"),
        "amount": rupees(50),
        "mode": "spend",
        "term_days": 30,
        "reason": "Diwali",
        "by": overrides.pop("by", None) or make_staff(),
    }
    return bonus_requests.request_bonus(**fields | overrides)


def test_an_approved_bonus_is_granted_once():
    asked, checker = make_request(mode=RELEASE, release_bps=500), make_staff()

    done = bonus_requests.approve_bonus(request=asked, by=checker)
    again = bonus_requests.approve_bonus(request=asked, by=checker)

    lot = done.grant
    assert again.grant_id == lot.pk
    assert left(lot) == [50_00]
    assert (lot.mode, lot.release_bps, lot.reason) == ("release", 500, "Diwali")
    assert (lot.transfer.key, lot.granted_by) == (f"bonus:request:{asked.pk}", checker)
    assert timedelta(days=29) < lot.expires_at - timezone.now() <= timedelta(days=30)
    assert BonusGrant.objects.count() == 1
    assert row_findings() == ()


def test_rejected_bonus_grants_nothing():
    asked = make_request()

    bonus_requests.reject_bonus(request=asked, by=make_staff())
    with pytest.raises(AlreadyDecided):
        bonus_requests.approve_bonus(request=asked, by=make_staff())

    assert not BonusGrant.objects.exists()


def test_bonus_that_cannot_be_given_is_refused():
    asked = make_request()
    for wrong, refusal in (
        ({"amount": Money(5, "PTS")}, exceptions.CurrencyNotOffered),
        ({"term_days": 0}, exceptions.BonusTermRefused),
        ({"term_days": 366}, exceptions.BonusTermRefused),
    ):
        with pytest.raises(refusal):
            make_request(**wrong)
    close_region("IN-KA")
    with pytest.raises(CashNotOffered):
        bonus_requests.approve_bonus(request=asked, by=make_staff())

    assert BonusRequest.objects.get().status == "requested"


def page(name, *args):
    return reverse(f"admin:wallet_{name}", args=args)


@pytest.fixture
def owed():
    """Two players: lots to spend and to be released, one partly and one wholly in a game."""
    asha, ravi = make_player(), make_player()
    for player in (asha, ravi):
        fund(player, deposit=500_00)
    give(asha, 50, days=20)
    give(asha, 7, days=20)
    give(asha, 30, days=20, mode=RELEASE)
    give(ravi, 5, days=80)
    join(asha)
    join(ravi)
    return asha, ravi


def test_liability_of_page_and_file_adds_up_to_the_ledger(client, owed):
    client.force_login(make_staff())
    rows, totals = liability_by_month(), liability_totals()
    by_player = [row for chunk in liability_by_player() for row in chunk]
    shown = " ".join(client.get(page("bonusgrant_changelist")).text.split())
    file = client.get(reverse("admin:bonus-liability"))

    assert [(row.mode, row.lots, row.left, row.in_games) for row in rows] == [
        ("release", 1, rupees(30), rupees(0)),
        ("spend", 2, rupees(47), rupees(10)),
        ("spend", 1, rupees(0), rupees(5)),
    ]
    assert [(total.mode, total.lots, total.ledger) for total in totals] == [
        ("spend", rupees(47), rupees(47)),
        ("release", rupees(30), rupees(30)),
    ]
    assert all(total.agrees for total in totals)
    assert sum(row["left_minor"] for row in by_player) == 77_00
    assert {row["player"] for row in by_player} <= {str(one.public_id) for one in owed}
    assert "₹47.00" in shown
    assert "<strong>no</strong>" not in shown
    assert file["Content-Disposition"] == 'attachment; filename="bonus-liability.csv"'
    lines = csv.DictReader(io.StringIO(file.getvalue().decode()))
    assert sorted((row["mode"], row["lots"], row["left"], row["in_games"]) for row in lines) == [
        ("release", "1", "30.00", "0.00"),
        ("spend", "1", "0.00", "5.00"),
        ("spend", "2", "47.00", "10.00"),
    ]
    client.force_login(clerk_who_may("view_bonusrequest"))
    assert client.get(reverse("admin:bonus-liability")).status_code == 403
