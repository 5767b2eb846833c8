"""The command `demo`: it starts, keeps its data, stops completely and prints single lines."""

import json
import os
import signal
import socket
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.environment import push_contact, push_key
from core.db.binaries import CannotStart
from core.db.made_by import REBUILT
from devtools.children import Fork, stop_children
from devtools.datadir import DataDir
from devtools.demo import Demo
from devtools.postgres import DATABASE, OWNER_ROLE, start_postgres
from tests.builders.people.push_service import PUSH_KEY
from tests.builders.processes.product import PUBLIC_TEMP, RunningDemo, run, wait_until_gone
from tests.cluster import lay_migrated


def programs_of(pids: set[int]) -> list[str]:
    """Return the names of the site's processes among these, sorted."""
    names = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids]
    return sorted(name for name in names if name in {"beat", "clock", "prepare", "web", "worker"})


@pytest.fixture
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rummy-demo-", dir=PUBLIC_TEMP) as directory:
        yield Path(directory)


pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


@pytest.mark.extended
@pytest.mark.soak
def test_a_demo_that_was_killed_leaves_nothing_and_starts_again_with_its_data(data):
    lay_migrated(data)
    first = RunningDemo(data)
    password = first.password
    pids = first.processes()
    assert len(pids) > 6  # Web, workers, beat and two servers, or this test proves nothing.

    first.stop(signal.SIGKILL)

    assert wait_until_gone(pids) == set()
    second = RunningDemo(data)
    try:
        assert second.password == password
        with urllib.request.urlopen(second.url) as page:
            assert page.status == 200
        pids = second.processes()
    finally:
        second.stop(signal.SIGINT)
    assert second.process.returncode == 0
    assert wait_until_gone(pids) == set()


@pytest.mark.extended
def test_demo_whose_data_other_sources_made_is_rebuilt_with_sample_data_and_its_password(data):
    lay_migrated(data)
    first = RunningDemo(data)
    try:
        assert programs_of(first.processes()) == ["beat", "clock", "web", "worker"]
        emails = players(data)
        password = first.password
        _ask(data, "UPDATE players_user SET handle = 'of_before' WHERE email = 'asha@example.com'")
        _ask(data, "UPDATE core_schemahash SET hash = 'of other sources'")
    finally:
        first.stop(signal.SIGINT)

    second = RunningDemo(data)
    try:
        lines = [line for line in second.greeting.splitlines() if line == REBUILT]
        assert lines == [REBUILT]
        assert second.password == password
        assert players(data) == emails
        assert len(emails) == 3
        assert _ask(data, "SELECT FROM players_user WHERE handle = 'of_before'") == []
        with urllib.request.urlopen(second.url) as page:
            assert page.status == 200
    finally:
        second.stop(signal.SIGINT)


@pytest.mark.extended
def test_demo_on_a_database_of_other_sources_that_is_no_demo_s_is_refused_in_one_line(data):
    lay_migrated(data)
    data_dir = DataDir(data)
    data_dir.prepare()
    with data_dir.lock():
        server, url = start_postgres(data_dir, durable=False)
        with psycopg.connect(url) as database:
            database.execute("UPDATE core_schemahash SET hash = 'of other sources'")
        stop_children([server], signal.SIGINT)

    done = run("demo", "--port", "0", "--data-dir", str(data))

    assert_refused_in_one_line(done, "manage.py backup", str(data))


def players(data):
    asked = "SELECT email FROM players_user WHERE email IS NOT NULL ORDER BY email"
    return [email for (email,) in _ask(data, asked)]


def _ask(data, statement):
    """Execute a statement on a running demo's database as its owner."""
    with psycopg.connect(host=str(DataDir(data).run), user=OWNER_ROLE, dbname=DATABASE) as database:
        cursor = database.execute(statement)
        return cursor.fetchall() if cursor.description else []


