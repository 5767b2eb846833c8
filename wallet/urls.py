"""The wallet's pages and API, from all packages."""

from django.urls import path

from core.http.own_writes import from_replica
from wallet.cashier import urls as cashier
from wallet.statements import urls as statements
from wallet.tax import api as tax_api
from wallet.tax import pages as tax_pages

urlpatterns = [
    *statements.urlpatterns,
    path("tax/", from_replica(tax_pages.TaxView.as_view()), name="wallet-tax"),
    path("tax/residence/", tax_pages.TaxResidenceView.as_view(), name="tax-residence"),
    path("tax.csv", from_replica(tax_pages.TaxFileView.as_view()), name="wallet-tax-file"),
    *cashier.urlpatterns,
]
api_urlpatterns = [
    *statements.api_urlpatterns,
    path("tax/", from_replica(tax_api.TaxYearView.as_view()), name="api-tax"),
    *cashier.api_urlpatterns,
]
