"""Redis with Sentinels: all users of Redis continue with the new master."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from config.serving import brokers
from core.redis import servers
from devtools import stack
from devtools.children import stop_children
from tables.models.tables import Heartbeat, Table
from tables.settlement.models import Result
from tables.state.deadlines import SWEEP
from tests.builders.processes.sentinels import WatchedValkeys
from tests.builders.processes.waiting import until
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import hand_of, move, reread
from tests.builders.tables.sockets import game_with_a_socket, play_until_heard
from wallet.ledger.models import Transfer

SWEEPS = Heartbeat.objects.filter(name=SWEEP)


@pytest.fixture
def valkeys(tmp_path):
    watched = WatchedValkeys(tmp_path)
    yield watched
    watched.stop()


@pytest.fixture
def workers(tmp_path, test_database, monkeypatch, valkeys):
    """Worker, clock and beat on the test's database and the watched Valkeys."""
    for name, value in (test_database | {"REDIS_URL": valkeys.url}).items():
        monkeypatch.setenv(name, value)
    children = [
        stack.start_worker("settle,bots", tmp_path / "worker.log", threads=2),
        stack.start_worker("clock", tmp_path / "clock.log", threads=1),
        stack.start_beat(tmp_path / "beat", tmp_path / "beat.log"),
    ]
    yield children
    stop_children(children)


@pytest.mark.parametrize(
    "url", ["sentinel://one", "sentinel:///main", "sentinel://one:x/main", "sentinel://a b/main"]
)
def test_sentinels_that_cannot_be_read_stop_the_start(monkeypatch, url):
    monkeypatch.setenv("REDIS_URL", url)

    with pytest.raises(ImproperlyConfigured, match=r"^REDIS_URL: ") as refused:
        brokers.redis_url()

    assert url not in str(refused.value)


def test_a_password_is_for_the_master_and_a_database_for_all():
    url = "sentinel://player:s%40crt@one,[::1]:26380/main/2"

    assert servers.Sentinels.parse(url).login == {
        "db": 2,
        "username": "player",
        "password": "s@crt",
    }
    assert brokers.celery_url(url) == (
        "sentinel://player:s%40crt@one:26379/2;sentinel://player:s%40crt@[::1]:26380/2"
    )
    assert brokers.celery_options(url)["master_name"] == "main"


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.timeout(120)
@pytest.mark.soak
def test_client_connects_to_the_next_master(valkeys):
    client = servers.client(valkeys.url, socket_timeout=1, socket_connect_timeout=1)
    client.set("key", "before")
    client.wait(1, 1_000)

    valkeys.kill_master()
    until(lambda: _sets(client))

    assert client.get("key") == b"after"
    assert redis.Redis(port=valkeys.replica_port).get("key") == b"after"


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.timeout(240)
@pytest.mark.django_db(transaction=True)
def test_game_is_paid_once_after_a_failover_of_the_master(valkeys, workers):
    table = make_game(players=2, rules=make_rules(**SUDDEN))
    until(SWEEPS.exists)

    valkeys.kill_master()
    lost_at = timezone.now()
    play_to_the_last_deal(table)
    until(lambda: reread(table).phase == Table.Phase.FINISHED)
    until(lambda: SWEEPS.filter(beat_at__gt=lost_at).exists())

    assert [child.poll() for child in workers] == [None, None, None]
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert list(Result.objects.values_list("place", "prize_minor")) == [(1, 180_00), (2, 0)]
    assert reread(table).escrow.balance_minor == 0


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.timeout(120)
@pytest.mark.django_db(transaction=True)
@pytest.mark.soak
async def test_open_socket_receives_moves_after_a_failover(valkeys, settings):
    layer: Any = settings.CHANNEL_LAYERS["default"]
    hosts = [brokers.channel_host(valkeys.url)]
    settings.CHANNEL_LAYERS = {"default": layer | {"CONFIG": {"hosts": hosts}}}
    table, socket = await game_with_a_socket()

    await sync_to_async(valkeys.kill_master)()
    await sync_to_async(move)(table, 1, f"x {(await sync_to_async(hand_of)(table, 1))[-1]}")

    await play_until_heard(socket, table, turns=40)
    await socket.hang_up()


def _sets(client: redis.Redis) -> bool:
    try:
        return bool(client.set("key", "after"))
    except redis.RedisError:
        return False
