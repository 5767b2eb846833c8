"""What the wallet refuses, each with a stable code."""

from typing import ClassVar


class WalletError(Exception):
    """A refusal by the wallet; nothing was written."""

    code: ClassVar[str] = "wallet_error"


class InexactAmount(WalletError):
    """The amount is not a whole number of minor units."""

    code = "inexact_amount"
