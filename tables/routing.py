"""Where the tables' sockets are found."""

from django.urls import URLPattern, path

from tables.consumers import TableConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/tables/<uuid:table_id>/", TableConsumer.as_asgi()),
]
