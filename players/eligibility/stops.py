"""Find the players at a table who may not start another game."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from core.clock import DatabaseNow
from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.places.models import Offer
from players.eligibility.places.regions import offer_in
from players.eligibility.verdicts import Act


def stopped(player_ids: Collection[int], act: Act) -> set[int]:
    """Return the keys of the players who may not start another game.

    Stopped are players with a break, a hold or a closed place, and blocked accounts. An open doubt
    about a place does not stop a player, because GeoIP files have wrong regions. A declared bot is
    stopped with its owner; the site's bots never are.
    """
    rows = (
        User.objects.filter(pk__in=player_ids)
        .order_by("pk")
        .values_list("pk", "owner", "is_bot", "is_active", "owner__is_active")
    )
    seated = [row for row in rows if row[1] or not row[2]]  # Without the site's bots.
    owners = {key: owner or key for key, owner, *_more in seated}
    blocked = {key for key, *_of, is_in, owner_in in seated if not is_in or owner_in is False}
    people = {*owners.values()}
    if not people:
        return set()
    pausing = Break.objects.running_at(DatabaseNow()).filter(player__in=people)
    held = Hold.objects.active().filter(player__in=people, kind=Hold.Kind.PLAY)
    out = {*pausing.values_list("player", flat=True), *held.values_list("player", flat=True)}
    out |= _where_it_is_closed(people, act)
    return blocked | {key for key, person in owners.items() if person in out}


def _where_it_is_closed(people: Collection[int], act: Act) -> set[int]:
    if act != Act.POINTS and settings.CASH_WIND_DOWN:
        return {*people}
    rows = User.objects.filter(pk__in=people).order_by("pk").values_list("pk", "country", "region")
    places = {key: (country, region) for key, country, region in rows}
    offers = {place: offer_in(*place) for place in {*places.values()}}
    if act == Act.POINTS:
        return {key for key, place in places.items() if offers[place] == Offer.PROHIBITED}
    return {key for key, place in places.items() if offers[place] != Offer.ALLOWED}
