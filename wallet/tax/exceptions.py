"""Errors of declarations of tax residence."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class WrongResidence(WalletError, status=UNPROCESSABLE):
    """A resident of India must name India as their country, a non-resident another one."""


class ResidencePending(WalletError):
    """An earlier declaration is pending."""


class ResidenceDecided(WalletError):
    """The declaration was already accepted or refused."""
