"""URLs of the landing page, the lobby and private tables."""

from django.urls import path

from core.http.own_writes import from_replica
from tables.lobby import api, invitation_pages, pages

urlpatterns = [
    path("", pages.LandingView.as_view(), name="landing"),
    path("play/", pages.PlayNowView.as_view(), name="play-now"),
    path("lobby/", from_replica(pages.LobbyView.as_view()), name="lobby"),
    path("lobby/quick-seat/", pages.QuickSeatView.as_view(), name="quick-seat"),
    path("private/", invitation_pages.OpenPrivateView.as_view(), name="private-open"),
    path("private/<slug:code>/", invitation_pages.InvitationView.as_view(), name="private-table"),
]
api_urlpatterns = [
    path("tables/", from_replica(api.LobbyView.as_view())),
    path("tables/running/", api.RunningGamesView.as_view(), name="running-games-api"),
    path("tables/<uuid:table_id>/rematch/", api.RematchView.as_view()),
    path("quick-seat/", api.QuickSeatView.as_view()),
    path("private-tables/", api.PrivateTablesView.as_view()),
    path("private-tables/<slug:code>/", api.PrivateTableDetailView.as_view()),
]
