"""The refusals of registered bank accounts."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class PayeeUnreadable(WalletError):
    """A registered bank account cannot be decrypted, or its content belongs to another row."""


class PayeeRegistered(WalletError):
    """The bank account is registered already, under another name or branch."""


class BadIfsc(WalletError, status=UNPROCESSABLE):
    """The IFSC has another form than IFSCs have, or names no known bank."""


class BankMerged(WalletError, status=UNPROCESSABLE):
    """The bank has been merged into another; its old IFSC does not work any more."""


class TooManyPayees(WalletError):
    """The player has as many registered bank accounts as they may; one must be removed first."""


class UnknownPayee(WalletError, status=UNPROCESSABLE):
    """The player has no registered bank account of this id."""
