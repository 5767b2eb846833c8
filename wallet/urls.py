"""The pages of the wallet, gathered from its rooms."""

from django.urls import path

from wallet.cashier import urls as cashier
from wallet.statements import urls as statements
from wallet.tax import pages as tax

urlpatterns = [
    *statements.urlpatterns,
    path("tax/", tax.TaxView.as_view(), name="wallet-tax"),
    path("tax.csv", tax.TaxFileView.as_view(), name="wallet-tax-file"),
    *cashier.urlpatterns,
]
