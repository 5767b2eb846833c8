"""A player's country and region: set once by the player, corrected only by staff."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.places import countries
from players.accounts.region_codes import present_code, region_code
from players.eligibility.places.regions import has_regions, has_rows_within
from players.exceptions import PlaceGiven, PlaceUnknown


@transaction.atomic(durable=True)
def declare_place(*, player_id: int, country: str, region: str) -> User:
    """Store a player's country and region; setting the same place again changes nothing.

    `region` is an ISO 3166-2 code, current or withdrawn, or a name.

    Codes: `place_given`, `place_unknown`.
    """
    if country not in dict(countries()):
        raise PlaceUnknown(_("Choose a country."))
    player = User.objects.locked().get(pk=player_id)
    code = region_code(country, region)
    if region and not code:
        raise PlaceUnknown(_("Choose a region of the selected country."))
    if player.country == country and present_code(country, player.region) == code:
        return player
    if player.country:
        raise PlaceGiven(_("Your account already has another place. To correct it, contact us."))
    if not code and has_regions(country):
        raise PlaceUnknown(_("Choose a region of your country."))
    if has_rows_within(country, code):
        raise PlaceUnknown(_("Choose a smaller region: the games on offer differ within this one."))
    player.country, player.region = country, code
    player.save(update_fields=["country", "region"])
    return player
