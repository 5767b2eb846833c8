from django.urls import path

from wallet.views import ReceiptView, StatementFileView, StatementView, WalletView

urlpatterns = [
    path("", WalletView.as_view(), name="wallet"),
    path("statement/", StatementView.as_view(), name="wallet-statement"),
    path("statement.csv", StatementFileView.as_view(), name="wallet-statement-file"),
    path("transfers/<uuid:public_id>/", ReceiptView.as_view(), name="wallet-receipt"),
]
