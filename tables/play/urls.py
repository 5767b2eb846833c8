"""Addresses of a table: its page, its part of the API and its socket."""

from typing import Any

from django.urls import URLPattern, path, re_path

from tables.play import api, pages, stacks_api, stream, windows_api
from tables.play.consumers import TableConsumer

TABLE = "tables/<uuid:table_id>/"


async def refuse_unknown(scope: Any, receive: Any, send: Any) -> None:
    """Close the handshake (403) at an address without a socket, where channels would raise."""
    await receive()
    await send({"type": "websocket.close"})


urlpatterns = [
    path(TABLE, pages.TableView.as_view(), name="table"),
    path(f"{TABLE}join/", pages.JoinView.as_view(), name="table-join"),
    path(f"{TABLE}leave/", pages.LeaveView.as_view(), name="table-leave"),
]
api_urlpatterns = [
    path(f"{TABLE}moves/", api.MovesView.as_view()),  # First: see config.urls.
    path("tables/stream/", stream.StreamView.as_view(), name="games-stream"),
    path(TABLE, api.TableDetailView.as_view(), name="table-api"),
    path(f"{TABLE}public/", api.PublicTableView.as_view(), name="table-api-public"),
    path(f"{TABLE}open-pile/", api.OpenPileView.as_view()),
    path(f"{TABLE}seats/", api.SeatsView.as_view()),
    path(f"{TABLE}seats/mine/", api.MySeatView.as_view()),
    path(f"{TABLE}groups/", api.GroupsView.as_view()),
    path(f"{TABLE}phrases/", api.PhrasesView.as_view()),
    path(f"{TABLE}arrangement/", api.ArrangementView.as_view()),
    path(f"{TABLE}top-up/", stacks_api.TopUpView.as_view()),
    path(f"{TABLE}sit-out/", stacks_api.SitOutView.as_view()),
    path(f"{TABLE}come-back/", stacks_api.ComeBackView.as_view()),
    path(f"{TABLE}windows/<uuid:window_id>/answer/", windows_api.AnswerView.as_view()),
    path(f"{TABLE}split/", windows_api.SplitView.as_view()),
    path(f"{TABLE}ready/", windows_api.ReadyView.as_view()),
]
websocket_urlpatterns: list[URLPattern] = [
    path("ws/tables/<uuid:table_id>/", TableConsumer.as_asgi()),
    re_path("", refuse_unknown),  # type: ignore[arg-type]
]
