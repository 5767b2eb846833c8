"""Imports the models of all packages, for Django to find."""

from core.maker_checker import Checked
from wallet.audit.models import (
    AuditedBalance,
    AuditedTable,
    AuditRun,
    RowVersion,
    Seal,
    SentHead,
)
from wallet.bonuses.models import (
    ACCOUNT_OF_MODE,
    TERM_DAYS_MAX,
    BonusGrant,
    BonusMode,
    BonusMovement,
    BonusRequest,
)
from wallet.cashier.models import IdempotentRequest
from wallet.corrections.models import Adjustment
from wallet.corrections.restitution_models import Restitution, RestitutionLine
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.deposits.payment_models import DepositTerm, GatewayPayment, PaymentReturn
from wallet.gateways.models import GatewaySettlement
from wallet.ledger.checked_requests import CheckedRequest, PostedRequest
from wallet.ledger.models import PLAYER_KINDS, Account, BookedDay, Bucket, Entry, Transfer
from wallet.ledger.safeguard_models import AccountFreeze, WithdrawalFreeze
from wallet.stakes.models import StackChange, Stake, StakePart, StakePartChange
from wallet.tax.invoices.models import Invoice, Registration, TaxForm
from wallet.tax.models import GstCharge, TaxRate, Withholding
from wallet.tax.residence_models import TaxResidence
from wallet.wind_down.models import OwedLine, OwedReport
from wallet.withdrawals.models import PayoutBatch, Withdrawal
from wallet.withdrawals.payees.models import RegisteredPayee

__all__ = [
    "ACCOUNT_OF_MODE",
    "PLAYER_KINDS",
    "TERM_DAYS_MAX",
    "Account",
    "AccountFreeze",
    "Adjustment",
    "AuditRun",
    "AuditedBalance",
    "AuditedTable",
    "BonusGrant",
    "BonusMode",
    "BonusMovement",
    "BonusRequest",
    "BookedDay",
    "Bucket",
    "Checked",
    "CheckedRequest",
    "Deposit",
    "DepositTerm",
    "Entry",
    "GatewayEvent",
    "GatewayPayment",
    "GatewaySettlement",
    "GstCharge",
    "IdempotentRequest",
    "Invoice",
    "OwedLine",
    "OwedReport",
    "PaymentReturn",
    "PayoutBatch",
    "PostedRequest",
    "RegisteredPayee",
    "Registration",
    "Restitution",
    "RestitutionLine",
    "RowVersion",
    "Seal",
    "SentHead",
    "StackChange",
    "StaffTask",
    "Stake",
    "StakePart",
    "StakePartChange",
    "TaxForm",
    "TaxRate",
    "TaxResidence",
    "Transfer",
    "Withdrawal",
    "WithdrawalFreeze",
    "Withholding",
]
