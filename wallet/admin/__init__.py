"""Staff look at money here and touch none: only services and the database write the ledger."""

from wallet.admin.acts import AccountFreezeAdmin, AdjustmentAdmin
from wallet.admin.bonuses import BonusGrantAdmin, BonusRequestAdmin
from wallet.admin.books import AuditRunAdmin, SealAdmin
from wallet.admin.cashier import (
    DepositAdmin,
    GatewayEventAdmin,
    PayoutBatchAdmin,
    StaffTaskAdmin,
    WithdrawalAdmin,
)
from wallet.admin.ledger import AccountAdmin, BookedDayAdmin, EntryAdmin, TransferAdmin
from wallet.admin.limits import DepositLimitAdmin
from wallet.admin.payments import DepositTermAdmin, PaymentReturnAdmin
from wallet.admin.safeguards import FinanceTokenAdmin, WithdrawalFreezeAdmin
from wallet.admin.stakes import StakeAdmin
from wallet.admin.taxes import GstChargeAdmin, TaxRateAdmin, WithholdingAdmin

__all__ = [
    "AccountAdmin",
    "AccountFreezeAdmin",
    "AdjustmentAdmin",
    "AuditRunAdmin",
    "BonusGrantAdmin",
    "BonusRequestAdmin",
    "BookedDayAdmin",
    "DepositAdmin",
    "DepositLimitAdmin",
    "DepositTermAdmin",
    "EntryAdmin",
    "FinanceTokenAdmin",
    "GatewayEventAdmin",
    "GstChargeAdmin",
    "PaymentReturnAdmin",
    "PayoutBatchAdmin",
    "SealAdmin",
    "StaffTaskAdmin",
    "StakeAdmin",
    "TaxRateAdmin",
    "TransferAdmin",
    "WithdrawalAdmin",
    "WithdrawalFreezeAdmin",
    "WithholdingAdmin",
]
