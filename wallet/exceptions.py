"""The refusals of the wallet; after a refusal nothing is written."""

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
    """The base of the wallet's refusals."""

    # The status of the HTTP response.
    status: ClassVar[int] = CONFLICT
    # The error code that the database functions raise (wallet/ledger/sql/posting.sql).
    sqlstate: ClassVar[str] = ""


class InexactAmount(WalletError):
    """The amount is not a whole number of minor units."""

    status = UNPROCESSABLE


class SealRefused(WalletError):
    """A transfer differs from what was posted; sealing it would hide that."""

    sqlstate = "RL031"


class SealsMissing(WalletError):
    """A seal is missing; sealing again would hide what it covered."""

    sqlstate = "RL030"


class LedgerRefusal(WalletError):
    """The ledger's functions refused a posting."""

    @classmethod
    def by_sqlstate(cls, sqlstate: str | None) -> type[LedgerRefusal] | None:
        return next((kind for kind in _kinds(cls) if kind.sqlstate == sqlstate), None)


def _kinds(base: type[LedgerRefusal]) -> Iterator[type[LedgerRefusal]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


class KeyConflict(LedgerRefusal):
    """The key was used for another transfer."""

    sqlstate, status = "RL001", UNPROCESSABLE


class TooFewEntries(LedgerRefusal):
    """A transfer needs at least two entries."""

    sqlstate, status = "RL002", UNPROCESSABLE


class Unbalanced(LedgerRefusal):
    """The entries do not sum to zero in every currency."""

    sqlstate, status = "RL003", UNPROCESSABLE


class ZeroAmount(LedgerRefusal):
    """An entry must not be zero."""

    sqlstate, status = "RL004", UNPROCESSABLE


class RepeatedAccount(LedgerRefusal):
    """A transfer has at most one entry per account."""

    sqlstate, status = "RL005", UNPROCESSABLE


class UnknownAccount(LedgerRefusal):
    """An account does not exist."""

    sqlstate, status = "RL006", UNPROCESSABLE


class CurrencyMismatch(LedgerRefusal):
    """The amount is in another currency than its account."""

    sqlstate, status = "RL007", UNPROCESSABLE


class AccountClosed(LedgerRefusal):
    """The account is closed to all entries."""

    sqlstate = "RL008"


class AccountFrozen(LedgerRefusal):
    """The account is frozen: nothing may leave it."""

    sqlstate = "RL009"


class InsufficientFunds(LedgerRefusal):
    """There is not enough money."""

    sqlstate = "RL010"


class NotEmpty(LedgerRefusal):
    """An account that must end at zero would not be empty."""

    sqlstate = "RL011"


class AlreadyReversed(LedgerRefusal):
    """A transfer can be reversed only once."""

    sqlstate = "RL012"


class NotReversible(LedgerRefusal):
    """Reversals and transfers of games cannot be reversed."""

    sqlstate = "RL013"


class WithdrawalsFrozen(LedgerRefusal):
    """Withdrawals are stopped until the audit finds no differences."""

    sqlstate = "RL014"


class MalformedTransfer(LedgerRefusal):
    """An account, an amount or the key is missing."""

    sqlstate, status = "RL015", UNPROCESSABLE


class TransferNotAllowed(LedgerRefusal):
    """Transfers of this kind cannot move money between these accounts."""

    sqlstate = "RL016"


class DocumentMissing(LedgerRefusal):
    """The document behind the transfer is missing or does not match it."""

    sqlstate = "RL017"


class AmountAboveLimit(LedgerRefusal):
    """The amount is above the limit for transfers of this kind."""

    sqlstate, status = "RL018", UNPROCESSABLE


class DebtOverpaid(LedgerRefusal):
    """The payment is larger than the player's debt."""

    sqlstate, status = "RL019", UNPROCESSABLE


class CurrencyUnregistered(LedgerRefusal):
    """The currency is not registered with the ledger."""

    sqlstate, status = "RL020", UNPROCESSABLE


class AmountOutOfRange(LedgerRefusal):
    """The amount, or the balance it leads to, does not fit into 64 bits."""

    sqlstate, status = "22003", UNPROCESSABLE


class StakeNotLive(WalletError):
    """The stake has already been settled or refunded."""


class StakesIncomplete(WalletError):
    """The stakes and prizes do not account for the money in the game's escrow."""


class AmountNotPositive(WalletError):
    """The amount must be above zero."""

    status = UNPROCESSABLE


class CurrencyNotOffered(WalletError):
    """The cashier does not handle this currency; play points are never cashed."""

    status = UNPROCESSABLE


class CashNotOffered(WalletError):
    """Play for money is not known to be lawful in the player's place (RB 11.6)."""

    status = FORBIDDEN


class AgeUnknown(WalletError):
    """The player has given no birth date."""

    status = FORBIDDEN


class UnderAge(WalletError):
    """The player is too young to play for money."""

    status = FORBIDDEN


class EmailUnverified(WalletError):
    """The player has not confirmed an e-mail address."""

    status = FORBIDDEN


class CashWindingDown(WalletError):
    """Cash play is being wound down: money can only be withdrawn (RB 11.6)."""

    status = FORBIDDEN


class DepositLimitReached(WalletError):
    """The deposit exceeds the player's limit or the site's."""

    code, status = "deposit_limit", UNPROCESSABLE


class LimitAboveHouse(WalletError):
    """A player's own limit cannot exceed the site's."""

    status = UNPROCESSABLE


class GatewayUnknown(WalletError):
    """No enabled gateway has this name."""

    status = NOT_FOUND


class BadSignature(WalletError):
    """The message is not signed by the gateway, or is too old."""

    status = BAD_REQUEST


class UnreadableEvent(WalletError):
    """The gateway's message lacks required fields."""

    status = BAD_REQUEST


class EventIgnored(WalletError):
    """The gateway's event does not concern the cashier; it is acknowledged and ignored."""

    status = OK


class GatewayUnavailable(WalletError):
    """The gateway failed; the same request may succeed later."""

    status = UNAVAILABLE


class DepositNotOpen(WalletError):
    """Only an order waiting for payment can be cancelled."""


class IdempotencyKeyMissing(WalletError):
    """A request that moves money needs an idempotency key."""

    status = BAD_REQUEST


class IdempotencyKeyReused(WalletError):
    """The key was already used for a different request."""

    status = UNPROCESSABLE


class StatementTooLong(WalletError):
    """The statement has more lines than a PDF can hold."""

    status = UNPROCESSABLE


class CheckerIsMaker(WalletError):
    """Nobody decides on their own request or their own money (RB 11.2)."""

    status = FORBIDDEN


class RemarkMissing(WalletError):
    """A remark with the reason or reference is required."""

    status = UNPROCESSABLE


class AlreadyDecided(WalletError):
    """The request has already been approved or rejected."""


class NotAdjustable(WalletError):
    """Money in games or on its way to a bank cannot be adjusted by hand."""

    status = UNPROCESSABLE


class NotCleared(WalletError):
    """The freeze has not been cleared yet."""


class NothingToDo(WalletError):
    """The account is already in the requested state."""


class PointsSuffice(WalletError):
    """The player already has as many play points as a refill grants."""


class PlayFirst(WalletError):
    """No game has ended since the last refill."""


class BonusTermRefused(WalletError):
    """A bonus must end after it begins and within a year."""

    code, status = "bonus_term", UNPROCESSABLE


class ReleaseShareRefused(WalletError):
    """A bonus is either spendable or released by settled entries, never both."""

    code, status = "release_share", UNPROCESSABLE


class YearNotOver(WalletError):
    """The financial year is not over yet."""


class NotPlaced(WalletError):
    """The money of a known order must be credited or refunded first."""


class AccountInactive(WalletError):
    """The player's account is closed or blocked, so the money would be out of their reach."""


class OrderUnknown(WalletError):
    """The money belongs to no known order; use an adjustment to credit it."""

    status = UNPROCESSABLE
