"""What a table refuses, each with a stable code."""

from typing import Any

from core.exceptions import Refusal


class TableError(Refusal):
    """A refusal by a table; nothing changed. `details` go into the answer beside the code."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}


class MovesArchived(TableError):
    """The moves of this deal have left the database for an archive."""

    status = 410


class TooManyStreams(TableError):
    """The player has as many streams of games open as one may have."""

    status = 429


class ForeignOrigin(TableError):
    """A page of another origin asked, with the cookie that the browser sent along."""

    status = 403


class NotStreamedHere(TableError):
    """The server that was asked holds no connection open; another address of the site does."""

    status = 421


class BotsNotAdmitted(TableError):
    """A declared bot sits at tables that admit bots, and at private tables by their link."""


class OwnCompany(TableError):
    """Of a player and the bots they have declared one sits at a table."""


class BotIsBusy(TableError):
    """A declared bot sits at as many tables as it may."""


class TooManyBots(TableError):
    """The player has declared as many bots as they may."""


class HandleTaken(TableError):
    """Another player has this name."""


class ProfileNameTaken(TableError):
    """This name and version belong to other rules already; rules in use are never edited."""


class GameNotOffered(TableError):
    """These rules, or this many players, cannot be played here."""


class TableFull(TableError):
    """Every seat is taken."""


class SameDevice(TableError):
    """Another account of the same browser sits at this table already."""


class SameNetwork(TableError):
    """Another player of the same network sits at this table, which does not allow it."""


class AlreadySeated(TableError):
    """The player sits at this table already."""


class TableNotWaiting(TableError):
    """The game has begun or is over; nobody can sit down any more."""


class NotAllowed(TableError):
    """This player may not sit at this table."""


class NotInPlay(TableError):
    """No cards are being played at this table, or not by this seat."""


class NotRuled(TableError):
    """A table is marked as cancelled or void, and no ruling of staff says so; nothing is paid."""


class AnotherDeal(TableError):
    """The deal that is named is not the one on the table."""


class StaleVersion(TableError):
    """The table has moved on since the player looked."""


class WindowClosed(TableError):
    """The answer belongs to a window that is not open."""


class WindowMissing(TableError):
    """A meld after a show answers a window: send its `window_id`, not `expected_version`."""


class MoveIdConflict(TableError):
    """This move id was used for another move by the same seat."""


class BadGroups(TableError):
    """The grouping is not readable, or names cards the player does not hold."""


class DealNotEnded(TableError):
    """A deal is scored only once its cards are played."""


class BadClientSeed(TableError):
    """A client seed is a short printable text."""


class ClientSeedLate(TableError):
    """The deal is dealt, or not committed to yet; no seed can be added."""


class ClientSeedGiven(TableError):
    """The seat has given another client seed for this deal."""


class NoRematch(TableError):
    """The game is not over, had no second person, or is no longer offered as it was."""


class DealNotFinished(TableError):
    """The deal is still played; it can be looked into once it is settled or void."""


class BadDispute(TableError):
    """The complaint says nothing, or names a step the deal has not."""


class DisputeTooLate(TableError):
    """The deal was finished too long ago."""


class DisputePending(TableError):
    """The player's earlier dispute about this deal waits for its answer."""


class TooManyDisputes(TableError):
    """The player has opened as many disputes as one may within a day."""


class DisputeNotPending(TableError):
    """The dispute is not in a state in which this can be done."""


class BadStack(TableError):
    """What is paid for a seat lies between `amount_min_minor` and `amount_max_minor`."""

    def __init__(self, message: str, *, least: int | None = None, most: int | None = None) -> None:
        super().__init__(message)
        bounds = {"amount_min_minor": least, "amount_max_minor": most}
        self.details = {name: minor for name, minor in bounds.items() if minor is not None}


class StackTooSmall(TableError):
    """The stack does not bear another deal; it has to be topped up first."""


class InDeal(TableError):
    """The seat is dealt in; this can be done between deals."""


class TopUpConflict(TableError):
    """The payment of this number is another one, or not the next."""


class NotAsked(TableError):
    """The question of this window is put to others."""


class AnswerGiven(TableError):
    """The seat has given the other answer in this window."""


class RejoinsClosed(TableError):
    """The host of the table has closed its rejoins."""


class NoSplit(TableError):
    """The game cannot be split at this moment, or not at this seat's word."""


class SplitProposed(TableError):
    """The seat has proposed a split in this gap already."""


class TableHosted(TableError):
    """A tournament holds this table; what is asked for is the tournament's to do."""


class AlreadyDraining(TableError):
    """The house drains already."""


class MaintenanceMode(TableError):
    """The house begins no games at the moment."""


class TooManyTables(TableError):
    """The player holds as many private tables as one may at a time."""


class NotInvited(TableError):
    """Only who has the link can sit down at this table."""


class NoTableFits(TableError):
    """No open table is what the player asked for."""


class MoneyLeft(TableError):
    """An account that holds money is not closed: it would be out of reach."""


class DebtLeft(TableError):
    """An account that owes for payments that were taken back is not closed."""


class AccountHeld(TableError):
    """An account of which staff hold back an act is not closed: its player could begin anew."""


class GamesLeft(TableError):
    """An account with games or tournaments under way is not closed."""


class NoHelp(TableError):
    """Only practice tables, where nothing of value is at stake, help with the cards."""


class ReasonMissing(TableError):
    """An act of staff needs its reason."""


class AlreadyAsked(TableError):
    """A decision has been asked for, and waits for a second person or was made."""


class FactsChanged(TableError):
    """What a decision was asked for with has changed since; it is asked for anew."""
