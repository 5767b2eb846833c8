"""URLs of a table's socket and of a player's stream of games."""

from typing import Any

from django.urls import URLPattern, path, re_path

from tables.sockets import stream
from tables.sockets.consumers import TableConsumer


async def refuse_unknown(scope: Any, receive: Any, send: Any) -> None:
    """Close the handshake (403) of an unknown address, for which channels would raise an error."""
    await receive()
    await send({"type": "websocket.close"})


api_urlpatterns = [path("tables/stream/", stream.StreamView.as_view(), name="games-stream")]
websocket_urlpatterns: list[URLPattern] = [
    path("ws/tables/<uuid:table_id>/", TableConsumer.as_asgi()),
    re_path("", refuse_unknown),  # type: ignore[arg-type]
]
