"""Bonus requests and their approval by a second person; the liability report."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from core.exceptions import AlreadyDecided
from players.exceptions import CashNotOffered
from tests.builders.people.regions import close_region, open_region
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import clerk_who_may
from tests.builders.staff.previews import post_agreed
from tests.builders.wallet.bonus_desk import RELEASE, give, join, left, rupees
from tests.builders.wallet.players import books, fund, make_player
from wallet import exceptions
from wallet.audit.audit import row_findings
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.liability import liability_by_month, liability_by_player, liability_totals
from wallet.bonuses.models import BonusGrant, BonusMovement, BonusRequest

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


def test_bonus_is_refused_for_players_without_cash_play():
    asked = make_request()
    close_region("IN-KA")

    with pytest.raises(CashNotOffered):
        bonus_requests.approve_bonus(request=asked, by=make_staff())

    asked.refresh_from_db()
    assert asked.status == "requested"


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ({"amount": Money(5, "PTS")}, exceptions.CurrencyNotOffered),
        ({"term_days": 0}, exceptions.BonusTermRefused),
        ({"term_days": 366}, exceptions.BonusTermRefused),
    ],
)
def test_a_senseless_request_is_refused(asked, refusal):
    with pytest.raises(refusal):
        make_request(**asked)

    assert not BonusRequest.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_checkers_at_once_decide_once():
    asked, checkers = make_request(), [make_staff() for _ in range(2)]

    answers = at_once(
        [
            lambda: bonus_requests.approve_bonus(request=asked, by=checkers[0]),
            lambda: bonus_requests.reject_bonus(request=asked, by=checkers[1]),
        ]
    )

    refused = [one for one in answers if isinstance(one, AlreadyDecided)]
    asked.refresh_from_db()
    assert len(refused) == 1
    assert BonusGrant.objects.count() == (asked.status == "approved")


def test_requests_and_bonuses_are_never_rewritten(owner, subtests):
    bonus_requests.approve_bonus(request=make_request(), by=make_staff())
    changes = {
        BonusRequest: {"amount_minor": 9},
        BonusGrant: {"expires_at": timezone.now()},
        BonusMovement: {"amount_minor": 9},
    }

    for model, change in changes.items():
        rows = model.objects.all()
        with subtests.test(model.__name__):
            with owner(), pytest.raises(IntegrityError), transaction.atomic():
                rows.update(**change)
            with owner(), pytest.raises(IntegrityError), transaction.atomic():
                rows._raw_delete(rows.db)


def page(name, *args):
    return reverse(f"admin:wallet_{name}", args=args)


@pytest.fixture
def form(client):
    client.force_login(make_staff())
    player = make_player(country="IN", region="KA")
    return {
        "player": player.pk,
        "currency": "INR",
        "amount": "50.00",
        "mode": "spend",
        "release_bps": "",
        "term_days": "30",
        "reason": "Diwali",
    }


@pytest.mark.django_db(transaction=True)
def test_staff_ask_and_another_decides_on_the_pages(client, form):
    assert client.get(page("bonusrequest_add")).status_code == 200
    client.post(page("bonusrequest_add"), form | {"mode": "release"})
    asked = BonusRequest.objects.get()
    approve = {"action": "approve", "_selected_action": [asked.pk]}

    own = client.post(page("bonusrequest_changelist"), approve, follow=True).content.decode()
    assert "checker_is_maker" in own
    client.force_login(make_staff())
    shown = post_agreed(client, page("bonusrequest_changelist"), approve).text

    asked.refresh_from_db()
    assert f"Approved and granted: {asked}" in shown.replace("&nbsp;", "\xa0")
    assert (asked.status, asked.release_bps, left(asked.grant)) == ("approved", 1_000, [50_00])
    row = client.get(page("bonusrequest_change", asked.pk)).content.decode()
    assert 'name="_save"' not in row
    assert page("bonusgrant_change", asked.grant_id) in row


@pytest.mark.extended
def test_refusal_is_shown_on_the_page_and_writes_nothing(client, form):
    before = books()

    for wrong in ({"amount": "1.005"}, {"amount": "0"}, {"term_days": "366"}):
        said = client.post(page("bonusrequest_add"), form | wrong, follow=True)
        assert "(" in said.content.decode()
    for unreadable in ("NaN", "1e400", "", "five", "9" * 30):
        client.post(page("bonusrequest_add"), form | {"amount": unreadable})
    for wrong in ({"currency": "PTS"}, {"currency": "XYZ"}, {"mode": "both"}, {"release_bps": "5"}):
        assert client.post(page("bonusrequest_add"), form | wrong).status_code == 200

    assert not BonusRequest.objects.exists()
    assert books() == before


def test_staff_look_at_lots_and_change_nothing(client, form):
    player = make_player()
    fund(player, deposit=500_00)
    lot = give(player, 50)
    stake = join(player)

    row = client.get(page("bonusgrant_change", lot.pk)).content.decode()
    account = client.get(page("account_change", lot.account_id)).content.decode()
    staked = client.get(page("stake_change", stake.pk)).content.decode()

    assert 'name="_save"' not in row
    for other in (lot.account_id, lot.transfer_id):
        assert page("account_change", other) in row or page("transfer_change", other) in row
    assert page("transfer_change", stake.transfer_id) in row
    assert f'{page("bonusgrant_changelist")}?account__id__exact={lot.account_id}">1</a>' in account
    assert page("bonusgrant_change", lot.pk) in staked
    assert client.get(page("bonusgrant_add")).status_code == 403
    assert client.post(page("bonusgrant_delete", lot.pk), {"post": "yes"}).status_code == 403


@pytest.fixture
def owed():
    """Two players: lots to spend and to be released, one partly in a game."""
    asha, ravi = make_player(), make_player()
    fund(asha, deposit=500_00)
    give(asha, 50, days=20)
    give(asha, 7, days=20)
    give(asha, 30, days=20, mode=RELEASE)
    give(ravi, 5, days=80)
    join(asha)
    return asha, ravi


def test_the_liability_adds_up_to_the_ledger(owed):
    rows = liability_by_month()
    totals = liability_totals()

    assert [(row.mode, row.lots, row.left, row.in_games) for row in rows] == [
        ("release", 1, rupees(30), rupees(0)),
        ("spend", 2, rupees(47), rupees(10)),
        ("spend", 1, rupees(5), rupees(0)),
    ]
    assert [(total.mode, total.lots, total.ledger) for total in totals] == [
        ("spend", rupees(52), rupees(52)),
        ("release", rupees(30), rupees(30)),
    ]
    assert all(total.agrees for total in totals)
    by_player = [row for chunk in liability_by_player() for row in chunk]
    assert sum(row["left_minor"] for row in by_player) == 82_00
    assert {row["player"] for row in by_player} == {str(one.public_id) for one in owed}


def test_lot_entirely_in_a_game_is_still_a_liability():
    player = make_player()
    fund(player, deposit=500_00)
    give(player, 4)
    join(player)

    [row] = liability_by_month()

    assert (row.lots, row.left, row.in_games) == (1, rupees(0), rupees(4))


def test_liability_page_and_file_show_the_same(client, form, owed):
    shown = " ".join(client.get(page("bonusgrant_changelist")).content.decode().split())
    file = client.get(reverse("admin:bonus-liability"))
    rows = list(csv.DictReader(io.StringIO(file.getvalue().decode())))

    client.force_login(clerk_who_may("view_bonusrequest"))
    assert client.get(reverse("admin:bonus-liability")).status_code == 403
    assert "₹52.00" in shown
    assert "<strong>no</strong>" not in shown
    assert file["Content-Disposition"] == 'attachment; filename="bonus-liability.csv"'
    assert sorted((row["mode"], row["lots"], row["left"], row["in_games"]) for row in rows) == [
        ("release", "1", "30.00", "0.00"),
        ("spend", "1", "5.00", "0.00"),
        ("spend", "2", "47.00", "10.00"),
    ]
