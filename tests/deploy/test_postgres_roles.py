"""The script creates the database logins that `check --deploy` requires."""

import os
import re
import signal
import subprocess
import sys
from urllib.parse import quote

import psycopg
import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from config import databases
from core.db.binaries import reachable_binaries
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.postgres import start_postgres
from tests.builders.processes.logins import KINDS
from tests.builders.processes.product import CHECKOUT

SCRIPT = (CHECKOUT / "deploy" / "postgres-roles.sh").read_text()
PAGE = (CHECKOUT / "docs" / "operators" / "servers.md").read_text()
LIMITS = re.compile(r"'ALTER ROLE rummy_%1\$s SET (\w+) = ''(\w+)'''")


def test_limits_of_the_script_are_those_of_the_settings():
    in_script = dict(LIMITS.findall(SCRIPT))

    assert {name: in_script[name] for name in databases.LIMITS} == databases.LIMITS


def test_servers_page_passes_every_password_that_the_script_needs():
    needed = set(re.findall(r'"\$(\w+)"', SCRIPT))

    assert len(needed) == 4
    assert needed == set(re.findall(r"\b([A-Z]+_PASSWORD)=", PAGE))
    assert "sh deploy/postgres-roles.sh" in PAGE


def test_script_grants_the_advisory_locks_that_the_application_takes():
    apps = ("players", "wallet", "tables", "tournaments", "finance", "staff")
    sources = [path.read_text() for app in apps for path in (CHECKOUT / app).rglob("*.py")]
    taken = {name for source in sources for name in re.findall(r"\bpg_advisory_xact\w+", source)}
    [granted] = re.findall(
        r"^GRANT EXECUTE ON FUNCTION (pg_adv[^;]+?)"
        r"\s+TO rummy_app, rummy_app_web, rummy_app_settle;",
        SCRIPT,
        re.MULTILINE,
    )

    assert taken == set(re.findall(r"pg_advisory_\w+", granted))
    assert not [name for source in sources for name in re.findall(r"\bpg_advisory_lock", source)]


@pytest.fixture
def fresh_server():
    """Start a PostgreSQL server with an empty database and only its superuser."""
    data = throwaway_datadir()
    data.prepare()
    process, _ = start_postgres(data, durable=False)
    try:
        there = {"host": str(data.run), "user": "postgres", "dbname": "postgres"}
        with psycopg.connect(**there, autocommit=True) as superuser:
            superuser.execute("DROP DATABASE rummy")
            superuser.execute("DROP OWNED BY rummy_owner")
            superuser.execute("DROP ROLE rummy_owner")
            superuser.execute("CREATE DATABASE rummy")
        yield str(data.run)
    finally:
        stop_children([process], signal.SIGINT)
        data.remove()


def manage(directory, *arguments, **login):
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RUMMY_", "DATABASE_", "DJANGO_"))
    }
    key = Fernet.generate_key().decode()
    environment |= {"SECRET_KEY": "long enough for a key of a deployment that lasts " * 2}
    environment |= {"DEAL_KEYS": key, "PAYEE_KEYS": key, "DATABASE_ROLE": ""}
    environment |= {"IDENTITY_KEYS": key, "EMAIL_URL": "smtp://localhost"}
    environment |= {"REDIS_URL": settings.REDIS_URL, "HTTPS": "1"}
    environment |= {
        name: f"postgres://{user}@/rummy?host={quote(directory)}" for name, user in login.items()
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.extended
@pytest.mark.timeout(300)
@pytest.mark.soak
def test_the_logins_of_compose_migrate_and_pass_check_deploy(fresh_server):
    script = ["sh", str(CHECKOUT / "deploy" / "postgres-roles.sh")]
    passwords = {"OWNER_PASSWORD": "o'wner", "WEB_PASSWORD": "w eb"}
    passwords |= {"SETTLE_PASSWORD": "se'ttle", "INTAKE_PASSWORD": "in;take"}
    path = f"{reachable_binaries()}:{os.environ['PATH']}"
    environment = os.environ | passwords | {"PGHOST": fresh_server, "PATH": path}
    subprocess.run(script, env=environment, check=True, capture_output=True)

    both = {"DATABASE_URL": "rummy_web", "DATABASE_OWNER_URL": "rummy_owner"}
    migrated = manage(fresh_server, "migrate", **both)
    checks = [
        manage(fresh_server, "check", "--deploy", **both | {"DATABASE_URL": f"rummy_{kind}"})
        for kind in KINDS
    ]
    confused = manage(fresh_server, "check", "--deploy", DATABASE_URL="rummy_owner")

    assert migrated.returncode == 0, migrated.stderr
    for checked in checks:
        assert checked.returncode == 0, checked.stderr
        assert not re.search(r"config\.(E01|E040|W01)", checked.stderr), checked.stderr
    with psycopg.connect(host=fresh_server, user="rummy_web", dbname="rummy") as login:
        login.execute("SELECT pg_advisory_xact_lock(1, 2), pg_advisory_xact_lock_shared(1, 2)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            login.execute("SELECT pg_advisory_lock(1, 2)")
    assert confused.returncode == 1
    assert "config.E011" in confused.stderr
