"""Builders of tickets and of satellites."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from tests.builders.tournaments.tournaments import (
    enter,
    make_template,
    make_tournament,
    play_to_the_end,
    start,
)
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import fund
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.rounds import clock


def a_ticket(currency="PTS"):
    """Return a finished satellite, its target and its tickets: two of 200, and 140 in money."""
    main = make_template(entry_minor=200_00, rake_bps=0, currency=currency)
    terms = {"seats": 2, "final_seats": 2, "entry_minor": 200_00, "currency": currency}
    satellite = make_tournament(awards=main, **terms)
    for _ in range(3):
        player = make_depositor()
        fund(player, currency=currency, deposit=1_000_00)
        registration.register(tournament_id=satellite.pk, player=player)
    satellite = play_to_the_end(start(satellite))
    return satellite, main, list(satellite.tickets_won.order_by("pk"))


def open_from(template):
    """Open a tournament of this template that starts in an hour, and its registration."""
    now = timezone.now()
    tournament = opening.open_tournament(
        template=template, starts_at=now + timedelta(hours=1), now=now
    )
    for _ in range(2):
        clock.apply_overdue(tournament_id=tournament.pk, now=now)
    return tournament


def register_with(ticket, template):
    tournament = open_from(template)
    entry = registration.register(tournament_id=tournament.pk, player=ticket.player, ticket=ticket)
    return tournament, entry


def wait_with(ticket, template):
    """Fill a tournament of two, and add the ticket's holder to its waiting list."""
    template.entrants_max = 2
    template.save(update_fields=["entrants_max"])
    full = open_from(template)
    enter(full, 2)
    entry = registration.register(tournament_id=full.pk, player=ticket.player, ticket=ticket)
    return full, entry
