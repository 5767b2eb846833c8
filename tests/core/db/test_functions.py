"""Names in a database function always mean the schema's own objects."""

from contextlib import contextmanager

import pytest
from django.db import Error, ProgrammingError, connection, transaction
from moneyed import Money

from tests.builders.wallet.players import balances, books, fund, give_bonus, make_player, make_stake
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.ledger import posting
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)

# A parsed body (RETURN, BEGIN ATOMIC) was bound to its tables and functions when it was defined.
FUNCTIONS = """
    SELECT p.oid::regprocedure::text, p.prosqlbody IS NOT NULL, p.proconfig,
        EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
                WHERE grantee = 0 AND privilege_type = 'EXECUTE')
    FROM pg_proc AS p
    WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (
        SELECT FROM pg_depend
        WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
    ORDER BY 1
"""
PATH = "search_path=pg_catalog, public, pg_temp"
# Runs in place of a table's rows; harmless as the application, which runs its own queries.
ATTACK = """
    CREATE FUNCTION pg_temp.attack() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        IF current_user <> 'rummy_app' THEN
            RAISE EXCEPTION 'attacker''s code runs as %', current_user;
        END IF;
        RETURN true;
    END
    $$
"""
HIDE = "CREATE TEMP VIEW {table} AS SELECT * FROM public.{table} WHERE pg_temp.attack()"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"


def rows(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def attacker(owner):
    """Give the application temporary tables all the same, and a function that tells who runs it."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with owner():
        rows(f"GRANT TEMPORARY ON DATABASE {name} TO rummy_app")
    try:
        rows(ATTACK)
        yield
    finally:
        with owner():
            rows("DISCARD TEMP")
            rows(f"REVOKE TEMPORARY ON DATABASE {name} FROM rummy_app")


def test_every_function_has_a_fixed_search_path_and_is_not_public():
    functions = rows(FUNCTIONS)

    assert len(functions) > 40
    unpinned = [
        name for name, parsed, config, _ in functions if not parsed and PATH not in (config or [])
    ]
    assert unpinned == [], "add: SET search_path = pg_catalog, public, pg_temp"
    public = [name for name, _, _, is_public in functions if is_public]
    assert public == [], "add: REVOKE ALL ON FUNCTION ... FROM PUBLIC"


def test_a_new_function_is_not_public(owner):
    with owner(), transaction.atomic():
        rows("CREATE FUNCTION newcomer() RETURNS int LANGUAGE sql RETURN 1")
        asked = rows("SELECT has_function_privilege('rummy_app', 'newcomer()', 'EXECUTE')")
        transaction.set_rollback(True)

    assert asked == [(False,)]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TEMP VIEW wallet_entry AS SELECT 1",
        "CREATE TEMP TABLE wallet_entry (id int)",
        "CREATE FUNCTION pg_temp.attack() RETURNS int LANGUAGE sql RETURN 1",
        "CREATE VIEW wallet_entries AS SELECT 1",
        "CREATE SCHEMA rummy_owner",
    ],
)
def test_application_cannot_create_objects(sql):
    with pytest.raises(ProgrammingError, match="permission denied"):
        rows(sql)


def test_temporary_view_named_like_a_table_does_not_run_as_the_owner(owner):
    """Deferred triggers run as the role that queued them: the owner, inside of a posting."""
    before = books()

    with attacker(owner):
        for (table,) in rows(TABLES):
            rows(HIDE.format(table=table))
        # What makes the owner's functions and triggers run.
        asha = make_player()
        mine = fund(asha, deposit=100_00)
        posting.reverse(Transfer.objects.latest("pk"))
        give_bonus(asha, Money(5, "INR"))
        make_stake()
        seals.seal_ledger()

    assert books() > before
    assert balances(mine["deposit"]) == [0]
    assert audit().is_clean


def test_the_same_view_is_read_by_a_function_without_a_fixed_path(owner):
    # Put back as it was to the letter: the audit compares definitions.
    [[before]] = rows("SELECT pg_get_functiondef('wallet_transfer_is_whole()'::regprocedure)")
    with owner():
        rows("ALTER FUNCTION wallet_transfer_is_whole() RESET search_path")
    try:
        with attacker(owner):
            rows(HIDE.format(table="wallet_entry"))
            with pytest.raises(Error, match="runs as rummy_owner"):
                fund(make_player(), deposit=100_00)
    finally:
        with owner():
            rows(before)
