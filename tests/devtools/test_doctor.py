"""`make doctor` names what is missing on a machine, and `make help` what can be made."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

from tests.builders.processes.product import CHECKOUT, environment


def doctor(*arguments, **variables):
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", *arguments],
        cwd=CHECKOUT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


def test_a_machine_with_only_python_has_all_required_dependencies():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    status, said = doctor("--port", str(port), PATH="/nowhere")

    assert status == 0
    assert re.search(r"^ok +postgres \(PostgreSQL\) \d+\.\d+ is installed in", said, re.MULTILINE)
    assert re.search(r"^ok +Valkey server v=\d.* is installed in", said, re.MULTILINE)
    assert re.search(rf"^ok +port {port} is free$", said, re.MULTILINE)
    without = [line for line in said.splitlines() if line.startswith("without")]
    assert [line.split()[1] for line in without] == [
        "chromium",
        "pgbouncer",
        "nginx",
        "hledger",
        "ledger",
        "promtool",
        "kubectl",
    ]
    assert "apt install chromium" in without[0]
    assert "apt install prometheus" in without[5]


def test_unavailable_servers_and_missing_settings_are_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, said = doctor(
            "--port",
            str(taken.getsockname()[1]),
            DATABASE_URL="postgres://127.0.0.1:1/rummy",
            REDIS_URL="redis://127.0.0.1:1",
            RUMMY_EPHEMERAL="0",
        )

    assert status == 1
    missing = [line.split(maxsplit=1)[1] for line in said.splitlines() if "missing" in line]
    assert len(missing) == 4
    settings, postgres, redis, port = missing
    assert settings == "Set the SECRET_KEY environment variable"
    assert "port 1 failed" in postgres
    assert "127.0.0.1:1" in redis
    assert "is in use" in port


def test_make_help_lists_every_target():
    said = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    phony = re.search(r"^\.PHONY: (.+)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)

    assert phony
    assert {line.split()[1] for line in said.splitlines()} == set(phony[1].split())
