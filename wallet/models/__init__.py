"""The wallet's tables. Those of the ledger are for reading; wallet/sql says who may write them."""

from wallet.models.accounts import PLAYER_KINDS, Account, Bucket
from wallet.models.adjustments import Adjustment
from wallet.models.bonuses import (
    ACCOUNT_OF_MODE,
    TERM_DAYS_MAX,
    BonusGrant,
    BonusMode,
    BonusMovement,
    BonusRequest,
)
from wallet.models.checked import Checked, CheckedRequest, PostedRequest
from wallet.models.deposits import Deposit, GatewayEvent, StaffTask
from wallet.models.idempotency import IdempotentRequest
from wallet.models.limits import DepositLimit
from wallet.models.payments import DepositTerm, GatewayPayment, PaymentReturn
from wallet.models.safeguards import AccountFreeze, WithdrawalFreeze
from wallet.models.seals import AuditRun, Seal, SentHead
from wallet.models.stacks import StackChange
from wallet.models.stakes import Stake, StakePart
from wallet.models.taxes import GstCharge, TaxRate, Withholding
from wallet.models.tokens import FinanceToken
from wallet.models.transfers import BookedDay, Entry, Transfer
from wallet.models.versions import RowVersion
from wallet.models.withdrawals import PayoutBatch, Withdrawal

__all__ = [
    "ACCOUNT_OF_MODE",
    "PLAYER_KINDS",
    "TERM_DAYS_MAX",
    "Account",
    "AccountFreeze",
    "Adjustment",
    "AuditRun",
    "BonusGrant",
    "BonusMode",
    "BonusMovement",
    "BonusRequest",
    "BookedDay",
    "Bucket",
    "Checked",
    "CheckedRequest",
    "Deposit",
    "DepositLimit",
    "DepositTerm",
    "Entry",
    "FinanceToken",
    "GatewayEvent",
    "GatewayPayment",
    "GstCharge",
    "IdempotentRequest",
    "PaymentReturn",
    "PayoutBatch",
    "PostedRequest",
    "RowVersion",
    "Seal",
    "SentHead",
    "StackChange",
    "StaffTask",
    "Stake",
    "StakePart",
    "TaxRate",
    "Transfer",
    "Withdrawal",
    "WithdrawalFreeze",
    "Withholding",
]
