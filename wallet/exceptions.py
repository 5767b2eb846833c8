"""What the wallet refuses, each with a stable code; after a refusal nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from core.exceptions import Refusal

OK = 200
BAD_REQUEST = 400
FORBIDDEN = 403
NOT_FOUND = 404
CONFLICT = 409
UNPROCESSABLE = 422
UNAVAILABLE = 503


class WalletError(Refusal):
    """A refusal by the wallet; nothing was written."""

    code = "wallet_error"
    # How the HTTP interfaces answer it.
    status: ClassVar[int] = CONFLICT
    # How the database functions spell it (wallet/ledger/sql/posting.sql).
    sqlstate: ClassVar[str] = ""


class InexactAmount(WalletError):
    """The amount is not a whole number of minor units."""

    code = "inexact_amount"
    status = UNPROCESSABLE


class SealRefused(WalletError):
    """A transfer is not as it was posted; sealed, it would pass for true."""

    code, sqlstate = "seal_refused", "RL031"


class SealsMissing(WalletError):
    """A seal was made and is not there; sealing anew would hide what lay in it."""

    code, sqlstate = "seals_missing", "RL030"


class LedgerRefusal(WalletError):
    """The ledger's functions refused a posting."""

    code = "ledger_refusal"

    @classmethod
    def by_sqlstate(cls, sqlstate: str | None) -> type[LedgerRefusal] | None:
        return next((kind for kind in _kinds(cls) if kind.sqlstate == sqlstate), None)


