"""Rotation of the servers' secrets in a running installation (docs/operations.md)."""

import os
import re

import psycopg
import pytest
import redis

from tests.builders.processes.logins import where
from tests.builders.processes.product import CHECKOUT

OPERATIONS = (CHECKOUT / "docs" / "operations.md").read_text()
SECOND_LOGIN = re.search(r"```sql\n(CREATE ROLE rummy_web_b.*?)```", OPERATIONS, re.DOTALL)


@pytest.fixture
def server():
    """Return the tests' Redis and a user name that nothing else uses there."""
    there = redis.Redis.from_url(os.environ["REDIS_URL"])
    there.execute_command("ACL", "SETUSER", "rotated", "reset", "on", ">old", "~*", "+@all")
    yield there
    there.execute_command("ACL", "DELUSER", "rotated")


def signed_in(password):
    url = os.environ["REDIS_URL"]
    client = redis.Redis.from_url(url, username="rotated", password=password)
    client.ping()
    return client


def test_redis_takes_two_passwords_while_processes_are_rolled_over(server):
    before = signed_in("old")

    server.execute_command("ACL", "SETUSER", "rotated", ">new")
    rolled_over = signed_in("new")
    signed_in("old")
    server.execute_command("ACL", "SETUSER", "rotated", "<old")

    assert before.ping()  # Connections stay; only new ones ask.
    assert rolled_over.ping()
    with pytest.raises(redis.AuthenticationError):
        signed_in("old")


@pytest.mark.django_db
def test_a_second_login_of_the_database_may_what_the_first_may():
    statements = SECOND_LOGIN[1].replace("rummy_owner", "CURRENT_USER")
    with psycopg.connect(**where(), autocommit=True) as maker:
        maker.execute("DROP ROLE IF EXISTS rummy_web_b")
        try:
            maker.execute(statements)
            with psycopg.connect(**where(user="rummy_web_b")) as second:
                assert second.execute("SHOW lock_timeout").fetchone() == ("15s",)
                assert second.execute("SHOW statement_timeout").fetchone() == ("30s",)
                assert second.execute("SELECT count(*) FROM wallet_entry").fetchone() == (0,)
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    second.execute("UPDATE wallet_entry SET amount_minor = 1")
        finally:
            maker.execute("DROP ROLE IF EXISTS rummy_web_b")
