from django.urls import path

from core.http.own_writes import from_replica
from wallet.statements import api, pages

urlpatterns = [
    path("", pages.WalletView.as_view(), name="wallet"),
    path("refill/", pages.RefillView.as_view(), name="refill-points"),
    path("statement/", from_replica(pages.StatementView.as_view()), name="wallet-statement"),
    path(
        "statement.csv",
        from_replica(pages.StatementTableView.as_view()),
        name="wallet-statement-file",
    ),
    path(
        "statement.pdf",
        from_replica(pages.StatementPrintView.as_view()),
        name="wallet-statement-print",
    ),
    path("tax/<int:year>/withheld.pdf", pages.TaxSheetView.as_view(), name="wallet-tax-sheet"),
    path("transfers/<uuid:public_id>/", pages.ReceiptView.as_view(), name="wallet-receipt"),
    path(
        "transfers/<uuid:public_id>/invoice.pdf", pages.InvoiceView.as_view(), name="wallet-invoice"
    ),
]
api_urlpatterns = [
    path("", api.WalletView.as_view(), name="api-wallet"),
    path("refill/", api.RefillView.as_view(), name="api-refill"),
    path("statement/", from_replica(api.StatementView.as_view()), name="api-statement"),
    path("transfers/<uuid:public_id>/", api.ReceiptView.as_view(), name="api-receipt"),
]
