"""IP addresses of unknown region where play for money is closed in some regions."""

import pytest
from django.test import Client
from django.urls import reverse

from config import environment
from config.environment import ImproperlyConfigured
from players.eligibility.places.doubts import notice, settle_by_address, settle_by_staff
from players.eligibility.places.models import Offer, PlaceDoubt
from players.eligibility.verdicts import Act, may
from players.exceptions import PlaceStillDoubted
from tests.builders.people.geoip_files import flat, write_records
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.wallet.cashier_desk import make_depositor

pytestmark = pytest.mark.django_db

BENGALURU, SOMEWHERE, UNLISTED, ON_IPV6 = "49.207.1.1", "117.192.1.1", "8.8.8.8", "2405:201::1"
WITHOUT_REGION = (SOMEWHERE, UNLISTED, ON_IPV6)


@pytest.fixture(autouse=True)
def _ipv4_file(settings, tmp_path):
    records = {BENGALURU: flat("IN", "Karnataka"), SOMEWHERE: flat("IN")}
    path = write_records(tmp_path / "ipv4.mmdb", records, kind="city ipv4", ip_version=4)
    settings.GEOIP_FILE = path


@pytest.fixture
def player():
    """A player in Karnataka, where play for money is allowed beside ten closed states."""
    open_region("IN-KA")
    return make_depositor()


@pytest.mark.parametrize("address", WITHOUT_REGION)
def test_unknown_region_closes_play_for_money_by_default(player, address):
    client = Client(REMOTE_ADDR=address)
    client.force_login(player)

    answer = client.post(
        "/api/v1/wallet/deposits/",
        {"amount_minor": 100_00, "currency": "INR"},
        content_type="application/json",
        headers={"Idempotency-Key": "unknown-region"},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "place_doubted")
    assert "We cannot see from your connection which state" in answer.json()["detail"]
    assert may(player, Act.POINTS).is_allowed
    assert may(player, Act.WITHDRAW).is_allowed
    assert "whose state or region is not known" in client.get(reverse("place")).text
    client.post(reverse("place-settle"))
    assert not may(player, Act.CASH).is_allowed
    home = Client(REMOTE_ADDR=BENGALURU)
    home.force_login(player)
    home.post(reverse("place-settle"))
    assert may(player, Act.CASH).is_allowed
    assert PlaceDoubt.objects.get().kind == "unplaced"


@pytest.mark.parametrize("address", WITHOUT_REGION)
def test_unknown_region_is_as_declared_where_the_operator_chooses_so(settings, player, address):
    settings.GEOIP_UNKNOWN_REGION = "declared"

    assert notice(player, address) is None
    assert may(player, Act.CASH).is_allowed


@pytest.mark.parametrize("address", WITHOUT_REGION)
def test_unknown_region_is_allowed_if_all_regions_are_open(address):
    open_region("DE")
    open_region("DE-BY")
    player = make_depositor(country="DE", region="BY")

    found = notice(player, address)

    # An address in India is elsewhere all the same.
    assert (found and found.kind) == ("elsewhere" if address == SOMEWHERE else None)


def test_unknown_region_raises_no_doubt_if_the_players_own_is_closed():
    player = make_depositor(region="TN")

    assert notice(player, SOMEWHERE) is None
    assert may(player, Act.CASH).code == "cash_not_offered"


def test_unknown_region_is_a_doubt_where_one_region_of_an_open_country_is_closed():
    open_region("DE")
    open_region("DE-BY", Offer.POINTS)
    player = make_depositor(country="DE", region="BE")

    assert notice(player, UNLISTED).kind == "unplaced"


def test_doubt_settled_by_staff_is_not_raised_again_until_the_place_changes(player):
    notice(player, SOMEWHERE)

    settle_by_staff(player_id=player.pk, by=clerk(), reason="A bill of the electricity board")

    assert notice(player, SOMEWHERE) is None
    assert notice(player, ON_IPV6) is None
    assert may(player, Act.CASH).is_allowed
    open_region("IN-MH")
    player.region = "MH"
    player.save()
    assert notice(player, SOMEWHERE).kind == "unplaced"


def test_doubt_ends_from_any_address_after_the_setting_has_changed(settings, player):
    notice(player, UNLISTED)
    with pytest.raises(PlaceStillDoubted):
        settle_by_address(player_id=player.pk, address=UNLISTED)

    settings.GEOIP_UNKNOWN_REGION = "declared"

    assert settle_by_address(player_id=player.pk, address=UNLISTED).settlement == "back"
    assert may(player, Act.CASH).is_allowed


def test_setting_has_two_values(monkeypatch):
    monkeypatch.delenv("GEOIP_UNKNOWN_REGION", raising=False)
    assert environment.geoip_unknown_region() == "refuse"
    monkeypatch.setenv("GEOIP_UNKNOWN_REGION", "declared")
    assert environment.geoip_unknown_region() == "declared"
    monkeypatch.setenv("GEOIP_UNKNOWN_REGION", "allow")

    with pytest.raises(ImproperlyConfigured, match="refuse or declared"):
        environment.geoip_unknown_region()
