"""Errors of tournaments; an action that raises one has changed nothing."""

from http import HTTPStatus

from core.exceptions import Refusal


class TournamentError(Refusal):
    """Base of tournaments' errors; `details` are added to the API's response."""


class BadPlan(TournamentError):
    """No plan exists for these numbers of seats, qualifiers and finalists."""


class BadPrizes(TournamentError):
    """These prize rows cannot be paid."""


class BadTerms(TournamentError):
    """These terms contradict each other."""


class RegistrationClosed(TournamentError):
    """Registration is closed; players cannot register or withdraw."""


class AlreadyRegistered(TournamentError):
    """The player is already registered or on the waiting list."""


class NotRegistered(TournamentError):
    """The player has no entry in this tournament."""


class NotEliminated(TournamentError):
    """The player is still in the tournament."""


class NoReentries(TournamentError):
    """The tournament allows no further re-entry of this player."""


class NoAddOn(TournamentError):
    """The add-on is not on sale, or not for this player."""


class WrongPassword(TournamentError, status=HTTPStatus.FORBIDDEN):
    """The tournament's password is missing or wrong."""


class TooManyPasswords(TournamentError, status=HTTPStatus.TOO_MANY_REQUESTS):
    """Too many attempts at passwords by this player or from this network within an hour."""


class NotCheckingIn(TournamentError):
    """Check-in is not open."""


class NotAllowed(TournamentError):
    """This player may not play in this tournament."""


class TicketNotValid(TournamentError):
    """The ticket is already used or is for another tournament."""


class TicketStillAdmits(TournamentError):
    """The ticket can still be used, so it cannot be refunded."""


class TournamentOver(TournamentError):
    """The tournament is over."""


class TournamentRunning(TournamentError):
    """The tournament has already started."""


class NotRunning(TournamentError):
    """The tournament has not started."""


class SamePerson(TournamentError):
    """An abort needs two different members of staff."""


class SeasonHasOpened(TournamentError):
    """The season has opened or was cancelled; its terms cannot change."""


class NotDrawn(TournamentError):
    """The draw has not been made."""

    status = HTTPStatus.NOT_FOUND
