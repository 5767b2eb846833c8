"""Places: staff choose them by name, and pages show them in the player's language."""

import pytest
from django.urls import reverse
from django.utils import translation

from players.accounts import places
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import make_player


def test_a_place_is_named_in_the_language_of_the_page():
    with translation.override("hi"):
        said = places.place_name("IN", "KA"), places.place_name("DE")

    assert places.place_name("IN", "KA") == "Karnataka, India"
    assert places.place_name("US", "NY") == "NY, United States"
    assert said == ("कर्नाटक, भारत", "जर्मनी")


def test_countries_are_countries():
    codes = dict(places.countries())

    assert {"IN", "DE", "US"} <= codes.keys()
    assert not {"EU", "UN", "ZZ", "001"} & codes.keys()
    assert 240 < len(codes) < 260


@pytest.mark.django_db
def test_staff_choose_country_and_region(client):
    open_region("IN-KA")
    open_region("US-NY")
    player = make_player(country="IN", region="OR")
    client.force_login(clerk(is_superuser=True))
    page = reverse("admin:players_user_change", args=[player.pk])
    form = client.get(page).context["adminform"].form
    fields = {
        name: value
        for name, value in form.initial.items()
        if value not in (None, False) and not isinstance(value, list)
    }

    def save(country, region):
        answer = client.post(page, fields | {"country": country, "region": region})
        player.refresh_from_db()
        refused = answer.status_code == 200 and answer.context["adminform"].form.errors
        return refused and set(refused), player.country, player.region

    assert ("KA", "Karnataka") in form.fields["region"].choices
    assert fields["region"] == "OD"
    assert save("US", "KA") == ({"region"}, "IN", "OR")
    assert save("XX", "") == ({"country"}, "IN", "OR")
    assert save("US", "NY") == (False, "US", "NY")
    for telangana in ("TS", "TG", "Telangana"):
        assert save("IN", telangana) == (False, "IN", "TS")
