"""Refusals by tables, each with a stable code."""

from core.exceptions import Refusal


class TableError(Refusal):
    """A refusal by a table; nothing changed. `details` are added to the response with the code."""


class MovesArchived(TableError):
    """The moves of this deal have been moved from the database to an archive."""

    status = 410


class TooManyStreams(TableError):
    """The player has reached the limit of open game streams."""

    status = 429


class ForeignOrigin(TableError):
    """A page of another origin sent the request, with this site's cookie."""

    status = 403


class NotStreamedHere(TableError):
    """This server process accepts no streams; another address of the site does."""

    status = 421


class BotsNotAdmitted(TableError):
    """Declared bots may sit only at tables that admit bots, and at private tables by their link."""


class OwnCompany(TableError):
    """Of a player and their declared bots, only one may sit at a table."""


class BotIsBusy(TableError):
    """The declared bot has reached the limit of tables at once."""


class TooManyBots(TableError):
    """The player has reached the limit of declared bots."""


class HandleTaken(TableError):
    """Another player has this name."""


class ProfileNameTaken(TableError):
    """Other rules already have this name and version; rules in use are never edited."""


class GameNotOffered(TableError):
    """These rules, or this number of players, are not offered."""


class TableFull(TableError):
    """Every seat is taken."""


class BlockBetween(TableFull, code="table_full"):
    """The player and one of those seated have blocked each other; the same code as a full table."""


class SameDevice(TableError):
    """Another account from the same browser already sits at this table."""


class SameNetwork(TableError):
    """Another player from the same network sits at this table, which does not allow it."""


class AlreadySeated(TableError):
    """The player already sits at this table."""


class TableNotWaiting(TableError):
    """The game has begun or is over; joining is no longer possible."""


class NotAllowed(TableError):
    """This player may not sit at this table."""


class NotInPlay(TableError):
    """No cards are being played at this table, or not by this seat."""


class NotRuled(TableError):
    """A table is marked as cancelled or void without a ruling by staff; nothing is paid."""


class AnotherDeal(TableError):
    """The deal named in the request is not the current one."""


class StaleVersion(TableError):
    """The table has changed since the version that the player saw."""


class WindowClosed(TableError):
    """The answer belongs to a window that is not open."""


class WindowMissing(TableError):
    """A meld after a show answers a window: send its `window_id`, not `expected_version`."""


class MoveIdConflict(TableError):
    """This seat used this move id for another move."""


class BadGroups(TableError):
    """The grouping cannot be parsed, or names cards that the player does not hold."""


class DealNotEnded(TableError):
    """A deal can be scored only after its cards are played."""


class BadClientSeed(TableError):
    """A client seed must be a short printable text."""


class ClientSeedLate(TableError):
    """The deal is already dealt, or not committed to yet; no seed can be added."""


class ClientSeedEarly(TableError):
    """The seed can be revealed once no seat can commit to one any more."""


class ClientSeedGiven(TableError):
    """The seat has already given another client seed for this deal."""


class NoRematch(TableError):
    """The game is not over, had no second person, or its template is no longer offered."""


class DealNotFinished(TableError):
    """The deal is still being played; it can be viewed once it is settled or void."""


class BadDispute(TableError):
    """The complaint is empty, or names a step that the deal does not have."""


class DisputeTooLate(TableError):
    """The deal was finished too long ago."""


class DisputePending(TableError):
    """The player's earlier dispute about this deal is still open."""


class TooManyDisputes(TableError):
    """The player has reached the daily limit of disputes."""


class DisputeNotPending(TableError):
    """The dispute's status does not allow this action."""


class BadStack(TableError):
    """The amount must be between `amount_min_minor` and `amount_max_minor`."""

    def __init__(self, message: str, *, least: int | None = None, most: int | None = None) -> None:
        super().__init__(message)
        bounds = {"amount_min_minor": least, "amount_max_minor": most}
        self.details = {name: minor for name, minor in bounds.items() if minor is not None}


class StackTooSmall(TableError):
    """The stack is too small for another deal; top it up first."""


class InDeal(TableError):
    """The seat is dealt in; this is possible only between deals."""


class TopUpConflict(TableError):
    """The payment number belongs to another payment, or is not the next one."""


class NotAsked(TableError):
    """This window does not await an answer from this seat."""


class AnswerGiven(TableError):
    """The seat has already given the other answer in this window."""


class RejoinsClosed(TableError):
    """The tournament has closed rejoins at this table."""


class NoSplit(TableError):
    """The game cannot be split now, or this seat may not propose it."""


class SplitProposed(TableError):
    """The seat has already proposed a split in this pause."""


class TableHosted(TableError):
    """A tournament runs this table; only the tournament can do this."""


class AlreadyDraining(TableError):
    """The installation is already in maintenance mode."""


class MaintenanceMode(TableError):
    """The installation is in maintenance mode: no games begin."""


class TooManyTables(TableError):
    """The player has reached the limit of private tables."""


class NotInvited(TableError, status=403):
    """A private table is open to its players, those they invited, and staff who may see it."""


class NoTableFits(TableError):
    """No open table matches the player's request."""


class MoneyLeft(TableError):
    """An account with a balance cannot be closed: the money would be unreachable."""


class DebtLeft(TableError):
    """An account that owes money for reversed payments cannot be closed."""


class AccountHeld(TableError):
    """An account with a pending staff decision cannot be closed: that would evade the decision."""


class GamesLeft(TableError):
    """An account with running games or tournaments cannot be closed."""


class NoHelp(TableError):
    """Arranging help is available only at practice tables, where nothing of value is at stake."""


class ReasonMissing(TableError):
    """A staff action needs a reason."""


class AlreadyAsked(TableError):
    """A decision has already been requested; it awaits a second person, or was made."""


class FactsChanged(TableError):
    """The facts behind a requested decision have changed; request it again."""


class DealNotShareable(TableError):
    """A deal becomes public only when it is scored and, for money, when its game is over."""


class BadBlock(TableError):
    """Players can block other people, but neither themselves nor bots."""


class NotInvitable(TableError):
    """Only people of the player's last games can be invited, to an own table with a free seat."""


class BadReport(TableError):
    """The report names no person of the player's game, no step of it, or has no readable text."""


class ReportPending(TableError):
    """The player has an open report about this person at this table."""


class TooManyReports(TableError):
    """The player has sent the maximum number of reports in 24 hours."""


class ReportDecided(TableError):
    """The report has already been decided."""
