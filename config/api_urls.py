"""Version 1 of the API, gathered from the applications."""

from django.urls import include, path

from tournaments.lobby.urls import api_urlpatterns as tournaments

urlpatterns = [
    path("", include("tables.api_urls")),
    path("tournaments/", include(tournaments)),
    path("wallet/", include("wallet.api_urls")),
    path("finance/", include("finance.api_urls")),
]
