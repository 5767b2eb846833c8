"""A region's row applies to its subdivisions without a row of their own."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players import tasks
from players.accounts.models import User
from players.eligibility.places import regions
from players.eligibility.places.doubts import declare_place
from players.eligibility.places.models import Offer
from players.eligibility.places.regions import lives_in_wind_down, wind_downs_of
from players.exceptions import PlaceUnknown
from players.notifications.models import Notification
from tests.builders.people.region_changes import change_region
from tests.builders.people.regions import LONG_AGO, open_region
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db


def test_row_of_a_larger_region_applies_to_a_smaller_one():
    open_region("IT-25", Offer.PROHIBITED)  # Lombardy, with Milan and Bergamo in it.
    open_region("IT-BG", Offer.WIND_DOWN)
    open_region("IT", begins_at=timezone.now())  # Later than its regions.

    offers = {
        region: regions.offer_in("IT", region) for region in ("", "62", "RM", "25", "MI", "BG")
    }

    assert offers == {
        "": Offer.ALLOWED,
        "62": Offer.ALLOWED,
        "RM": Offer.ALLOWED,
        "25": Offer.PROHIBITED,
        "MI": Offer.PROHIBITED,
        "BG": Offer.WIND_DOWN,
    }


def test_region_with_rows_inside_is_too_large_to_live_in():
    open_region("IT")
    open_region("IT-BG", Offer.PROHIBITED)
    player = make_player()

    with pytest.raises(PlaceUnknown, match="smaller region"):
        declare_place(player_id=player.pk, country="IT", region="25")
    declare_place(player_id=player.pk, country="IT", region="BG")

    assert dict(regions.regions())["BG"] == "IT-BG Bergamo"
    assert "25" not in dict(regions.regions())


def test_wind_down_of_a_larger_region_reaches_players_in_smaller_ones():
    open_region("IT")
    open_region("IT-25", Offer.WIND_DOWN)
    open_region("IT-BG", begins_at=LONG_AGO - timedelta(days=1))
    open_region("IN-TS", Offer.WIND_DOWN)
    made = {
        place[3:]: make_player(country=place[:2], region=place[3:]).pk
        for place in ("IT-MI", "IT-BG", "IT-RM", "IN-TG", "IN-KA")
    }

    found = User.objects.filter(lives_in_wind_down("")).values_list("pk", flat=True)

    assert {*found} == {made["MI"], made["TG"]}
    assert len(wind_downs_of("IT", "MI")) == len(wind_downs_of("IN", "TG")) == 1
    assert wind_downs_of("IT", "BG") == wind_downs_of("IT", "RM") == []


def test_players_in_smaller_regions_are_notified_of_a_change():
    open_region("IT")
    open_region("IT-BG", Offer.ALLOWED)
    players = {
        region: make_player(country="IT", region=region) for region in ("MI", "BG", "RM", "25")
    }
    change = change_region("IT-Lombardia", Offer.PROHIBITED, begins_in=timedelta(days=3))

    tasks.notify_of_place_change(change.pk)

    notified = {*Notification.objects.not_of_decisions().values_list("player", flat=True)}
    assert notified == {players["MI"].pk, players["25"].pk}
