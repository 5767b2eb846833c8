from django.urls import path

from wallet.cashier import api, deposit_limits_api, deposit_limits_pages, pages, quotes_api
from wallet.gateways.sandbox_page import SandboxPayView
from wallet.withdrawals.payees import api as payee_api
from wallet.withdrawals.payees import pages as payee_pages

urlpatterns = [
    path("deposit/", pages.StartDepositView.as_view(), name="start-deposit"),
    path("limits/", deposit_limits_pages.LimitsView.as_view(), name="deposit-limits"),
    path("deposits/", pages.DepositsView.as_view(), name="deposits"),
    path("deposits/<uuid:public_id>/", pages.DepositView.as_view(), name="deposit"),
    path(
        "deposits/<uuid:public_id>/cancel/",
        pages.CancelDepositView.as_view(),
        name="cancel-deposit",
    ),
    path("payees/", payee_pages.PayeesView.as_view(), name="payees"),
    path(
        "payees/<uuid:public_id>/remove/",
        payee_pages.RemovePayeeView.as_view(),
        name="remove-payee",
    ),
    path("withdraw/", pages.StartWithdrawalView.as_view(), name="start-withdrawal"),
    path("withdrawals/", pages.WithdrawalsView.as_view(), name="withdrawals"),
    path("sandbox-bank/<str:token>/", SandboxPayView.as_view(), name="sandbox-pay"),
]
api_urlpatterns = [
    path("deposits/", api.DepositsView.as_view(), name="api-deposits"),
    path(
        "deposits/limits/",
        deposit_limits_api.DepositLimitsView.as_view(),
        name="api-deposit-limits",
    ),
    path("deposits/quote/", quotes_api.DepositQuoteView.as_view(), name="api-deposit-quote"),
    path("deposits/<uuid:public_id>/", api.DepositView.as_view(), name="api-deposit"),
    path(
        "deposits/<uuid:public_id>/cancel/",
        api.CancelDepositView.as_view(),
        name="api-cancel-deposit",
    ),
    path("payees/", payee_api.PayeesView.as_view(), name="api-payees"),
    path("payees/<uuid:public_id>/", payee_api.PayeeView.as_view(), name="api-payee"),
    path("withdrawals/", api.WithdrawalsView.as_view(), name="api-withdrawals"),
    path(
        "withdrawals/quote/", quotes_api.WithdrawalQuoteView.as_view(), name="api-withdrawal-quote"
    ),
    path("webhooks/<slug:provider>/", api.WebhookView.as_view(), name="api-webhook"),
]
