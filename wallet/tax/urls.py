from django.urls import path

from wallet.tax import api, pages

urlpatterns = [
    path("tax/", pages.TaxView.as_view(), name="wallet-tax"),
    path("tax.csv", pages.TaxFileView.as_view(), name="wallet-tax-file"),
]
api_urlpatterns = [path("tax/", api.TaxYearView.as_view(), name="api-tax")]
