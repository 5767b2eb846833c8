from django.urls import path

from tables.history import api

TABLE = "tables/<uuid:table_id>/"
DEAL = f"{TABLE}deals/<int:no>/"

urlpatterns = [
    path(f"{TABLE}client-seed/", api.ClientSeedView.as_view()),
    path(f"{TABLE}sheet/", api.SheetView.as_view()),
    path(f"{DEAL}history.txt", api.DealFileView.as_view(), name="deal-file"),
    path(f"{DEAL}steps/<int:ply>/", api.StepView.as_view()),
    path(f"{DEAL}disputes/", api.DealDisputesView.as_view()),
    path("games/", api.GamesView.as_view()),
    path("disputes/", api.DisputesView.as_view()),
]
