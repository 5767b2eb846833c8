"""The Celery application, its beat, and a Redis transport that reconnects after Redis was lost.

Queues and schedule are in settings. A worker that lost its connection still holds messages of the
closed channel, and later returns or acknowledges one. kombu 5.7 then asks the closed transport for
its address, and the worker ends with an `AttributeError` instead of reconnecting.
"""

import os
from functools import cached_property
from typing import Any

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES, redis
from redis.exceptions import ConnectionError as RedisGone

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# At each start of a worker Celery would run Django's checks, which import every page and the admin,
# and ignore their result. `migrate` and `make check` run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")


class OutlivingChannel(redis.Channel):
    # No work is lost: it is stored in rows, and periodic sweeps find them.
    do_restore = False

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        """Refuse a closed channel with an error after which the worker reconnects."""
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


# Register the transports under their URL schemes.
for scheme in ("redis", "rediss"):
    TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
TRANSPORT_ALIASES["sentinel"] = f"{__name__}:SentinelTransport"


class Rummy(Celery):
    @cached_property
    def Beat(self) -> type:  # noqa: N802  Celery's name.
        """The program of `celery beat`."""
        return self.subclass_with_self("config.serving.beat:Beat")  # type: ignore[arg-type]


app = Rummy("rummy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
