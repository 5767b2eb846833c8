from django.urls import path

from tournaments.lobby import pages as views

urlpatterns = [
    path("", views.TournamentListView.as_view(), name="tournaments"),
    path("ready/", views.ReadyView.as_view(), name="tournament-ready"),
    path("<uuid:tournament_id>/", views.TournamentView.as_view(), name="tournament"),
    path(
        "<uuid:tournament_id>/standings/",
        views.StandingsView.as_view(),
        name="tournament-standings",
    ),
    path("<uuid:tournament_id>/draw/", views.DrawView.as_view(), name="tournament-draw"),
    path(
        "<uuid:tournament_id>/rounds/<int:no>/", views.RoundView.as_view(), name="tournament-round"
    ),
    path(
        "<uuid:tournament_id>/register/", views.RegisterView.as_view(), name="tournament-register"
    ),
    path(
        "<uuid:tournament_id>/withdraw/", views.WithdrawView.as_view(), name="tournament-withdraw"
    ),
    path("<uuid:tournament_id>/check-in/", views.CheckInView.as_view(), name="tournament-check-in"),
    path(
        "<uuid:tournament_id>/come-back/",
        views.ComeBackView.as_view(),
        name="tournament-come-back",
    ),
]