def _kinds(base: type[LedgerRefusal]) -> Iterator[type[LedgerRefusal]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


class KeyConflict(LedgerRefusal):
    """The key was used for another transfer."""

    code, sqlstate, status = "key_conflict", "RL001", UNPROCESSABLE


class TooFewEntries(LedgerRefusal):
    """A transfer has two sides or more."""

    code, sqlstate, status = "too_few_entries", "RL002", UNPROCESSABLE


class Unbalanced(LedgerRefusal):
    """The entries do not sum to zero in every currency."""

    code, sqlstate, status = "unbalanced", "RL003", UNPROCESSABLE


class ZeroAmount(LedgerRefusal):
    """An entry of zero moves nothing."""

    code, sqlstate, status = "zero_amount", "RL004", UNPROCESSABLE


class RepeatedAccount(LedgerRefusal):
    """An account has one entry per transfer."""

    code, sqlstate, status = "repeated_account", "RL005", UNPROCESSABLE


class UnknownAccount(LedgerRefusal):
    """There is no such account."""

    code, sqlstate, status = "unknown_account", "RL006", UNPROCESSABLE


class CurrencyMismatch(LedgerRefusal):
    """The amount is in another currency than its account."""

    code, sqlstate, status = "currency_mismatch", "RL007", UNPROCESSABLE


class AccountClosed(LedgerRefusal):
    """The account takes and gives nothing any more."""

    code, sqlstate = "account_closed", "RL008"


class AccountFrozen(LedgerRefusal):
    """Nothing may leave the account for now."""

    code, sqlstate = "account_frozen", "RL009"


class InsufficientFunds(LedgerRefusal):
    """There is not enough money."""

    code, sqlstate = "insufficient_funds", "RL010"


class NotEmpty(LedgerRefusal):
    """An account that had to end at zero would not have."""

    code, sqlstate = "not_empty", "RL011"


class AlreadyReversed(LedgerRefusal):
    """A transfer is reversed once."""

    code, sqlstate = "already_reversed", "RL012"


class NotReversible(LedgerRefusal):
    """Reversals, and money of games, are not reversed."""

    code, sqlstate = "not_reversible", "RL013"


class WithdrawalsFrozen(LedgerRefusal):
    """No money leaves the house until the books agree."""

    code, sqlstate = "withdrawals_frozen", "RL014"


class MalformedTransfer(LedgerRefusal):
    """An account, an amount or the key is missing."""

    code, sqlstate, status = "malformed_transfer", "RL015", UNPROCESSABLE


class TransferNotAllowed(LedgerRefusal):
    """A transfer of this kind does not move money between these accounts."""

    code, sqlstate = "transfer_not_allowed", "RL016"


class DocumentMissing(LedgerRefusal):
    """The document that must stand behind the transfer is missing or says something else."""

    code, sqlstate = "document_missing", "RL017"


class AmountAboveLimit(LedgerRefusal):
    """A transfer of this kind does not move that much at once."""

    code, sqlstate, status = "amount_above_limit", "RL018", UNPROCESSABLE


class DebtOverpaid(LedgerRefusal):
    """A player's debt is not as large as what would pay it."""

    code, sqlstate, status = "debt_overpaid", "RL019", UNPROCESSABLE


class CurrencyUnregistered(LedgerRefusal):
    """The ledger has no account in a currency that is not in its register."""

    code, sqlstate, status = "currency_unregistered", "RL020", UNPROCESSABLE


class AmountOutOfRange(LedgerRefusal):
    """The amount, or the balance it leads to, does not fit into 64 bits."""

    code, sqlstate, status = "amount_out_of_range", "22003", UNPROCESSABLE


class StakeNotLive(WalletError):
    """The stake was settled or given back before."""

    code = "stake_not_live"


class StakesIncomplete(WalletError):
    """The stakes and prizes do not account for the money in the game's escrow."""

    code = "stakes_incomplete"


class AmountNotPositive(WalletError):
    """Money is paid in and out in amounts above zero."""

    code = "amount_not_positive"
    status = UNPROCESSABLE


class CurrencyNotOffered(WalletError):
    """This currency is neither paid in nor paid out; play points never are."""

    code = "currency_not_offered"
    status = UNPROCESSABLE


class CashNotOffered(WalletError):
    """Nothing is paid in where play for money is not known to be lawful (RB 11.6)."""

    code = "cash_not_offered"
    status = FORBIDDEN


class AgeUnknown(WalletError):
    """Without a birth date nobody is known to be of age."""

    code, status = "age_unknown", FORBIDDEN


class UnderAge(WalletError):
    """Money is played for by adults."""

    code, status = "under_age", FORBIDDEN


class EmailUnverified(WalletError):
    """Money is played for by those whose e-mail address is known to be theirs."""

    code, status = "email_unverified", FORBIDDEN


class CashWindingDown(WalletError):
    """The house is closing its cash business: money only goes out (RB 11.6)."""

    code = "cash_winding_down"
    status = FORBIDDEN


class DepositLimitReached(WalletError):
    """More than the player's limit, or the house's, leaves to be paid in now."""

    code, status = "deposit_limit", UNPROCESSABLE


class LimitAboveHouse(WalletError):
    """A player's own limit lies within the house's."""

    code, status = "limit_above_house", UNPROCESSABLE


class GatewayUnknown(WalletError):
    """No gateway of this name is switched on."""

    code = "gateway_unknown"
    status = NOT_FOUND


class BadSignature(WalletError):
    """The message does not come from the gateway, or is too old."""

    code = "bad_signature"
    status = BAD_REQUEST


class UnreadableEvent(WalletError):
    """The gateway's message does not say what it must."""

    code = "unreadable_event"
    status = BAD_REQUEST


class EventIgnored(WalletError):
    """The gateway tells of something the cashier has nothing to do with; heard, and left alone."""

    code = "event_ignored"
    status = OK


class GatewayUnavailable(WalletError):
    """The gateway did not do as it was asked; the same request may well pass later."""

    code = "gateway_unavailable"
    status = UNAVAILABLE


class DepositNotOpen(WalletError):
    """Only an order that waits for its payment can be cancelled."""

    code = "deposit_not_open"


class IdempotencyKeyMissing(WalletError):
    """A request that moves money carries a key of its sender's."""

    code = "idempotency_key_missing"
    status = BAD_REQUEST


class IdempotencyKeyReused(WalletError):
    """The key was sent before with another request."""

    code = "idempotency_key_reused"
    status = UNPROCESSABLE


class StatementTooLong(WalletError):
    """More lines than one PDF holds."""

    code, status = "statement_too_long", UNPROCESSABLE


class CheckerIsMaker(WalletError):
    """Nobody checks a request of their own, or money of their own (RB 11.2)."""

    code = "checker_is_maker"
    status = FORBIDDEN


class RemarkMissing(WalletError):
    """The player is owed a reason, the books a reference."""

    code = "remark_missing"
    status = UNPROCESSABLE


class AlreadyDecided(WalletError):
    """Somebody has approved or rejected it before."""

    code = "already_decided"


class NotAdjustable(WalletError):
    """Money of games and on its way to a bank is moved by what it is there for, not by hand."""

    code, status = "not_adjustable", UNPROCESSABLE


class NotCleared(WalletError):
    """Nobody has yet said that the books are right."""

    code = "not_cleared"


class NothingToDo(WalletError):
    """The account is frozen, or open, already."""

    code = "nothing_to_do"


class PointsSuffice(WalletError):
    """There are as many play points as a day's refill would bring."""

    code = "points_suffice"


class PlayFirst(WalletError):
    """No game has ended since the last points were given; they are for players."""

    code = "play_first"


class BonusTermRefused(WalletError):
    """A bonus ends after it begins, and within a year."""

    code, status = "bonus_term", UNPROCESSABLE


class ReleaseShareRefused(WalletError):
    """A bonus is spent, or released by a share of each settled entry; never both."""

    code, status = "release_share", UNPROCESSABLE


class YearNotOver(WalletError):
    """A financial year is settled when it is over."""

    code = "year_not_over"


class NotPlaced(WalletError):
    """Money of a known order is credited or sent back before its task is done."""

    code = "not_placed"


class OrderUnknown(WalletError):
    """Nobody knows whose money this is: an adjustment gives it to whom it belongs."""

    code, status = "order_unknown", UNPROCESSABLE
