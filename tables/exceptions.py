"""What a table refuses, each with a stable code."""

from typing import Any

from core.exceptions import Refusal


class TableError(Refusal):
    """A refusal by a table; nothing changed. `details` go into the answer beside the code."""

    code = "table_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}


class ProfileNameTaken(TableError):
    """This name and version belong to other rules already; rules in use are never edited."""

    code = "profile_name_taken"


class GameNotOffered(TableError):
    """These rules, or this many players, cannot be played here."""

    code = "game_not_offered"


class TableFull(TableError):
    """Every seat is taken."""

    code = "table_full"


class SameDevice(TableError):
    """Another account of the same browser sits at this table already."""

    code = "same_device"


class SameNetwork(TableError):
    """Another player of the same network sits at this table, which does not allow it."""

    code = "same_network"


class AlreadySeated(TableError):
    """The player sits at this table already."""

    code = "already_seated"


class TableNotWaiting(TableError):
    """The game has begun or is over; nobody can sit down any more."""

    code = "table_not_waiting"


class NotAllowed(TableError):
    """This player may not sit at this table."""

    code = "not_allowed"


class NotInPlay(TableError):
    """No cards are being played at this table, or not by this seat."""

    code = "not_in_play"


class AnotherDeal(TableError):
    """The deal that is named is not the one on the table."""

    code = "another_deal"


class StaleVersion(TableError):
    """The table has moved on since the player looked."""

    code = "stale_version"


class WindowClosed(TableError):
    """The answer belongs to a window that is not open."""

    code = "window_closed"


class MoveIdConflict(TableError):
    """This move id was used for another move by the same seat."""

    code = "move_id_conflict"


class BadMove(TableError):
    """The text is not a move a player can make."""

    code = "bad_move"


class BadGroups(TableError):
    """The grouping is not readable, or names cards the player does not hold."""

    code = "bad_groups"


class DealNotEnded(TableError):
    """A deal is scored only once its cards are played."""

    code = "deal_not_ended"


class BadClientSeed(TableError):
    """A client seed is a short printable text."""

    code = "bad_client_seed"


class ClientSeedLate(TableError):
    """The deal is dealt, or not committed to yet; no seed can be added."""

    code = "client_seed_late"


class ClientSeedGiven(TableError):
    """The seat has given another client seed for this deal."""

    code = "client_seed_given"


class NoRematch(TableError):
    """The game is not over, had no second person, or is no longer offered as it was."""

    code = "no_rematch"


class DealNotFinished(TableError):
    """The deal is still played; it can be looked into once it is settled or void."""

    code = "deal_not_finished"


class BadDispute(TableError):
    """The complaint says nothing, or names a step the deal has not."""

    code = "bad_dispute"


class DisputeTooLate(TableError):
    """The deal was finished too long ago."""

    code = "dispute_too_late"


class DisputePending(TableError):
    """The player's earlier dispute about this deal waits for its answer."""

    code = "dispute_pending"


class TooManyDisputes(TableError):
    """The player has opened as many disputes as one may within a day."""

    code = "too_many_disputes"


class DisputeNotPending(TableError):
    """The dispute is not in a state in which this can be done."""

    code = "dispute_not_pending"


class BadStack(TableError):
    """A stack at a points table lies between once and ten times what a deal may cost."""

    code = "bad_stack"


class StackTooSmall(TableError):
    """The stack does not bear another deal; it has to be topped up first."""

    code = "stack_too_small"


class InDeal(TableError):
    """The seat is dealt in; this can be done between deals."""

    code = "in_deal"


class TopUpConflict(TableError):
    """The payment of this number is another one, or not the next."""

    code = "top_up_conflict"


class NotAsked(TableError):
    """The question of this window is put to others."""

    code = "not_asked"


class AnswerGiven(TableError):
    """The seat has given the other answer in this window."""

    code = "answer_given"


class RejoinsClosed(TableError):
    """The host of the table has closed its rejoins."""

    code = "rejoins_closed"


class NoSplit(TableError):
    """The game cannot be split at this moment, or not at this seat's word."""

    code = "no_split"


class SplitProposed(TableError):
    """The seat has proposed a split in this gap already."""

    code = "split_proposed"


class TableHosted(TableError):
    """A tournament holds this table; what is asked for is the tournament's to do."""

    code = "table_hosted"


class AlreadyDraining(TableError):
    """The house drains already."""

    code = "already_draining"


class HouseDraining(TableError):
    """The house begins no games at the moment."""

    code = "house_draining"


class TooManyTables(TableError):
    """The player holds as many private tables as one may at a time."""

    code = "too_many_tables"


class NotInvited(TableError):
    """Only who has the link can sit down at this table."""

    code = "not_invited"


class NoTableFits(TableError):
    """No open table is what the player asked for."""

    code = "no_table_fits"


class MoneyLeft(TableError):
    """An account that holds money is not closed: it would be out of reach."""

    code = "money_left"


class DebtLeft(TableError):
    """An account that owes for payments that were taken back is not closed."""

    code = "debt_left"


class GamesLeft(TableError):
    """An account with games or tournaments under way is not closed."""

    code = "games_left"


class NoHelp(TableError):
    """Only practice tables, where nothing of value is at stake, help with the cards."""

    code = "no_help"


class ReasonMissing(TableError):
    """An act of staff needs its reason."""

    code = "reason_missing"


class AlreadyAsked(TableError):
    """A decision has been asked for, and waits for a second person or was made."""

    code = "already_asked"


class FactsChanged(TableError):
    """What a decision was asked for with has changed since; it is asked for anew."""

    code = "facts_changed"
