"""The models of all rooms, gathered where Django looks for them."""

from core.maker_checker import Checked
from wallet.audit.models import (
    AuditedBalance,
    AuditedTable,
    AuditRun,
    RowVersion,
    Seal,
    SentHead,
)
from wallet.cashier.models import IdempotentRequest
from wallet.closed_places.models import OwedLine, OwedReport
from wallet.corrections.models import Adjustment
from wallet.corrections.restitution_models import Restitution, RestitutionLine
from wallet.filing.models import Invoice, Registration, TaxForm
from wallet.holdings.bonus_models import (
    ACCOUNT_OF_MODE,
    TERM_DAYS_MAX,
    BonusGrant,
    BonusMode,
    BonusMovement,
    BonusRequest,
)
from wallet.holdings.models import StackChange, Stake, StakePart, StakePartChange
from wallet.ledger.checked_requests import CheckedRequest, PostedRequest
from wallet.ledger.models import PLAYER_KINDS, Account, BookedDay, Bucket, Entry, Transfer
from wallet.ledger.safeguard_models import AccountFreeze, WithdrawalFreeze
from wallet.limits.models import OwnLimit
from wallet.payees.models import RegisteredPayee
from wallet.payments.gateway_models import DepositTerm, GatewayPayment, PaymentReturn
from wallet.payments.models import Deposit, GatewayEvent, StaffTask
from wallet.payments.settlement_models import GatewaySettlement
from wallet.payments.withdrawal_models import PayoutBatch, Withdrawal
from wallet.tax.models import GstCharge, TaxRate, Withholding
from wallet.tax.residence_models import TaxResidence

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
    "OwnLimit",
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
