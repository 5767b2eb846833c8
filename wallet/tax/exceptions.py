"""The refusals of declarations of tax residence."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class WrongResidence(WalletError, status=UNPROCESSABLE):
    """A resident of India names India as their country, a non-resident another one."""


class ResidencePending(WalletError):
    """An earlier declaration waits for staff."""


class ResidenceDecided(WalletError):
    """The declaration has been accepted or refused."""
