"""What a tournament refuses, each with a stable code."""

from typing import Any

from core.exceptions import Refusal


class TournamentError(Refusal):
    """A refusal by a tournament; nothing changed. `details` go into the answer beside the code."""

    code = "tournament_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}


class BadPlan(TournamentError):
    """These numbers of seats, qualifiers and finalists make no tournament."""

    code = "bad_plan"


class BadPrizes(TournamentError):
    """These prize rows cannot be paid."""

    code = "bad_prizes"


class BadTerms(TournamentError):
    """These terms contradict each other."""

    code = "bad_terms"


class RegistrationClosed(TournamentError):
    """Nobody can register or withdraw at this time."""

    code = "registration_closed"


class AlreadyRegistered(TournamentError):
    """The player is registered, or on the waiting list, already."""

    code = "already_registered"


class NotRegistered(TournamentError):
    """The player has no place in this tournament."""

    code = "not_registered"


class NotCheckingIn(TournamentError):
    """Check-in is not open."""

    code = "not_checking_in"


class NotAllowed(TournamentError):
    """This player may not play in this tournament."""

    code = "not_allowed"


class TicketNotValid(TournamentError):
    """This ticket is used already, or admits to something else."""

    code = "ticket_not_valid"


class TicketStillAdmits(TournamentError):
    """The ticket can still be used, so it is not paid out."""

    code = "ticket_still_admits"


class TournamentOver(TournamentError):
    """The tournament is over; nothing about it changes any more."""

    code = "tournament_over"


class TournamentRunning(TournamentError):
    """The tournament has begun; what was asked for is only for before."""

    code = "tournament_running"


class NotRunning(TournamentError):
    """The tournament has not begun; what was asked for is only for later."""

    code = "not_running"


class SamePerson(TournamentError):
    """An abort wants two different people."""

    code = "same_person"
