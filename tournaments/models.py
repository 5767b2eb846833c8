"""Import the models of tournaments' packages for Django's app registry."""

from tournaments.entries.models import Entry, EntryOrigin, Prize, Round, RoundTable, Seating, Ticket
from tournaments.leagues.models import (
    Board,
    LeagueResult,
    Outcome,
    PointsCount,
    Season,
    Standing,
    Unlisted,
)
from tournaments.planning.models import StaffAction, Tournament, TournamentSecret
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import NoShow, StartRule
from tournaments.prizes.models import TicketRefund

__all__ = [
    "Board",
    "Entry",
    "EntryOrigin",
    "LeagueResult",
    "NoShow",
    "Outcome",
    "PointsCount",
    "Prize",
    "Round",
    "RoundTable",
    "Season",
    "Seating",
    "StaffAction",
    "Standing",
    "StartRule",
    "Ticket",
    "TicketRefund",
    "Tournament",
    "TournamentSecret",
    "TournamentTemplate",
    "Unlisted",
]
