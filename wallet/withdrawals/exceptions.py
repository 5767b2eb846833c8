"""Errors of withdrawals, their taxes and the bank's answers."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class BankAnswerUnreadable(WalletError, status=UNPROCESSABLE):
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


class DebtOutstanding(WalletError, status=UNPROCESSABLE):
    """The player owes money for reversed payments and cannot withdraw or play for cash."""


class DepositHeld(WalletError, status=UNPROCESSABLE):
    """Recent deposits cannot be withdrawn until their holding period ends."""


class TaxChanged(WalletError):
    """The tax differs from the amount the player agreed to; nothing was requested."""


class TaxTakesAll(WalletError, status=UNPROCESSABLE):
    """Tax would take the whole withdrawal."""
