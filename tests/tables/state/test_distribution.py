"""Statements of a move and a settlement use one node of a cluster (ADR 9)."""

from datetime import timedelta
from random import Random
from uuid import uuid4

import pytest
import sqlparse
from django.db import connection, transaction
from django.utils import timezone

from config.checks.database import BECOMES_OWNER
from core.db.schema import sql_of
from tables.bots import bots
from tables.management.commands.distribute_tables import FILE
from tables.models.addresses import OF_DEAL, OF_SEAT
from tables.models.tables import Table
from tables.play import actions, answering
from tables.seats import presence, seating
from tables.settlement import scoring
from tables.settlement.models import Answer
from tables.state import clock
from tables.state.locks import lock_tables
from tests.builders.tables.crowd import People
from tests.builders.tables.distribution import KEYS, statements_seen, unplaced
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import reread, seat_at
from tests.builders.tables.pools import make_pool, score
from tests.builders.tables.straight_tables import straight_rules

pytestmark = pytest.mark.django_db(transaction=True)


# Asked once for each row in a process: whose table it is.
FINDERS = {OF_SEAT.sql, OF_DEAL.sql}
SERVICES = (
    (actions, "make_move"),
    (answering, "answer"),
    (answering, "propose_split"),
    (clock, "apply_overdue"),
    (scoring, "settle_deal"),
    (seating, "leave"),
)


def faults(seen):
    found = {sql: unplaced(sql) for sql in seen if sql not in FINDERS}
    return {f"{why}: {sql}" for sql, why in found.items() if why}


def test_the_rules_refuse_what_has_no_single_place():
    seats = "SELECT s.id FROM tables_seat s"

    assert unplaced(f"{seats} WHERE s.table_id = %s") == ""
    assert unplaced(f"{seats} WHERE s.id = %s") == "names no table for tables_seat"
    assert unplaced(f"{seats} WHERE s.table_id = %s OR s.id = %s") != ""
    assert unplaced(f"{seats} JOIN tables_deal d ON d.id = s.id WHERE s.table_id = %s") != ""
    joined = f"{seats} JOIN tables_deal d ON d.table_id = s.table_id WHERE d.table_id = %s"
    assert unplaced(joined) == ""
    there = "SELECT FROM tables_score c WHERE c.seat_id = s.id"
    assert unplaced(f"{seats} WHERE s.table_id = %s AND EXISTS ({there})") != ""
    there += " AND c.table_id = s.table_id"
    assert unplaced(f"{seats} WHERE s.table_id = %s AND EXISTS ({there})") == ""
    local = f"{seats} JOIN players_user u ON u.id = s.player_id WHERE s.table_id = %s"
    assert unplaced(local) == "joins players_user, which lies elsewhere"
    everywhere = f"{seats} JOIN players_playername u ON u.player_id = s.player_id"
    assert unplaced(f"{everywhere} WHERE s.table_id = %s") == ""
    assert unplaced("INSERT INTO tables_move (deal_id) VALUES (%s)") != ""
    assert unplaced("UPDATE tables_deal SET status = %s WHERE id = %s") != ""
    assert unplaced("UPDATE tables_deal SET status = %s WHERE table_id = %s AND id = %s") == ""
    assert len(KEYS) == 15


# Of unique keys of distributed tables and of their months, those that hold no key of distribution.
KEYLESS = """
    SELECT i.indexrelid::regclass::text FROM pg_index AS i
    LEFT JOIN pg_inherits AS h ON h.inhrelid = i.indrelid
    JOIN placed AS p ON p.name = coalesce(h.inhparent, i.indrelid)::regclass::text
    WHERE i.indisunique AND p.key IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = i.indrelid AND a.attname = p.key AND a.attnum = ANY (i.indkey))
"""
MONTHS = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'tables_move'::regclass"
# What the extension does instead, which is not here.
EXTENSION = """
    CREATE FUNCTION create_reference_table(name regclass) RETURNS void LANGUAGE sql AS '';
    CREATE FUNCTION create_distributed_table(name regclass, key text, colocate_with text DEFAULT '')
    RETURNS void LANGUAGE sql AS '';
"""


# The functions of the application's role, and whether they run as it; and where it may create any.
ITS_OWN = """
    SELECT proname, prosecdef FROM pg_proc WHERE proowner = 'rummy_app'::regrole ORDER BY proname
"""
MAY_CREATE = "SELECT has_schema_privilege('rummy_app', 'public', 'CREATE')"


