"""Bonus requests and their approval by a second person; the liability report."""

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
from tests.builders.wallet.bonus_desk import RELEASE, give, join, left, rupees
from tests.builders.wallet.players import fund, make_player
from wallet import exceptions
from wallet.audit.audit import row_findings
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.liability import liability_by_month, liability_by_player, liability_totals
from wallet.bonuses.models import BonusGrant, BonusRequest

pytestmark = pytest.mark.django_db


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
