"""The wallet's pages and API, from all packages."""

from django.urls import path

from core.http.own_writes import from_replica
from wallet.cashier import api as cashier_api
from wallet.cashier import pages as cashier_pages
from wallet.gateways.sandbox_page import SandboxPayView
from wallet.statements import api as statement_api
from wallet.statements import pages as statement_pages
from wallet.tax import api as tax_api
from wallet.tax import pages as tax_pages
from wallet.withdrawals.payees import api as payee_api
from wallet.withdrawals.payees import pages as payee_pages

urlpatterns = [
    path("", statement_pages.WalletView.as_view(), name="wallet"),
    path("refill/", statement_pages.RefillView.as_view(), name="refill-points"),
    path(
        "statement/", from_replica(statement_pages.StatementView.as_view()), name="wallet-statement"
    ),
    path(
        "statement.csv",
        from_replica(statement_pages.StatementTableView.as_view()),
        name="wallet-statement-file",
    ),
    path(
        "statement.pdf",
        from_replica(statement_pages.StatementPrintView.as_view()),
        name="wallet-statement-print",
    ),
    path(
        "tax/<int:year>/withheld.pdf",
        statement_pages.TaxSheetView.as_view(),
        name="wallet-tax-sheet",
    ),
    path(
        "transfers/<uuid:public_id>/", statement_pages.ReceiptView.as_view(), name="wallet-receipt"
    ),
    path(
        "transfers/<uuid:public_id>/invoice.pdf",
        statement_pages.InvoiceView.as_view(),
        name="wallet-invoice",
    ),
    path("tax/", from_replica(tax_pages.TaxView.as_view()), name="wallet-tax"),
    path("tax/residence/", tax_pages.TaxResidenceView.as_view(), name="tax-residence"),
    path("tax.csv", from_replica(tax_pages.TaxFileView.as_view()), name="wallet-tax-file"),
    path("deposit/", cashier_pages.StartDepositView.as_view(), name="start-deposit"),
    path("limits/", cashier_pages.LimitsView.as_view(), name="deposit-limits"),
    path("deposits/", cashier_pages.DepositsView.as_view(), name="deposits"),
    path("deposits/<uuid:public_id>/", cashier_pages.DepositView.as_view(), name="deposit"),
    path(
        "deposits/<uuid:public_id>/cancel/",
        cashier_pages.CancelDepositView.as_view(),
        name="cancel-deposit",
    ),
    path("payees/", payee_pages.PayeesView.as_view(), name="payees"),
    path(
        "payees/<uuid:public_id>/remove/",
        payee_pages.RemovePayeeView.as_view(),
        name="remove-payee",
    ),
    path("withdraw/", cashier_pages.StartWithdrawalView.as_view(), name="start-withdrawal"),
    path("withdrawals/", cashier_pages.WithdrawalsView.as_view(), name="withdrawals"),
    path("sandbox-bank/<str:token>/", SandboxPayView.as_view(), name="sandbox-pay"),
]
api_urlpatterns = [
    path("", statement_api.WalletView.as_view(), name="api-wallet"),
    path("refill/", statement_api.RefillView.as_view(), name="api-refill"),
    path("statement/", from_replica(statement_api.StatementView.as_view()), name="api-statement"),
    path("transfers/<uuid:public_id>/", statement_api.ReceiptView.as_view(), name="api-receipt"),
    path("tax/", from_replica(tax_api.TaxYearView.as_view()), name="api-tax"),
    path("deposits/", cashier_api.DepositsView.as_view(), name="api-deposits"),
    path(
        "deposits/limits/",
        cashier_api.DepositLimitsView.as_view(),
        name="api-deposit-limits",
    ),
    path("deposits/quote/", cashier_api.DepositQuoteView.as_view(), name="api-deposit-quote"),
    path("deposits/<uuid:public_id>/", cashier_api.DepositView.as_view(), name="api-deposit"),
    path(
        "deposits/<uuid:public_id>/cancel/",
        cashier_api.CancelDepositView.as_view(),
        name="api-cancel-deposit",
    ),
    path("payees/", payee_api.PayeesView.as_view(), name="api-payees"),
    path("payees/<uuid:public_id>/", payee_api.PayeeView.as_view(), name="api-payee"),
    path("withdrawals/", cashier_api.WithdrawalsView.as_view(), name="api-withdrawals"),
    path(
        "withdrawals/quote/", cashier_api.WithdrawalQuoteView.as_view(), name="api-withdrawal-quote"
    ),
    path("webhooks/<slug:provider>/", cashier_api.WebhookView.as_view(), name="api-webhook"),
]
