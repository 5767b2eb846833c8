"""Where a player lives: said once by the player, corrected by staff alone."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.places import countries
from players.exceptions import PlaceGiven, PlaceUnknown
from players.places.regions import has_regions, is_region_of


@transaction.atomic(durable=True)
def declare_place(*, player_id: int, country: str, region: str) -> User:
    """Keep where a player says that they live; the same place may be said again.

    Codes: `place_given`, `place_unknown`.
    """
    player = User.objects.locked().get(pk=player_id)
    if (player.country, player.region) == (country, region):
        return player
    if player.country:
        raise PlaceGiven(_("You have said that you live elsewhere. To correct it, contact us."))
    if country not in dict(countries()) or (region and not is_region_of(region, country)):
        raise PlaceUnknown(_("This region is not in that country."))
    if not region and has_regions(country):
        raise PlaceUnknown(_("Choose a region of your country."))
    player.country, player.region = country, region
    player.save(update_fields=["country", "region"])
    return player
