"""URLs of the landing page, the lobby and private tables."""

from django.urls import path

from core.http.own_writes import from_replica
from tables.lobby import (
    pages,
    private_api,
    private_pages,
    quick_seat_api,
    running_api,
    visit_pages,
)

urlpatterns = [
    path("", visit_pages.LandingView.as_view(), name="landing"),
    path("play/", visit_pages.PlayNowView.as_view(), name="play-now"),
    path("lobby/", from_replica(pages.LobbyView.as_view()), name="lobby"),
    path("lobby/quick-seat/", pages.QuickSeatView.as_view(), name="quick-seat"),
    path("private/", private_pages.OpenPrivateView.as_view(), name="private-open"),
    path("private/<slug:code>/", private_pages.PrivateTableView.as_view(), name="private-table"),
]
api_urlpatterns = [
    path("tables/", from_replica(quick_seat_api.LobbyView.as_view())),
    path("tables/running/", running_api.RunningGamesView.as_view(), name="running-games-api"),
    path("tables/<uuid:table_id>/rematch/", running_api.RematchView.as_view()),
    path("quick-seat/", quick_seat_api.QuickSeatView.as_view()),
    path("private-tables/", private_api.PrivateTablesView.as_view()),
    path("private-tables/<slug:code>/", private_api.PrivateTableDetailView.as_view()),
]
