from django.urls import path

from wallet.cashier.deposit_limits_pages import LimitsView
from wallet.cashier.pages import (
    CancelDepositView,
    DepositsView,
    DepositView,
    StartDepositView,
    StartWithdrawalView,
    WithdrawalsView,
)
from wallet.cashier.sandbox_page import SandboxPayView
from wallet.statements.pages import (
    ReceiptView,
    RefillView,
    StatementFileView,
    StatementPrintView,
    StatementView,
    WalletView,
)
from wallet.tax.pages import TaxFileView, TaxView

urlpatterns = [
    path("", WalletView.as_view(), name="wallet"),
    path("refill/", RefillView.as_view(), name="refill-points"),
    path("statement/", StatementView.as_view(), name="wallet-statement"),
    path("statement.csv", StatementFileView.as_view(), name="wallet-statement-file"),
    path("statement.pdf", StatementPrintView.as_view(), name="wallet-statement-print"),
    path("tax/", TaxView.as_view(), name="wallet-tax"),
    path("tax.csv", TaxFileView.as_view(), name="wallet-tax-file"),
    path("transfers/<uuid:public_id>/", ReceiptView.as_view(), name="wallet-receipt"),
    path("deposit/", StartDepositView.as_view(), name="start-deposit"),
    path("limits/", LimitsView.as_view(), name="deposit-limits"),
    path("deposits/", DepositsView.as_view(), name="deposits"),
    path("deposits/<uuid:public_id>/", DepositView.as_view(), name="deposit"),
    path("deposits/<uuid:public_id>/cancel/", CancelDepositView.as_view(), name="cancel-deposit"),
    path("withdraw/", StartWithdrawalView.as_view(), name="start-withdrawal"),
    path("withdrawals/", WithdrawalsView.as_view(), name="withdrawals"),
    path("sandbox-bank/<str:token>/", SandboxPayView.as_view(), name="sandbox-pay"),
]
