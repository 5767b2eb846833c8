from django.urls import path

from wallet.cashier.api import (
    CancelDepositView,
    DepositsView,
    DepositView,
    WebhookView,
    WithdrawalsView,
)
from wallet.cashier.deposit_limits_api import DepositLimitsView
from wallet.cashier.quotes_api import DepositQuoteView, TaxYearView, WithdrawalQuoteView
from wallet.statements.api import ReceiptView, RefillView, StatementView, WalletView

urlpatterns = [
    path("", WalletView.as_view(), name="api-wallet"),
    path("refill/", RefillView.as_view(), name="api-refill"),
    path("statement/", StatementView.as_view(), name="api-statement"),
    path("tax/", TaxYearView.as_view(), name="api-tax"),
    path("transfers/<uuid:public_id>/", ReceiptView.as_view(), name="api-receipt"),
    path("deposits/", DepositsView.as_view(), name="api-deposits"),
    path("deposits/limits/", DepositLimitsView.as_view(), name="api-deposit-limits"),
    path("deposits/quote/", DepositQuoteView.as_view(), name="api-deposit-quote"),
    path("deposits/<uuid:public_id>/", DepositView.as_view(), name="api-deposit"),
    path(
        "deposits/<uuid:public_id>/cancel/",
        CancelDepositView.as_view(),
        name="api-cancel-deposit",
    ),
    path("withdrawals/", WithdrawalsView.as_view(), name="api-withdrawals"),
    path("withdrawals/quote/", WithdrawalQuoteView.as_view(), name="api-withdrawal-quote"),
    path("webhooks/<slug:provider>/", WebhookView.as_view(), name="api-webhook"),
]
