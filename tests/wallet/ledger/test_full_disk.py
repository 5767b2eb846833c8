"""With a full disk postings are rolled back; with free space they succeed again."""

import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest

from devtools.postgres import SUPERUSER
from tests.builders.processes.dying_processes import OPEN, POST, assert_nothing_lost

pytestmark = [pytest.mark.process, pytest.mark.soak, pytest.mark.timeout(1_200)]

MB = 1024 * 1024
# What a file may hold: a segment of PostgreSQL's log, which it makes at its full length.
SEGMENT = 16 * MB
WRITERS = 4
REFUSALS = 25
FILL = """SELECT count(ledger_post('fill:' || n, 'adjustment', %s, ARRAY[-1, 1],
    ARRAY[NULL, NULL]::text[], '{}', repeat('x', 200), repeat('y', 60), NULL, gen_random_uuid()))
    FROM generate_series(%s::int, %s::int) AS n"""
AT_ONCE = 250


def start_anew(installation, *, files_hold=resource.RLIM_INFINITY):
    """Start the server again; it and its children write no file beyond so many bytes.

    Writes then fail like on a full disk: the file cannot grow.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (files_hold, before[1]))  # Children inherit it.
    try:
        installation.start()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def open_accounts(connection, number):
    kinds = ("suspense", "gateway_clearing")
    return [connection.execute(OPEN, [kind, number]).fetchone()[0] for kind in kinds]


def fill(installation):
    """Post until the transfers are nearly as much as one file may hold; return their keys."""
    posted = 0
    with installation.connect() as connection:
        accounts = open_accounts(connection, 0)
        size = "SELECT pg_relation_size('wallet_transfer')"
        while connection.execute(size).fetchone()[0] < SEGMENT - MB:
            connection.execute(FILL, [accounts, posted + 1, posted + AT_ONCE])
            posted += AT_ONCE
        return dict.fromkeys((f"fill:{n}" for n in range(1, posted + 1)), accounts)


def write_until_refused(installation, number, acknowledged, asked):
    """Post until the server has refused so often, or is gone; return its messages."""
    shown = []
    try:
        with installation.connect() as connection:
            accounts = open_accounts(connection, number)
            while len(shown) < REFUSALS:
                key = f"full:{uuid4()}"
                asked[key] = accounts
                try:
                    connection.execute(POST, [key, accounts])
                    acknowledged.add(key)
                except psycopg.Error as error:
                    shown.append(str(error))
                    if connection.broken:
                        break
    except psycopg.Error as error:
        shown.append(str(error))
    return shown


def write_in_vain(installation, acknowledged, asked):
    with ThreadPoolExecutor(WRITERS) as pool:
        work = [
            pool.submit(write_until_refused, installation, number, acknowledged, asked)
            for number in range(1, WRITERS + 1)
        ]
        return [words for one in work for words in one.result(600)]


def test_tables_that_cannot_grow_take_no_half_of_a_posting(installation):
    asked = fill(installation)
    acknowledged = set(asked)
    installation.die(signal.SIGINT)
    start_anew(installation, files_hold=SEGMENT)

    shown = write_in_vain(installation, acknowledged, asked)

    assert len(shown) == WRITERS * REFUSALS
    assert all("could not extend file" in words for words in shown), set(shown)
    installation.die(signal.SIGINT)
    start_anew(installation)
    assert_nothing_lost(installation, acknowledged, asked)


def test_a_log_that_cannot_grow_stops_the_server_and_loses_nothing(installation):
    """Without its log PostgreSQL gives up at once; what it had acknowledged is there again."""
    acknowledged, asked = set(), {}
    with installation.connect() as connection:
        accounts = open_accounts(connection, 0)
        for number in range(50):
            asked[f"before:{number}"] = accounts
            connection.execute(POST, [f"before:{number}", accounts])
            acknowledged.add(f"before:{number}")
    with psycopg.connect(host=installation.data.run, user=SUPERUSER, dbname="rummy") as superuser:
        superuser.execute("SELECT pg_switch_wal()")  # From the beginning of a segment.
    installation.die(signal.SIGINT)
    start_anew(installation, files_hold=2 * MB)

    shown = write_in_vain(installation, acknowledged, asked)

    assert len(acknowledged) > 50
    assert shown
    installation.die(signal.SIGQUIT)
    start_anew(installation)
    assert_nothing_lost(installation, acknowledged, asked)
