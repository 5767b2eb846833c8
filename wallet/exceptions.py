"""The wallet's errors; after a refusal nothing is written."""

from __future__ import annotations

from typing import Any, ClassVar

from core.exceptions import Refusal


class WalletError(Refusal):
    """Base class of the wallet's refusals.

    Subclasses state their `sqlstate`, the error code that the database functions raise
    (wallet/ledger/sql/posting.sql), beside their base.
    """

    sqlstate: ClassVar[str] = ""

    def __init_subclass__(cls, *, sqlstate: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.sqlstate = sqlstate or cls.sqlstate


class InexactAmount(WalletError, status=422):
    """The amount is not a whole number of minor units."""


class SettlementDiffers(WalletError):
    """The settlement was requested before with other figures."""


class SealRefused(WalletError, sqlstate="RL031"):
    """A transfer differs from what was posted; sealing it would hide that."""


class SealsMissing(WalletError, sqlstate="RL030"):
    """A seal is missing; sealing again would hide what it covered."""


class LedgerRefusal(WalletError):
    """The ledger's functions refused a posting."""

    @classmethod
    def by_sqlstate(cls, sqlstate: str | None) -> type[LedgerRefusal] | None:
        return next((kind for kind in cls.__subclasses__() if kind.sqlstate == sqlstate), None)


class KeyConflict(LedgerRefusal, sqlstate="RL001", status=422):
    """The key was used for another transfer."""


class TooFewEntries(LedgerRefusal, sqlstate="RL002", status=422):
    """A transfer needs at least two entries."""


class Unbalanced(LedgerRefusal, sqlstate="RL003", status=422):
    """The entries do not sum to zero in every currency."""


class ZeroAmount(LedgerRefusal, sqlstate="RL004", status=422):
    """An entry must not be zero."""


class RepeatedAccount(LedgerRefusal, sqlstate="RL005", status=422):
    """A transfer has at most one entry per account."""


class UnknownAccount(LedgerRefusal, sqlstate="RL006", status=422):
    """An account does not exist."""


class CurrencyMismatch(LedgerRefusal, sqlstate="RL007", status=422):
    """The amount is in another currency than its account."""


class AccountClosed(LedgerRefusal, sqlstate="RL008"):
    """The account is closed to all entries."""


class AccountFrozen(LedgerRefusal, sqlstate="RL009"):
    """The account is frozen: it cannot be debited."""


class InsufficientFunds(LedgerRefusal, sqlstate="RL010"):
    """There is not enough money."""


class NotEmpty(LedgerRefusal, sqlstate="RL011"):
    """An account that must end at zero would not be empty."""


class AlreadyReversed(LedgerRefusal, sqlstate="RL012"):
    """A transfer can be reversed only once."""


class NotReversible(LedgerRefusal, sqlstate="RL013"):
    """Reversals and transfers of games cannot be reversed."""


class WithdrawalsFrozen(LedgerRefusal, sqlstate="RL014"):
    """Withdrawals are stopped until the audit finds no differences."""


class MalformedTransfer(LedgerRefusal, sqlstate="RL015", status=422):
    """An account, an amount or the key is missing."""


class TransferNotAllowed(LedgerRefusal, sqlstate="RL016"):
    """Transfers of this kind cannot move money between these accounts."""


class DocumentMissing(LedgerRefusal, sqlstate="RL017"):
    """The document behind the transfer is missing or does not match it."""


class AmountAboveLimit(LedgerRefusal, sqlstate="RL018", status=422):
    """The amount is above the limit for transfers of this kind."""


class DebtOverpaid(LedgerRefusal, sqlstate="RL019", status=422):
    """The payment is larger than the player's debt."""


class CurrencyUnregistered(LedgerRefusal, sqlstate="RL020", status=422):
    """The currency is not registered with the ledger."""


class AmountOutOfRange(LedgerRefusal, sqlstate="22003", status=422):
    """The amount, or the balance it leads to, does not fit into 64 bits."""


class StakeNotLive(WalletError):
    """The stake has already been settled or refunded."""


class StakesIncomplete(WalletError):
    """The stakes and prizes do not account for the money in the game's escrow."""


class AmountNotPositive(WalletError, status=422):
    """The amount must be above zero."""


class CurrencyNotOffered(WalletError, status=422):
    """The cashier does not handle this currency; play points are never cashed."""


class DepositLimitReached(WalletError, code="deposit_limit", status=422):
    """The deposit exceeds the player's limit or the site's."""


class LimitAboveOperator(WalletError, status=422):
    """A player's own limit cannot exceed the site's."""


class GatewayUnknown(WalletError, status=404):
    """No enabled gateway has this name."""


class BadSignature(WalletError, status=400):
    """The message is not signed by the gateway, or is too old."""


class UnreadableEvent(WalletError, status=400):
    """The gateway's message lacks required fields."""


class EventIgnored(WalletError, status=200):
    """The gateway's event does not concern the cashier; it is acknowledged and ignored."""


class GatewayUnavailable(WalletError, status=503):
    """The gateway failed; the same request may succeed later."""


class DepositNotOpen(WalletError):
    """Only an order waiting for payment can be cancelled."""


class BankAnswerUnreadable(WalletError, status=422):
    """A line of the bank's answer file cannot be read; nothing was saved."""


class ChecksFailed(WalletError):
    """The checks have findings: approve the withdrawal by itself, not with others."""


class ReferenceUsed(WalletError):
    """The bank's reference belongs to another payment."""


class WithdrawalNotSent(WalletError):
    """The withdrawal is not in a payout file yet."""


class WithdrawalNotPending(WalletError):
    """The withdrawal is not in the state that this step requires."""


class AccountNew(WalletError):
    """The bank account was registered too recently for money to be sent to it."""


class AccountChanged(WalletError):
    """The player's address, password or second factor changed too recently."""


class NothingToSend(WalletError):
    """No approved withdrawal is waiting to be sent to the bank."""


class PaymentDisputed(WalletError):
    """A payment of the player is disputed or being refunded; withdrawals must wait."""


class DebtOutstanding(WalletError, status=422):
    """The player owes money for reversed payments and cannot withdraw or play for cash."""


class DepositHeld(WalletError, status=422):
    """Recent deposits cannot be withdrawn until their holding period ends."""


class TaxChanged(WalletError):
    """The tax differs from the amount the player agreed to; nothing was requested."""


class TaxTakesAll(WalletError, status=422):
    """Tax would take the whole withdrawal."""


class PayeeUnreadable(WalletError):
    """A registered bank account cannot be decrypted, or its content belongs to another row."""


class PayeeRegistered(WalletError):
    """The bank account is registered already, under another name or branch."""


class BadIfsc(WalletError, status=422):
    """The IFSC has a wrong format, or names no known bank."""


class BankMerged(WalletError, status=422):
    """The bank was merged into another; its old IFSC is no longer valid."""


class TooManyPayees(WalletError):
    """The player has the maximum number of registered bank accounts; one must be removed first."""


class UnknownPayee(WalletError, status=422):
    """The player has no registered bank account with this id."""


class IdempotencyKeyMissing(WalletError, status=400):
    """A request that moves money needs an idempotency key."""


class IdempotencyKeyReused(WalletError, status=422):
    """The key was already used for a different request."""


class StatementTooLong(WalletError, status=422):
    """The statement has more lines than a PDF can hold."""


class RemarkMissing(WalletError, status=422):
    """A remark with the reason or reference is required."""


class NotAdjustable(WalletError, status=422):
    """Money in games or on its way to a bank cannot be adjusted by hand."""


class NotCleared(WalletError):
    """The freeze has not been cleared yet."""


class NothingToDo(WalletError):
    """The account is already in the requested state."""


class PointsSuffice(WalletError):
    """The player already has as many play points as a refill grants."""


class PlayFirst(WalletError):
    """No game has ended since the last refill."""


class BonusTermRefused(WalletError, code="bonus_term", status=422):
    """A bonus must end after it begins and within a year."""


class ReleaseShareRefused(WalletError, code="release_share", status=422):
    """A bonus is either spendable or released by settled entries, never both."""


class YearNotOver(WalletError):
    """The financial year is not over yet."""


class YearStillOpen(WalletError):
    """The last day of the financial year is over, but bookings on it may still be under way."""


class NotPlaced(WalletError):
    """The money of a known order must be credited or refunded first."""


class AccountInactive(WalletError):
    """The player's account is closed or blocked, so the money would be out of their reach."""


class OrderUnknown(WalletError, status=422):
    """The money belongs to no known order; use an adjustment to credit it."""


class WrongResidence(WalletError, status=422):
    """A resident of India must name India as their country, a non-resident another one."""


class ResidencePending(WalletError):
    """An earlier declaration is pending."""


class ResidenceDecided(WalletError):
    """The declaration was already accepted or refused."""
