"""Redis is killed during a game: workers reconnect, and pending work is found in the rows."""

import os
import signal
import subprocess
import sys
from uuid import uuid4

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from config.celery import app
from core.db.binaries import CHECKOUT
from devtools import stack
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.valkey import start_valkey
from tables.models.deals import Deal, Move
from tables.models.seats import Score
from tables.models.tables import Heartbeat, Table
from tables.settlement.models import Result
from tables.state import clock
from tables.state.deadlines import SWEEP
from tests.builders.processes.waiting import until
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import hand_of, move, reread, run_out, seat_at
from tests.builders.tables.sockets import game_with_a_socket, play_until_heard
from wallet.audit.audit import row_findings
from wallet.ledger.models import Entry, Transfer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
    pytest.mark.timeout(240),
]
# The beat's lease is also a heartbeat, but not one of the clock.
SWEEPS = Heartbeat.objects.filter(name=SWEEP)


@pytest.fixture
def redis():
    data = throwaway_datadir()
    data.prepare()
    lock = data.lock()
    running = []

    def start():
        process, url = start_valkey(data)
        running.append(process)
        return process, url

    yield start
    stop_children(running)
    data.remove()
    lock.close()


@pytest.fixture
def start_processes(tmp_path, test_database, monkeypatch):
    """Start worker, clock and beat on the test's database and a Redis of their own."""
    children = []

    def start(url):
        for name, value in (test_database | {"REDIS_URL": url}).items():
            monkeypatch.setenv(name, value)
        children.append(stack.start_worker("settle,bots", tmp_path / "worker.log", threads=2))
        children.append(stack.start_worker("clock", tmp_path / "clock.log", threads=1))
        children.append(stack.start_beat(tmp_path / "beat", tmp_path / "beat.log"))
        return children

    yield start
    stop_children(children)


@pytest.mark.extended
def test_game_continues_and_is_paid_once_after_redis_was_killed(redis, start_processes):
    process, url = redis()
    children = start_processes(url)
    table = make_game(players=2, rules=make_rules(**SUDDEN))
    until(SWEEPS.exists)

    kill(process)
    play_to_the_last_deal(table)
    assert reread(table).phase == Table.Phase.SETTLING
    redis()
    until(lambda: reread(table).phase == Table.Phase.FINISHED)

    assert [child.poll() for child in children] == [None, None, None]
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert list(Result.objects.values_list("place", "prize_minor")) == [(1, 180_00), (2, 0)]
    assert reread(table).escrow.balance_minor == 0
    assert row_findings() == ()


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.extended
async def test_an_open_socket_receives_moves_again_after_redis_was_killed(redis, settings):
    process, url = redis()
    settings.CHANNEL_LAYERS = {
        "default": settings.CHANNEL_LAYERS["default"]
        | {"CONFIG": {"hosts": [{"address": url, "socket_timeout": None}]}}
    }
    table, socket = await game_with_a_socket()

    os.kill(process.pid, signal.SIGKILL)
    await sync_to_async(process.wait)()
    await sync_to_async(move)(table, 1, f"x {(await sync_to_async(hand_of)(table, 1))[-1]}")
    redis()

    await play_until_heard(socket, table, turns=20)
    await socket.hang_up()


@pytest.fixture
def start_worker(tmp_path, test_database, monkeypatch):
    for name, value in test_database.items():
        monkeypatch.setenv(name, value)
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("settle")
    workers = []

    def start():
        workers.append(stack.start_worker("settle", tmp_path / "worker.log", threads=2))
        return workers[-1]

    yield start
    stop_children(workers)


def waits_for_a_lock(observer):
    waiting = observer.execute(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE '%ledger_%'"
    )
    return waiting.fetchone()[0] == 1


@pytest.mark.extended
def test_a_worker_killed_while_it_pays_leaves_a_deal_that_is_settled_once(
    test_database, start_worker
):
    table = make_game(players=2, rules=make_rules(**SUDDEN))
    deal = play_to_the_last_deal(table)
    settled_before = Score.objects.count()

    with (
        psycopg.connect(test_database["DATABASE_URL"]) as blocker,
        psycopg.connect(test_database["DATABASE_URL"], autocommit=True) as observer,
    ):
        escrow = table.escrow_account_id
        blocker.execute("SELECT 1 FROM wallet_account WHERE id = %s FOR UPDATE", [escrow])
        first = start_worker()
        # The scores are written, the prize is not: in mid-settlement.
        until(lambda: waits_for_a_lock(observer))
        os.kill(first.pid, signal.SIGKILL)
        first.wait()

        assert Score.objects.count() == settled_before
        assert reread(table).phase == Table.Phase.SETTLING

    start_worker()
    run_out(table)
    clock.sweep(now=timezone.now())
    until(lambda: reread(table).phase == Table.Phase.FINISHED)

    table = reread(table)
    assert table.deals.get(pk=deal.pk).status == Deal.Status.SETTLED
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert Entry.objects.filter(transfer__key=f"finish:{table.pk}", amount_minor=180_00).exists()
    assert list(Result.objects.values_list("place", "prize_minor")) == [(1, 180_00), (2, 0)]
    assert Score.objects.filter(deal=deal).count() == 2
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


DROP = """
import django, sys
django.setup()
from tables.play.actions import make_move
seat, move_id, version = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
accepted = make_move(seat=seat, move_id=move_id, text="drop", expected_version=version)
print(accepted.move.text)
"""


@pytest.mark.extended
def test_a_move_that_ends_a_deal_is_accepted_while_the_broker_is_away(test_database, tmp_path):
    table = make_game(players=2)
    seat = seat_at(table, 1)
    arguments = [str(seat.pk), str(uuid4()), str(table.version)]
    environment = test_database | {"REDIS_URL": f"unix://{tmp_path}/nobody.sock"}

    done = subprocess.run(
        [sys.executable, "-c", DROP, *arguments],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "p1 drop\n"), done.stderr
    assert Move.objects.get().text == "p1 drop"
    assert reread(table).phase == Table.Phase.SETTLING