@pytest.fixture
def distributed(owner):
    """Distribute the tables, as far as one server can, and act as the owner until it is undone."""
    with owner(), connection.cursor() as cursor:
        cursor.execute(EXTENSION)
        for statement in sqlparse.split(sql_of(FILE)):
            if "ALTER DATABASE" not in statement:  # Settings that belong to the extension.
                cursor.execute(statement)
        yield cursor


@pytest.mark.django_db
def test_distribution_leaves_no_unique_key_without_a_table_in_any_month(distributed):
    distributed.execute(KEYLESS)
    assert distributed.fetchall() == []
    distributed.execute(MONTHS)
    assert distributed.fetchone() > (1,)


@pytest.mark.django_db
def test_ledger_queries_distributed_tables_with_the_applications_role(distributed):
    distributed.execute(ITS_OWN)
    questions = ("of_escrow", "prizes", "rejoin_was_bought", "seat_was_bought")
    assert distributed.fetchall() == [(f"tables_{question}", True) for question in questions]
    distributed.execute(MAY_CREATE)
    assert distributed.fetchone() == (False,)
    distributed.execute(BECOMES_OWNER)
    assert ("rummy_app",) not in distributed.fetchall()

    distributed.execute("SET LOCAL ROLE rummy_app")
    seat = seating.join(table_id=make_table().pk, player=make_player())
    distributed.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert seat.buy_ins.get().stake.transfer.kind == "buy_in"


def test_a_move_over_http_names_its_table_in_every_statement(client):
    table = make_game(players=3)
    seat = seat_at(table, 1)
    client.force_login(seat.player)
    body = {"move_id": str(uuid4()), "move": "ds", "expected_version": reread(table).version}

    with statements_seen() as seen:
        url = f"/api/v1/tables/{table.public_id}/moves/"
        answer = client.post(url, body, content_type="application/json")

    assert answer.status_code == 200, answer.content
    assert any(sql.startswith("INSERT INTO tables_move") for sql in seen)
    assert not faults(seen)


@pytest.mark.extended
@pytest.mark.parametrize("family", ["pool", "straight"])
def test_whole_games_are_played_by_statements_that_name_their_table(family, monkeypatch):
    rules = straight_rules(target=60) if family == "straight" else make_rules(gap_seconds=60)
    seen = []
    for module, name in SERVICES:
        monkeypatch.setattr(module, name, watched(getattr(module, name), seen))

    People(make_pool(players=3, rules=rules), Random(1)).play_on()

    assert any(sql.startswith('INSERT INTO "tables_score"') for sql in seen)
    assert not faults(seen)


def test_bots_move_and_answer_by_statements_that_name_their_table(monkeypatch):
    table = make_table(rules=make_rules(gap_seconds=60), seats_min=3, seats_max=3)
    for bot in bots.bots_for(table, 3):
        seating.join(table_id=table.pk, player=bot)
    monkeypatch.setattr(bots, "MOVES_AT_ONCE", 2)
    with statements_seen() as seen:
        bots.play_bots(table_id=table.pk)
    table = score(reread(table), 0, 50, 101)
    assert table.phase == "rejoin"

    with statements_seen() as asked:
        bots.play_bots(table_id=table.pk)

    assert Answer.objects.get(table=table).said
    assert not faults([*seen, *asked])


def test_a_host_locks_its_tables_one_by_one_without_waiting():
    table = make_game(players=3)
    with statements_seen() as seen, transaction.atomic():
        assert [locked.pk for locked in lock_tables(Table.objects.waiting())] == []
        assert [locked.pk for locked in lock_tables(Table.objects.live())] == [table.pk]

    asked = [sql for sql in seen if "FOR NO KEY UPDATE" in sql]
    assert len(asked) == 1
    assert not faults(asked)


def test_an_away_seat_is_given_up_by_locks_in_one_place():
    seating.join(table_id=make_table().pk, player=make_player())

    with statements_seen() as seen:
        assert presence.give_up_away_seats(timezone.now() + timedelta(days=1)) == 1

    locks = [sql for sql in seen if "FOR NO KEY UPDATE" in sql and "tables_table" in sql]
    assert locks
    assert not faults(locks)


def watched(service, seen):
    def watch(**arguments):
        with statements_seen() as now:
            try:
                return service(**arguments)
            finally:
                seen.extend(now)

    return watch
