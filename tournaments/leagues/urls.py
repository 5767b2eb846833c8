from django.urls import path

from tournaments.leagues import api, pages

urlpatterns = [
    path("", pages.LeaguesView.as_view(), name="leagues"),
    path("listed/", pages.ListedView.as_view(), name="league-listed"),
    path("<uuid:season_id>/", pages.LeagueView.as_view(), name="league"),
]
api_urlpatterns = [
    path("", api.SeasonsView.as_view(), name="seasons-api"),
    path(
        "<uuid:season_id>/tournaments/",
        api.SeasonTournamentsView.as_view(),
        name="season-tournaments-api",
    ),
    path("<uuid:season_id>/standings/", api.SeasonStandingsView.as_view(), name="season-api"),
]
