"""The admin of all rooms, gathered where Django looks for them."""

from wallet.bonuses.admin import BonusGrantAdmin, BonusRequestAdmin
from wallet.closed_places.admin import OwedReportAdmin
from wallet.desk.audit_admin import AuditRunAdmin, SealAdmin
from wallet.desk.corrections_admin import AccountFreezeAdmin, AdjustmentAdmin
from wallet.desk.deposits_admin import DepositAdmin, GatewayEventAdmin, StaffTaskAdmin
from wallet.desk.ledger_admin import AccountAdmin, BookedDayAdmin, EntryAdmin, TransferAdmin
from wallet.desk.payees_admin import RegisteredPayeeAdmin
from wallet.desk.payments_admin import DepositTermAdmin, PaymentReturnAdmin
from wallet.desk.tax_residence_admin import TaxResidenceAdmin
from wallet.desk.withdrawal_freezes_admin import WithdrawalFreezeAdmin
from wallet.desk.withdrawals_admin import PayoutBatchAdmin, WithdrawalAdmin
from wallet.filing.admin import InvoiceAdmin, RegistrationAdmin, TaxFormAdmin
from wallet.limits.admin import OwnLimitAdmin
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
    "DepositTermAdmin",
    "EntryAdmin",
    "GatewayEventAdmin",
    "GstChargeAdmin",
    "InvoiceAdmin",
    "OwedReportAdmin",
    "OwnLimitAdmin",
    "PaymentReturnAdmin",
    "PayoutBatchAdmin",
    "RegisteredPayeeAdmin",
    "RegistrationAdmin",
    "SealAdmin",
    "StaffTaskAdmin",
    "StakeAdmin",
    "TaxFormAdmin",
    "TaxRateAdmin",
    "TaxResidenceAdmin",
    "TransferAdmin",
    "WithdrawalAdmin",
    "WithdrawalFreezeAdmin",
    "WithholdingAdmin",
]
