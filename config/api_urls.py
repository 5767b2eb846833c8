"""Version 1 of the API, gathered from the applications."""

from django.urls import include, path

urlpatterns = [
    path("", include("tables.api_urls")),
    path("tournaments/", include("tournaments.lobby.api_urls")),
    path("wallet/", include("wallet.api_urls")),
    path("finance/", include("finance.api_urls")),
]
