"""A mismatch of IP address and place blocks play for money until it is settled."""

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from players.eligibility.places.doubts import (
    doubt_about,
    notice,
    settle_by_address,
    settle_by_staff,
)
from players.eligibility.places.geoip import seen_at
from players.eligibility.places.models import PlaceDoubt
from players.eligibility.verdicts import Act, may
from players.exceptions import PlaceStillDoubted, SharedInterest
from tables.accounts.own_data import own_data
from tests.builders.people.geoip_files import (
    BENGALURU,
    BERLIN,
    BHUBANESWAR,
    CHENNAI,
    INDIA,
    IPV6,
    UNKNOWN,
    VPN,
    write_geoip_file,
)
from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import clerk
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def geoip_file(tmp_path_factory):
    return write_geoip_file(tmp_path_factory.mktemp("geoip") / "places.mmdb")


@pytest.fixture(autouse=True)
def known_networks(settings, geoip_file):
    settings.GEOIP_FILE = geoip_file


def depositor():
    open_region("IN-KA")
    return make_depositor()


@pytest.mark.parametrize(
    ("address", "place", "found"),
    [
        (BENGALURU, ("IN", "KA"), None),
        (CHENNAI, ("IN", "KA"), "elsewhere"),
        (IPV6, ("IN", "KA"), "elsewhere"),
        (BERLIN, ("IN", "KA"), "elsewhere"),
        # A file without regions, or an account without a region, is no mismatch.
        (INDIA, ("IN", "KA"), None),
        (CHENNAI, ("IN", ""), None),
        # Odisha was "OR" once.
        (BHUBANESWAR, ("IN", "OD"), None),
        (VPN, ("IN", "KA"), "hidden"),
        # Nothing is known of these.
        (UNKNOWN, ("IN", "KA"), None),
        ("10.0.0.8", ("IN", "KA"), None),
        ("127.0.0.1", ("IN", "KA"), None),
        ("", ("IN", "KA"), None),
        (BERLIN, ("", ""), None),
    ],
)
def test_doubts_by_ip_address_and_declared_place(address, place, found):
    player = make_player(country=place[0], region=place[1])

    doubt = doubt_about(player, address)

    assert (doubt and doubt[0]) == found


def test_without_a_file_nothing_is_looked_up(settings):
    settings.GEOIP_FILE = ""

    assert seen_at(CHENNAI) is None


def test_a_disagreement_closes_cash_and_nothing_else():
    player = depositor()
    doubt = notice(player, CHENNAI)

    for act in (Act.CASH, Act.DEPOSIT, Act.BONUS):
        verdict = may(player, act)
        assert (verdict.code, verdict.since) == ("place_doubted", doubt.noticed_at)
        assert "Where you live" in verdict.sentence
    assert may(player, Act.POINTS).is_allowed
    assert may(player, Act.WITHDRAW).is_allowed
    assert notice(player, BERLIN) == doubt
    assert PlaceDoubt.objects.count() == 1


def test_the_player_settles_it_from_home_alone():
    player = depositor()
    notice(player, CHENNAI)

    for address in (CHENNAI, VPN, UNKNOWN, "10.0.0.8"):
        with pytest.raises(PlaceStillDoubted):
            settle_by_address(player_id=player.pk, address=address)
    settled = settle_by_address(player_id=player.pk, address=BENGALURU)

    assert (settled.settlement, settled.settled_by) == ("back", None)
    assert may(player, Act.DEPOSIT).is_allowed
    assert settle_by_address(player_id=player.pk, address=BENGALURU) is None
    assert notice(player, CHENNAI).pk != settled.pk


def test_staff_settle_it_with_a_reason_and_on_record():
    player, by = depositor(), clerk()
    notice(player, VPN)
    with pytest.raises(SharedInterest):
        settle_by_staff(player_id=player.pk, by=player, reason="Mine")

    settled = settle_by_staff(player_id=player.pk, by=by, reason="A bill of the electricity board")

    assert may(player, Act.CASH).is_allowed
    entry = acts().get()
    assert (entry.act, entry.by, entry.about, entry.row) == ("settle", by, player, str(settled.pk))
    assert settle_by_staff(player_id=player.pk, by=by, reason="Again") is None


def test_a_settled_doubt_is_not_rewritten():
    player = depositor()
    doubt = notice(player, CHENNAI)
    with pytest.raises(DatabaseError), transaction.atomic():
        PlaceDoubt.objects.filter(pk=doubt.pk).update(seen_region="KA")
    settle_by_address(player_id=player.pk, address=BENGALURU)

    for change in ({"settled_at": None, "settlement": ""}, {"reason": "other"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            PlaceDoubt.objects.filter(pk=doubt.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        doubt.delete()


def test_a_request_from_elsewhere_is_noticed_before_it_acts():
    player, client = depositor(), Client(REMOTE_ADDR=CHENNAI)
    client.force_login(player)

    answer = client.post(
        "/api/v1/wallet/deposits/",
        {"amount_minor": 100_00, "currency": "INR"},
        content_type="application/json",
        headers={"Idempotency-Key": "from-elsewhere"},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "place_doubted")
    doubt = PlaceDoubt.objects.get()
    assert answer.json()["since"] == doubt.noticed_at.isoformat()
    page = client.get(reverse("place")).text
    assert "your connection came from Tamil Nadu, India" in page
    client.post(reverse("place-settle"))
    assert "this connection does not match your account" in client.get(reverse("place")).text
    home = Client(REMOTE_ADDR=BENGALURU)
    home.force_login(player)
    assert "You can play for money again" in home.post(reverse("place-settle"), follow=True).text
    assert own_data(player)["place_doubts"][0]["seen"] == "Tamil Nadu, India"


def test_strangers_and_proxies_in_front_make_no_doubt(settings):
    settings.TRUSTED_PROXY_COUNT = 1
    player = depositor()
    client = Client(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=f"{CHENNAI}, {BENGALURU}")
    client.get(reverse("landing"))
    client.force_login(player)

    client.get(reverse("account"))

    assert not PlaceDoubt.objects.exists()


def test_player_sets_their_place_once(client):
    player = make_player()
    client.force_login(player)
    page = reverse("place")

    for bad in (
        {"country": "IN", "region": ""},
        {"country": "DE", "region": "KA"},
        {"country": "XX", "region": ""},
    ):
        assert client.post(page, bad).status_code == 200
    client.post(page, {"country": "IN", "region": "KA"})
    again = client.post(page, {"country": "IN", "region": "TN"}).text

    player.refresh_from_db()
    assert (player.country, player.region) == ("IN", "KA")
    assert "Your account already has another place" in again


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_make_one_doubt():
    player = depositor()

    doubts = at_once([lambda: notice(player, CHENNAI)] * 2)

    assert PlaceDoubt.objects.count() == 1
    assert {doubt.player_id for doubt in doubts if doubt} == {player.pk}
