"""Prepared statements keep working while the schema is migrated."""

import psycopg
import pytest
from django.db import connection
from django.test import Client

from tests.builders.processes.logins import where
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import seat_at
from tests.builders.wallet.players import balances, fund, make_player
from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


def use(table, player, client):
    """Move, post, read a table as a page and as the API give it."""
    take_turn(table)
    mine = fund(player, deposit=100)
    paths = (f"/tables/{table.public_id}/", f"/api/v1/tables/{table.public_id}/", "/wallet/")
    assert [client.get(path).status_code for path in paths] == [200, 200, 200]
    return mine["deposit"]


@pytest.mark.extended
def test_statements_prepared_before_a_migration_still_work():
    table, player, client = make_game(), make_player(), Client()
    client.force_login(seat_at(table, 1).player)
    use(table, player, client)
    pid = connection.connection.info.backend_pid

    with psycopg.connect(**where(), autocommit=True) as migrating:
        tables = [name for (name,) in migrating.execute(TABLES)]
        for name in tables:
            migrating.execute(f"ALTER TABLE {name} ADD COLUMN meanwhile int")
        try:
            deposit = use(table, player, client)
        finally:
            for name in tables:
                migrating.execute(f"ALTER TABLE {name} DROP COLUMN meanwhile")
    use(table, player, client)

    assert connection.connection.info.backend_pid == pid
    assert len(tables) > 60
    assert balances(deposit) == [300]
    assert table.deals.get().moves.count() == 6
    assert audit().is_clean
