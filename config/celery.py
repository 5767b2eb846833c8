"""The Celery application, and a Redis transport that outlives its Redis.

Queues and schedule are in settings. A worker that lost its connection still holds messages of the
closed channel, and sooner or later gives one back or acknowledges it. kombu 5.7 asks the closed
transport for its address then, and the worker ends with an `AttributeError` instead of connecting
again.
"""

import os
from typing import Any

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES, redis
from redis.exceptions import ConnectionError as RedisGone

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class OutlivingChannel(redis.Channel):
    # Nothing is lost: the rows say what is left to do, and the sweeps look.
    do_restore = False

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        """Refuse a closed channel with an error that the worker knows how to outlive."""
        if self.connection is None or self.connection.client is None:
            raise RedisGone("the channel was closed with its connection")
        connection: dict[str, Any] = super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]  # Not in its stubs.
        return connection


class SentinelChannel(OutlivingChannel, redis.SentinelChannel):
    pass


class Transport(redis.Transport):
    Channel = OutlivingChannel


class SentinelTransport(redis.SentinelTransport):
    Channel = SentinelChannel


# What `redis://`, `rediss://` and `redis+socket://` mean from here on.
for scheme in ("redis", "rediss"):
    TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
TRANSPORT_ALIASES["sentinel"] = f"{__name__}:SentinelTransport"

app = Celery("rummy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
