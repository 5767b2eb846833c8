from tournaments.models.entry import Entry, EntryOrigin, Ticket
from tournaments.models.refund import TicketRefund
from tournaments.models.round import Prize, Round, RoundTable, Seating
from tournaments.models.template import TournamentTemplate
from tournaments.models.terms import NoShow, StartRule
from tournaments.models.tournament import StaffAct, Tournament, TournamentSecret

__all__ = [
    "Entry",
    "EntryOrigin",
    "NoShow",
    "Prize",
    "Round",
    "RoundTable",
    "Seating",
    "StaffAct",
    "StartRule",
    "Ticket",
    "TicketRefund",
    "Tournament",
    "TournamentSecret",
    "TournamentTemplate",
]
