"""A socket at an address that no route knows is refused without a traceback."""

import pytest
from asgiref.sync import async_to_sync
from channels.routing import URLRouter

from tables.sockets.urls import websocket_urlpatterns


@pytest.mark.parametrize("address", ["/ws/tables/x/", "/ws/tables/%00/", "/ws/", "/"])
def test_an_unknown_address_is_refused(address):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": address}
    async_to_sync(URLRouter(websocket_urlpatterns))(scope, receive, send)

    assert sent == [{"type": "websocket.close"}]
