from django.urls import include, path

from tables.lobby import quick_seat_api, running_api
from tables.play import api

urlpatterns = [
    path("tables/<uuid:table_id>/moves/", api.MovesView.as_view()),
    path("tables/", quick_seat_api.LobbyView.as_view()),
    path("tables/running/", running_api.RunningGamesView.as_view(), name="running-games-api"),
    path("tables/<uuid:table_id>/rematch/", running_api.RematchView.as_view()),
    path("quick-seat/", quick_seat_api.QuickSeatView.as_view()),
    path("tables/<uuid:table_id>/", api.TableDetailView.as_view(), name="table-api"),
    path("tables/<uuid:table_id>/public/", api.PublicTableView.as_view(), name="table-api-public"),
    path("tables/<uuid:table_id>/open-pile/", api.OpenPileView.as_view()),
    path("tables/<uuid:table_id>/seats/", api.SeatsView.as_view()),
    path("tables/<uuid:table_id>/seats/mine/", api.MySeatView.as_view()),
    path("tables/<uuid:table_id>/groups/", api.GroupsView.as_view()),
    path("tables/<uuid:table_id>/arrangement/", api.ArrangementView.as_view()),
    path("", include("tables.stacks_api_urls")),
    path("", include("tables.windows_api_urls")),
    path("", include("tables.private_api_urls")),
    path("", include("tables.history.api_urls")),
]