def broken_cluster(data):
    (data / "pg").mkdir()
    (data / "pg" / "PG_VERSION").write_text("nonsense\n")
    (data / "deal-key.secret").write_text("a key that is not lost")


@pytest.mark.extended
@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        pytest.param(broken_cluster, "Move that directory away", id="broken"),
        pytest.param(lambda data: (data / "pg").mkdir(), "deal-key.secret is missing", id="no key"),
        *[
            pytest.param(lambda data, name=name: (data / name).mkdir(), name, id=name)
            for name in ("lock", "servers.draft", "demo-password.secret")
        ],
    ],
)
def test_a_data_directory_that_cannot_be_used_is_refused_in_one_line(data, prepare, said):
    prepare(data)
    had_no_cluster = not (data / "pg").exists()

    done = run("demo", "--port", "0", "--data-dir", str(data))

    assert_refused_in_one_line(done, said)
    # A server that was started for it was stopped.
    assert not had_no_cluster or not (data / "pg" / "postmaster.pid").exists()


@pytest.mark.extended
@pytest.mark.skipif(os.geteuid() != 0, reason="only root's PostgreSQL has another user")
def test_a_directory_that_the_server_cannot_reach_is_refused_in_one_line(data):
    data.chmod(0o700)

    done = run("demo", "--port", "0", "--data-dir", str(data / "deeper"))

    assert_refused_in_one_line(done, "that all users may traverse")


@pytest.mark.extended
def test_a_port_in_use_is_refused_in_one_line(data):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("demo", "--port", str(taken.getsockname()[1]), "--data-dir", str(data))

    assert_refused_in_one_line(done, "choose another with --port")


def assert_refused_in_one_line(done, *parts):
    assert done.returncode == 1
    assert done.stderr.strip().count("\n") == 0
    assert [part for part in parts if part not in done.stderr] == []


@pytest.mark.extended
def test_a_port_out_of_range_is_refused(data):
    done = run("demo", "--port", "99999", "--data-dir", str(data))

    assert done.returncode == 2
    assert "0 to 65535" in done.stderr


@pytest.mark.extended
def test_check_plays_a_pool_to_the_payout_and_its_audit_is_clean():
    done = run("demo", "--check")

    report = json.loads(done.stdout.strip().splitlines()[-1])
    assert (done.returncode, report["ok"], report["audit"]) == (0, True, "clean"), done.stderr
    assert (report["games"], report["escrow_left_minor"]) == (1, 0)
    assert report["moves"] > 20


def test_demo_keeps_its_push_key_and_prefers_the_operators(data, monkeypatch):
    for name in ("PUSH_PRIVATE_KEY", "PUSH_CONTACT"):
        monkeypatch.delenv(name, raising=False)
    demo = Demo(host="127.0.0.1", port=1, data=DataDir(data), sample_data=())

    made = []
    for _start in range(2):
        monkeypatch.delenv("PUSH_PRIVATE_KEY", raising=False)
        demo._set_push_keys()
        made.append((push_key(), push_contact()))
    monkeypatch.setenv("PUSH_PRIVATE_KEY", PUSH_KEY)
    demo._set_push_keys()

    assert made[0] == made[1]
    assert made[0][0] not in ("", PUSH_KEY)
    assert push_key() == PUSH_KEY


@pytest.mark.parametrize(
    ("code", "reported"),
    [(-9, "The web process was ended: Killed"), (1, "ended by itself: The port is taken")],
)
def test_end_of_a_process_is_reported_with_its_signal_or_its_last_line(tmp_path, code, reported):
    demo = Demo(host="127.0.0.1", port=1, data=DataDir(tmp_path), sample_data=())
    demo.data.log.mkdir(parents=True)
    (demo.data.log / "web.log").write_text("The port is taken\n")
    ended = Fork("web", lambda: None, log=demo.data.log / "fork.log")
    ended.wait(timeout=20)
    ended.returncode = code
    demo.processes = {"web": ended}

    with pytest.raises(CannotStart, match=reported):
        demo.supervise()
