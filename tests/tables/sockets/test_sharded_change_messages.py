"""Change messages on several Redis servers: each table uses one of them."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
import redis
from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured

from config.serving import brokers
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.valkey import start_valkey
from tables.sockets import broadcaster
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import seat_at
from tests.builders.tables.sockets import connect, draw, next_view


@pytest.fixture
def valkeys():
    """Yield two servers: the process of each by its URL."""
    data = [throwaway_datadir() for _ in range(2)]
    locks, running = [], {}
    for each in data:
        each.prepare()
        locks.append(each.lock())
        process, url = start_valkey(each)
        running[url] = process
    yield running
    stop_children(list(running.values()))
    for each, lock in zip(data, locks, strict=True):
        each.remove()
        lock.close()


def heard_by(url):
    """Return the tables with subscribers at this server."""
    channels = redis.Redis.from_url(url).pubsub_channels("*table.*")
    return {name.decode().partition("table.")[2] for name in channels}


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.django_db(transaction=True)
async def test_change_messages_of_a_table_use_one_server_and_a_lost_server_affects_no_other(
    valkeys, settings, monkeypatch
):
    # Changes are shown only after a change message.
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 3_600)
    layer: Any = settings.CHANNEL_LAYERS["default"]
    hosts = [brokers.channel_host(url) for url in valkeys]
    settings.CHANNEL_LAYERS = {"default": layer | {"CONFIG": {"hosts": hosts}}}
    sockets, tables = {}, {}
    while not all(map(heard_by, valkeys)):
        table = await sync_to_async(make_game)(players=2)
        seats = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
        name = table.public_id.hex
        sockets[name], tables[name] = await connect(table.public_id, seats[1].player), seats[0]

    at_first, at_second = [heard_by(url) for url in valkeys]
    lost = next(iter(valkeys.values()))
    os.kill(lost.pid, signal.SIGKILL)
    await sync_to_async(lost.wait)()
    for name in (*at_first, *at_second):
        before = await next_view(sockets[name])
        await sync_to_async(draw)(tables[name], before["version"])
        if name in at_second:
            assert (await next_view(sockets[name]))["version"] == before["version"] + 1
    for socket in sockets.values():
        await socket.hang_up()

    assert at_first.isdisjoint(at_second)
    assert at_first | at_second == sockets.keys()


def test_change_messages_go_to_redis_unless_servers_are_named(monkeypatch):
    assert brokers.hint_urls("redis://one") == ["redis://one"]

    monkeypatch.setenv("CHANGE_MESSAGE_URLS", "redis://two:6379/0  sentinel://three,four/hints/0")

    assert brokers.hint_urls("redis://one") == [
        "redis://two:6379/0",
        "sentinel://three,four/hints/0",
    ]


@pytest.mark.parametrize("url", ["http://two", "sentinel://:secret@two"])
def test_invalid_change_message_url_is_refused_without_its_password(monkeypatch, url):
    monkeypatch.setenv("CHANGE_MESSAGE_URLS", f"redis://one {url}")

    with pytest.raises(ImproperlyConfigured, match=r"^CHANGE_MESSAGE_URLS: number 2") as refused:
        brokers.hint_urls("redis://one")

    assert "secret" not in str(refused.value)
