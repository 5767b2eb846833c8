"""Everything on one port: pages, API and the tables' sockets."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.asgi import get_asgi_application

# Loads the applications; what follows imports models.
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from core.http.own_origin import OwnOriginSocket  # noqa: E402
from players.sign_in.tokens.access import SocketPlayer  # noqa: E402
from tables.sockets.socket_limits import SocketCap, address_of, player_of  # noqa: E402
from tables.sockets.urls import websocket_urlpatterns  # noqa: E402

# By address first: a refused socket costs no look at its session.
of_players = SocketPlayer(
    SocketCap(URLRouter(websocket_urlpatterns), player_of, "SOCKETS_PER_PLAYER")
)
sockets = SocketCap(of_players, address_of, "SOCKETS_PER_ADDRESS")
application = ProtocolTypeRouter(
    {"http": http, "websocket": OwnOriginSocket(sockets)},
)

# What is loaded by now stays; no collection has to look at it again.
gc.collect()
gc.freeze()
