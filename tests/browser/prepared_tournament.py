"""For a running site: a tournament with a password, or one from which the player may buy more.

Returns the tournament's public id. `kind` is `password` (registration is open), `reentry` (the
player is eliminated in round 1) or `add-on` (the player has qualified and the break has begun).
"""

from __future__ import annotations

import secrets
import time

PASSWORD = "monsoon-cup"


def main(kind: str, handle: str) -> str:
    from django.contrib.auth.hashers import make_password

    from players.accounts.models import User
    from rummy import PROFILES
    from tables.seats import seating
    from tests.builders.tables.making import make_rules
    from tests.builders.tables.pools import score
    from tests.builders.tournaments.tournaments import again, enter, make_tournament
    from tournaments.lobby import registration
    from tournaments.planning.models import Tournament
    from tournaments.rounds import clock, rounds

    player = User.objects.get(handle=handle)
    terms = {"name": "Monsoon Cup", "slug": f"cup-{secrets.token_hex(4)}", "entrants_max": 60}
    if kind != "add-on":
        terms |= {"late_minutes": 30, "reentries_max": 2}
    if kind == "password":
        hashed = make_password(PASSWORD)
        return str(make_tournament(password_hash=hashed, **terms).public_id)
    rules, heads_up = make_rules(turn_seconds=120), {}
    if kind == "add-on":
        heads_up = {"seats": 2, "qualify": 1, "final_seats": 2}
        terms |= {"addon_minor": 40_00, "addon_chips": 80, "addon_minutes": 10}
        rules = PROFILES["total-rummy-best-of-2"].with_(name="best of 2, cup", turn_seconds=120)
    tournament = make_tournament(rules=rules, **{"seats": 4, "final_seats": 2} | heads_up | terms)
    registration.register(tournament_id=tournament.pk, player=player)
    enter(tournament, 2 if kind == "add-on" else 3)
    # Only this one: a sweep would start the other tournaments of the site.
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    tournament = again(tournament)
    # The site's workers may open the tables first.
    places = tournament.rounds.get(no=1).round_tables
    for place in places.filter(table=None, finished_at=None):
        rounds.open_table(round_table_id=place.pk, now=tournament.started_at)
    while not (table := places.exclude(table=None).first()):
        time.sleep(0.2)
    if kind == "reentry":
        seats = list(table.table.seats.order_by("number"))
        score(table.table, *(101 if seat.player == player else 20 for seat in seats))
        return str(tournament.public_id)
    others = table.table.seats.exclude(player=player)
    for seat in others if others.count() == 1 else table.table.seats.all()[:1]:
        seating.leave(seat_id=seat.pk)
    for _ in range(150):  # The site's workers settle the deal and close the round.
        if Tournament.objects.get(pk=tournament.pk).addon_until is not None:
            return str(tournament.public_id)
        time.sleep(0.2)
    raise AssertionError("the break has not begun")
