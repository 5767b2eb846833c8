"""Forms and services accept a region by current code, withdrawn code or name."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from players.eligibility.places import region_changes, regions
from players.eligibility.places.doubts import declare_place
from players.eligibility.places.models import Offer, RegionChange
from players.exceptions import PlaceUnknown
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db

# One of each kind; `tests/players/accounts/test_region_codes.py` has all codes and names.
GIVEN = [
    ("IN", "TG", "TS"),
    ("IN", "IN-TG", "TS"),
    ("IN", "National Capital Territory of Delhi", "DL"),
    ("US", "OR", "OR"),
    ("DE", "Bayern", "BY"),
    ("DE", "", ""),
]
REFUSED = [("IN", "QQ"), ("US", "TS"), ("DE", "KA"), ("IE", "Bavaria")]


@pytest.fixture
def staff(client):
    by = clerk(is_superuser=True)
    client.force_login(by)
    return by


@pytest.mark.parametrize(("country", "given", "code"), GIVEN)
def test_change_is_requested_by_any_code_or_name(client, staff, country, given, code):
    begins = timezone.localtime() + timedelta(hours=1)
    fields = {
        "country": country,
        "region": given,
        "offer": "points",
        "age_min": "18",
        "begins_at_0": f"{begins:%Y-%m-%d}",
        "begins_at_1": f"{begins:%H:%M:%S}",
        "reason": "An Act",
    }

    answer = client.post(reverse("admin:players_regionchange_add"), fields)

    assert answer.status_code == 302, answer.context["errors"]
    change = RegionChange.objects.get()
    assert (change.country, change.region) == (country, code)


@pytest.mark.parametrize(("country", "given"), REFUSED)
def test_change_in_a_region_that_iso_does_not_have_is_refused(client, staff, country, given):
    asked = {"country": country, "region": given, "offer": Offer.POINTS, "reason": "An Act"}

    with pytest.raises(PlaceUnknown, match=f"has no region '{given}'"):
        region_changes.request_change(**asked, begins_at=timezone.now(), by=staff)
    page = client.post(reverse("admin:players_regionchange_add"), asked | {"age_min": "18"})

    assert f"has no region {given}." in page.text
    assert not RegionChange.objects.exists()


@pytest.mark.parametrize(("country", "given", "code"), GIVEN)
def test_player_declares_a_region_by_any_code_or_name(client, country, given, code):
    player = make_player()
    client.force_login(player)

    for _ in range(2):
        answer = client.post(reverse("place"), {"country": country, "region": given})
        assert answer.status_code == 302, answer.context["form"].errors

    player.refresh_from_db()
    assert (player.country, player.region) == (country, code)


@pytest.mark.parametrize(("country", "given"), REFUSED)
def test_player_cannot_declare_a_region_that_iso_does_not_have(client, country, given):
    player = make_player()
    client.force_login(player)

    answer = client.post(reverse("place"), {"country": country, "region": given})

    player.refresh_from_db()
    assert (answer.status_code, player.country) == (200, "")
    assert "Choose a region of the selected country" in answer.text


def test_place_stored_by_a_withdrawn_code_is_the_same_place(client):
    """Rows with withdrawn codes are named, compared and closed like those with current ones."""
    player = make_player(country="IN", region="TG")
    client.force_login(player)

    same = declare_place(player_id=player.pk, country="IN", region="TS")

    assert (same.pk, same.region) == (player.pk, "TG")
    assert "Telangana, India" in client.get(reverse("account")).text
    assert regions.offer_in("IN", "TG") == regions.offer_in("IN", "TS") == Offer.PROHIBITED
    open_region("IN-TG", Offer.POINTS, begins_at=timezone.now())
    assert regions.offer_in("IN", "TG") == regions.offer_in("IN", "TS") == Offer.POINTS


def test_every_region_of_a_country_with_rows_can_be_chosen(client):
    """A row for Bavaria alone made it the only region that players in Germany could choose."""
    open_region("DE-BY", Offer.POINTS)
    player = make_player()
    client.force_login(player)

    choices = dict(client.get(reverse("place")).context["form"].fields["region"].choices)
    client.post(reverse("place"), {"country": "DE", "region": "BE"})

    assert choices["BE"] == "DE-BE Berlin"
    assert len(choices) == 1 + 36 + 16
    player.refresh_from_db()
    assert (player.country, player.region) == ("DE", "BE")
