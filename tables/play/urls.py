"""URLs of a table: its page and its API."""

from django.urls import path

from tables.play import api, pages, seat_api

TABLE = "tables/<uuid:table_id>/"


urlpatterns = [
    path(TABLE, pages.TableView.as_view(), name="table"),
    path(f"{TABLE}join/", pages.JoinView.as_view(), name="table-join"),
    path(f"{TABLE}leave/", pages.LeaveView.as_view(), name="table-leave"),
]
api_urlpatterns = [
    path(f"{TABLE}moves/", api.MovesView.as_view()),  # First; see config.urls.
    path(TABLE, api.TableDetailView.as_view(), name="table-api"),
    path(f"{TABLE}public/", api.PublicTableView.as_view(), name="table-api-public"),
    path(f"{TABLE}open-pile/", api.OpenPileView.as_view()),
    path(f"{TABLE}seats/", api.SeatsView.as_view()),
    path(f"{TABLE}seats/mine/", api.MySeatView.as_view()),
    path(f"{TABLE}groups/", api.GroupsView.as_view()),
    path(f"{TABLE}phrases/", api.PhrasesView.as_view()),
    path(f"{TABLE}arrangement/", api.ArrangementView.as_view()),
    path(f"{TABLE}top-up/", seat_api.TopUpView.as_view()),
    path(f"{TABLE}sit-out/", seat_api.SitOutView.as_view()),
    path(f"{TABLE}come-back/", seat_api.ComeBackView.as_view()),
    path(f"{TABLE}windows/<uuid:window_id>/answer/", seat_api.AnswerView.as_view()),
    path(f"{TABLE}split/", seat_api.SplitView.as_view()),
    path(f"{TABLE}show-hands/", seat_api.ShowHandsView.as_view()),
    path(f"{TABLE}ready/", seat_api.ReadyView.as_view()),
]
