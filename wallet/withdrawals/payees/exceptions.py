"""Errors of registered bank accounts."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class PayeeUnreadable(WalletError):
    """A registered bank account cannot be decrypted, or its content belongs to another row."""


class PayeeRegistered(WalletError):
    """The bank account is registered already, under another name or branch."""


class BadIfsc(WalletError, status=UNPROCESSABLE):
    """The IFSC has a wrong format, or names no known bank."""


class BankMerged(WalletError, status=UNPROCESSABLE):
    """The bank was merged into another; its old IFSC is no longer valid."""


class TooManyPayees(WalletError):
    """The player has the maximum number of registered bank accounts; one must be removed first."""


class UnknownPayee(WalletError, status=UNPROCESSABLE):
    """The player has no registered bank account with this id."""
