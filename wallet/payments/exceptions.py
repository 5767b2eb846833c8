"""What is refused on the way out: withdrawals, their taxes and the bank's answers."""

from wallet.exceptions import UNPROCESSABLE, WalletError


class BankAnswerUnreadable(WalletError):
    """The bank's answer to a file of payouts has a line that cannot be read; nothing was noted."""

    code, status = "bank_answer_unreadable", UNPROCESSABLE


class ReferenceUsed(WalletError):
    """The bank's reference belongs to another payment."""

    code = "reference_used"


class WithdrawalNotSent(WalletError):
    """The withdrawal is in no file for the bank yet."""

    code = "withdrawal_not_sent"


class WithdrawalNotPending(WalletError):
    """The withdrawal is in another state than this step begins with."""

    code = "withdrawal_not_pending"


class PayeeUnreadable(WalletError):
    """The bank account of a withdrawal cannot be decrypted, or belongs to another withdrawal."""

    code = "payee_unreadable"


class NothingToSend(WalletError):
    """No approved withdrawal waits to be sent to the bank."""

    code = "nothing_to_send"


class PaymentDisputed(WalletError):
    """A payment of the player's is disputed or being refunded; nothing leaves until it is over."""

    code = "payment_disputed"


class DebtOutstanding(WalletError):
    """The player owes for payments that were taken back: no withdrawal and no game for money."""

    code, status = "debt_outstanding", UNPROCESSABLE


class DepositHeld(WalletError):
    """So much of the deposits is new, and can be withdrawn when its term is over."""

    code, status = "deposit_held", UNPROCESSABLE


class TaxChanged(WalletError):
    """The tax is not what the player has agreed to; nothing was asked for."""

    code = "tax_changed"


class TaxTakesAll(WalletError):
    """Nothing of this withdrawal would be left for the bank."""

    code, status = "tax_takes_all", UNPROCESSABLE
