"""Tournaments of the sample data: weekly ones for money, their satellites, and ones for points."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.utils.translation import gettext_noop as _

from devtools.sample_data import games
from devtools.sample_data.fake_clock import FakeClock
from players.accounts.models import User
from rummy import PROFILES
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tournaments.entries.models import Ticket
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import StartRule
from tournaments.rounds import clock

State = Tournament.State
# Three tables of three, whose winners meet in the final.
SMALL: Final[dict[str, Any]] = {
    "seats": 3,
    "qualify": 1,
    "final_seats": 3,
    "entrants_max": 9,
    "entrants_min": 3,
    "rake_bps": 1_000,
    "announce_hours": 48,
    "register_hours": 24,
}
KINDS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    (
        "saturday-61",
        _("Saturday pool 61 for ₹100"),
        SMALL | {"currency": "INR", "entry_minor": 100_00, "guarantee_minor": 700_00},
    ),
    (
        "saturday-satellite",
        _("Satellite to Saturday"),
        SMALL
        | {"currency": "INR", "entry_minor": 50_00, "start_rule": StartRule.WHEN_FULL}
        | {"entrants_max": 3, "entrants_min": 2},
    ),
    ("midweek-points", _("Midweek for play points"), SMALL | {"entry_minor": 200_00}),
)
SWEEPS_MAX: Final = 400


def offer(by: User) -> dict[str, TournamentTemplate]:
    """Create the templates; the satellite's prizes are tickets to Saturday's tournament."""
    profile = profiles.register_profile(PROFILES["total-rummy-pool-61"])
    made: dict[str, TournamentTemplate] = {}
    for slug, name, terms in KINDS:
        template = TournamentTemplate(
            slug=slug, name=name, profile=profile, weekdays=[], is_offered=False, **terms
        )
        if slug == "saturday-satellite":
            template.awards = made["saturday-61"]
        made[slug] = opening.change_template(template=template, by=by)
    return made


def announce(site_clock: FakeClock, template: TournamentTemplate, by: User) -> Tournament:
    """Open a tournament in two hours or a sit-and-go, with open registration."""
    is_scheduled = template.start_rule == StartRule.SCHEDULED
    starts_at = site_clock.now + timedelta(hours=2) if is_scheduled else None
    site_clock.agree()
    opened = opening.open_by_hand(template=template, starts_at=starts_at, by=by, now=site_clock.now)
    for _step in range(3):
        clock.sweep(now=site_clock.now)
    opened.refresh_from_db()
    return opened


def enter(site_clock: FakeClock, tournament: Tournament, players: Sequence[User]) -> None:
    """Register the players who can pay or have a ticket."""
    for player in players:
        site_clock.think(120)
        ticket = player.tickets.filter(
            state=Ticket.State.ISSUED, admits_to=tournament.template
        ).first()
        registration.register(tournament_id=tournament.pk, player=player, ticket=ticket)


def play(site_clock: FakeClock, tournament: Tournament, *, rounds: int | None = None) -> Tournament:
    """Play a tournament to its end, or `rounds` rounds of it."""
    for _sweep in range(SWEEPS_MAX):
        tournament.refresh_from_db()
        if tournament.is_over or (rounds is not None and tournament.round_no > rounds):
            return tournament
        tables = list(Table.objects.live().filter(owner_ref=tournament.owner_ref).order_by("pk"))
        for table in tables:
            games.Game(site_clock, table.pk).play()
        if not tables and tournament.due_at is not None:
            site_clock.move_to(tournament.due_at)
        site_clock.think(5)
        clock.sweep(now=site_clock.now)
    raise AssertionError(f"{tournament} does not end")
