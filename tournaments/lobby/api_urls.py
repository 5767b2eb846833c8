from django.urls import path

from tournaments.lobby import api

urlpatterns = [
    path("", api.TournamentsView.as_view(), name="tournaments-api"),
    path("<uuid:tournament_id>/", api.TournamentDetailView.as_view(), name="tournament-api"),
    path("<uuid:tournament_id>/entry/", api.MyEntryView.as_view(), name="tournament-entry-api"),
    path(
        "<uuid:tournament_id>/entry/check-in/",
        api.CheckInView.as_view(),
        name="tournament-check-in-api",
    ),
    path(
        "<uuid:tournament_id>/standings/",
        api.StandingsView.as_view(),
        name="tournament-standings-api",
    ),
    path(
        "<uuid:tournament_id>/rounds/<int:no>/tables/",
        api.RoundTablesView.as_view(),
        name="tournament-round-api",
    ),
    path("<uuid:tournament_id>/draw/", api.DrawView.as_view(), name="tournament-draw-api"),
]
