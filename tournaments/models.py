"""Import the models of tournaments' packages for Django's app registry."""

from tournaments.entries.models import Entry, EntryOrigin, Prize, Round, RoundTable, Seating, Ticket
from tournaments.planning.models import StaffAction, Tournament, TournamentSecret
from tournaments.planning.template_models import TournamentTemplate
from tournaments.planning.terms_models import NoShow, StartRule
from tournaments.prizes.models import TicketRefund

__all__ = [
    "Entry",
    "EntryOrigin",
    "NoShow",
    "Prize",
    "Round",
    "RoundTable",
    "Seating",
    "StaffAction",
    "StartRule",
    "Ticket",
    "TicketRefund",
    "Tournament",
    "TournamentSecret",
    "TournamentTemplate",
]
