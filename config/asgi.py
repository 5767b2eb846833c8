"""The ASGI application: pages, API and the tables' sockets on one port."""

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

# The limit by address comes first: a refused socket then costs no session query.
of_players = SocketPlayer(
    SocketCap(URLRouter(websocket_urlpatterns), player_of, "SOCKETS_PER_PLAYER")
)
sockets = SocketCap(of_players, address_of, "SOCKETS_PER_ADDRESS")
application = ProtocolTypeRouter(
    {"http": http, "websocket": OwnOriginSocket(sockets)},
)

# Exclude the objects loaded so far from garbage collection.
gc.collect()
gc.freeze()
