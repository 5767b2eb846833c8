from django.urls import URLPattern, URLResolver, include, path

from tournaments.leagues.urls import api_urlpatterns as leagues_api
from tournaments.lobby import api, pages

urlpatterns = [
    path("", pages.TournamentListView.as_view(), name="tournaments"),
    path("leagues/", include("tournaments.leagues.urls")),
    path("ready/", pages.ReadyView.as_view(), name="tournament-ready"),
    path("<uuid:tournament_id>/", pages.TournamentView.as_view(), name="tournament"),
    path(
        "<uuid:tournament_id>/standings/",
        pages.StandingsView.as_view(),
        name="tournament-standings",
    ),
    path("<uuid:tournament_id>/draw/", pages.DrawView.as_view(), name="tournament-draw"),
    path(
        "<uuid:tournament_id>/rounds/<int:no>/", pages.RoundView.as_view(), name="tournament-round"
    ),
    path(
        "<uuid:tournament_id>/register/", pages.RegisterView.as_view(), name="tournament-register"
    ),
    path(
        "<uuid:tournament_id>/withdraw/", pages.WithdrawView.as_view(), name="tournament-withdraw"
    ),
    path("<uuid:tournament_id>/re-enter/", pages.ReenterView.as_view(), name="tournament-reenter"),
    path("<uuid:tournament_id>/add-on/", pages.AddOnView.as_view(), name="tournament-add-on"),
    path("<uuid:tournament_id>/check-in/", pages.CheckInView.as_view(), name="tournament-check-in"),
    path(
        "<uuid:tournament_id>/come-back/",
        pages.ComeBackView.as_view(),
        name="tournament-come-back",
    ),
]
api_urlpatterns: list[URLPattern | URLResolver] = [
    path("", api.TournamentsView.as_view(), name="tournaments-api"),
    path("leagues/", include(leagues_api)),
    path("<uuid:tournament_id>/", api.TournamentDetailView.as_view(), name="tournament-api"),
    path("<uuid:tournament_id>/entry/", api.MyEntryView.as_view(), name="tournament-entry-api"),
    path(
        "<uuid:tournament_id>/entry/check-in/",
        api.CheckInView.as_view(),
        name="tournament-check-in-api",
    ),
    path(
        "<uuid:tournament_id>/entry/re-entry/",
        api.ReentryView.as_view(),
        name="tournament-reentry-api",
    ),
    path(
        "<uuid:tournament_id>/entry/add-on/",
        api.AddOnView.as_view(),
        name="tournament-add-on-api",
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
