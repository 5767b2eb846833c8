"""Imports the admin modules of all packages, for Django to find."""

from wallet.audit.admin import AuditRunAdmin, SealAdmin, WithdrawalFreezeAdmin
from wallet.bonuses.admin import BonusGrantAdmin, BonusRequestAdmin
from wallet.corrections.admin import AccountFreezeAdmin, AdjustmentAdmin
from wallet.deposits.admin import DepositAdmin, GatewayEventAdmin, StaffTaskAdmin
from wallet.deposits.payments_admin import DepositTermAdmin, PaymentReturnAdmin
from wallet.ledger.admin import AccountAdmin, BookedDayAdmin, EntryAdmin, TransferAdmin
from wallet.stakes.admin import StakeAdmin
from wallet.tax.admin import GstChargeAdmin, TaxRateAdmin, WithholdingAdmin
from wallet.tax.invoices.admin import InvoiceAdmin, RegistrationAdmin, TaxFormAdmin
from wallet.tax.residence_admin import TaxResidenceAdmin
from wallet.wind_down.admin import OwedReportAdmin
from wallet.withdrawals.admin import PayoutBatchAdmin, WithdrawalAdmin
from wallet.withdrawals.payees.admin import RegisteredPayeeAdmin

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
