"""Addresses of what has been played; a step of a deal has one of its own."""

from django.urls import path

from tables.history import pages as views

DEAL = "history/<uuid:table_id>/<int:no>/"

urlpatterns = [
    path("history/", views.GamesView.as_view(), name="history"),
    path("history/<uuid:table_id>/", views.GameView.as_view(), name="game"),
    path(DEAL, views.ReplayView.as_view(), name="deal"),
    path(f"{DEAL}<int:ply>/", views.ReplayView.as_view(), name="replay"),
    path(f"{DEAL}<int:ply>/dispute/", views.DisputeView.as_view(), name="dispute"),
    path(f"{DEAL}dispute/", views.DisputeEndView.as_view(), name="dispute-end"),
    path("disputes/", views.DisputesView.as_view(), name="disputes"),
    path("verify/", views.VerifyView.as_view(), name="verify"),
    path("verify/<uuid:table_id>/<int:no>/", views.VerifyDealView.as_view(), name="verify-deal"),
]
