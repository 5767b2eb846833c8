"""The wallet's part of the API, gathered from its rooms."""

from django.urls import path

from wallet.cashier import urls as cashier
from wallet.statements import urls as statements
from wallet.tax import api as tax

urlpatterns = [
    *statements.api_urlpatterns,
    path("tax/", tax.TaxYearView.as_view(), name="api-tax"),
    *cashier.api_urlpatterns,
]
