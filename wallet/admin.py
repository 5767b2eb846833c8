"""The admin of all rooms, gathered where Django looks for them."""

from wallet.bonuses.admin import BonusGrantAdmin, BonusRequestAdmin
from wallet.deposits.admin import DepositLimitAdmin
from wallet.desk.acts import AccountFreezeAdmin, AdjustmentAdmin
from wallet.desk.books import AuditRunAdmin, SealAdmin
from wallet.desk.cashier import (
    DepositAdmin,
    GatewayEventAdmin,
    PayoutBatchAdmin,
    StaffTaskAdmin,
    WithdrawalAdmin,
)
from wallet.desk.ledger import AccountAdmin, BookedDayAdmin, EntryAdmin, TransferAdmin
from wallet.desk.payments import DepositTermAdmin, PaymentReturnAdmin
from wallet.desk.withdrawal_freezes import WithdrawalFreezeAdmin
from wallet.stakes.admin import StakeAdmin
from wallet.tax.admin import GstChargeAdmin, TaxRateAdmin, WithholdingAdmin

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
