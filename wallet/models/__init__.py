"""The wallet's tables. Those of the ledger are for reading; wallet/sql says who may write them."""

from wallet.models.accounts import PLAYER_KINDS, Account, Bucket
from wallet.models.adjustments import Adjustment
from wallet.models.cashier import (
    Deposit,
    GatewayEvent,
    IdempotentRequest,
    PayoutBatch,
    StaffTask,
    Withdrawal,
)
from wallet.models.safeguards import AccountFreeze, WithdrawalFreeze
from wallet.models.seals import AuditRun, Seal
from wallet.models.stakes import Stake, StakePart
from wallet.models.tokens import FinanceToken
from wallet.models.transfers import BookedDay, Entry, Transfer

__all__ = [
    "PLAYER_KINDS",
    "Account",
    "AccountFreeze",
    "Adjustment",
    "AuditRun",
    "BookedDay",
    "Bucket",
    "Deposit",
    "Entry",
    "FinanceToken",
    "GatewayEvent",
    "IdempotentRequest",
    "PayoutBatch",
    "Seal",
    "StaffTask",
    "Stake",
    "StakePart",
    "Transfer",
    "Withdrawal",
    "WithdrawalFreeze",
]
