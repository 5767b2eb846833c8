"""The audit names each object of the schema that differs from its migration."""

import pytest
from django.core.management import call_command
from django.db import connection

from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db
WITHOUT_A_TRIGGER = "DROP TRIGGER whole ON wallet_transfer"
OTHER_VERSIONS = """
    CREATE OR REPLACE FUNCTION wallet_audit_versions(
        p_since bigint DEFAULT 0, p_run bigint DEFAULT 0)
    RETURNS TABLE ("check" text, subject text, detail text) LANGUAGE sql
    AS 'SELECT NULL::text, NULL::text, NULL::text WHERE false'
"""
NEVER = """
    CREATE OR REPLACE TRIGGER versions_kept_of_changes AFTER UPDATE ON wallet_withdrawal
    FOR EACH ROW WHEN (false) EXECUTE FUNCTION wallet_record_version('id', 'but', '{}')
"""
FEWER = """
    CREATE OR REPLACE TRIGGER versions_kept AFTER INSERT OR DELETE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_record_version('id', 'only', '{id}')
"""
ALTERATIONS = [
    (WITHOUT_A_TRIGGER, "trigger whole on wallet_transfer", "was removed"),
    (
        "DROP TRIGGER versions_kept ON wallet_stake",
        "trigger versions_kept on wallet_stake",
        "was removed",
    ),
    (NEVER, "trigger versions_kept_of_changes on wallet_withdrawal", "is not as migrated"),
    (FEWER, "trigger versions_kept on wallet_withdrawal", "is not as migrated"),
    (
        "ALTER TABLE wallet_transfer DISABLE TRIGGER append_only",
        "trigger append_only on wallet_transfer",
        "is not as migrated",
    ),
    (OTHER_VERSIONS, "function wallet_audit_versions(bigint,bigint)", "is not as migrated"),
    (
        "ALTER FUNCTION ledger_now() RESET search_path",
        "function ledger_now()",
        "is not as migrated",
    ),
    (
        "CREATE FUNCTION give_me() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "function give_me()",
        "was added",
    ),
    (
        "ALTER TABLE wallet_adjustment DROP CONSTRAINT wallet_adjustment_checked_by_another",
        "constraint wallet_adjustment_checked_by_another on wallet_adjustment",
        "was removed",
    ),
    (
        "DROP INDEX wallet_transfer_document_once",
        "unique index wallet_transfer_document_once",
        "was removed",
    ),
    ("GRANT UPDATE ON wallet_entry TO rummy_app", "table wallet_entry", "is not as migrated"),
    (
        "GRANT UPDATE (player_id) ON wallet_stake TO rummy_app",
        "table wallet_stake",
        "is not as migrated",
    ),
    (
        "GRANT EXECUTE ON FUNCTION wallet_adopt(regclass) TO PUBLIC",
        "function wallet_adopt(regclass)",
        "is not as migrated",
    ),
    ("GRANT CREATE ON SCHEMA public TO rummy_app", "schema public", "is not as migrated"),
    (
        "CREATE RULE nothing AS ON UPDATE TO wallet_deposit DO INSTEAD NOTHING",
        "table wallet_deposit",
        "is not as migrated",
    ),
    (
        "ALTER TABLE wallet_seal ENABLE ROW LEVEL SECURITY",
        "table wallet_seal",
        "is not as migrated",
    ),
    (
        "INSERT INTO wallet_policy (kind, document, of_one_player) VALUES ('grant', 'x', false)",
        "policy x of grant",
        "was added",
    ),
    (
        "UPDATE wallet_policy SET gives = NULL WHERE kind = 'prize' AND document = 'game'",
        "policy game of prize",
        "is not as migrated",
    ),
    (
        "DELETE FROM wallet_policy WHERE kind = 'prize' AND document = 'game'",
        "policy game of prize",
        "was removed",
    ),
]


def found():
    return {(finding.check, finding.subject, finding.detail) for finding in audit().findings}


# The first of each kind of object is tried in every run.
@pytest.mark.parametrize(
    ("sql", "named", "how"),
    [
        pytest.param(
            *one, marks=() if number in (0, 5, 8, 10, 16) else pytest.mark.extended, id=one[1]
        )
        for number, one in enumerate(ALTERATIONS)
    ],
)
def test_an_altered_object_is_named(owner, sql, named, how):
    with owner(), connection.cursor() as cursor:
        cursor.execute(sql)

    assert ("schema_altered", named, how) in found()


@pytest.mark.extended
def test_a_migration_records_the_schema_once(owner):
    def records():
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM wallet_schemarecord")
            return cursor.fetchone()[0]

    before = records()
    with owner():
        call_command("migrate", verbosity=0)
        assert (records(), found()) == (before, set())

        with connection.cursor() as cursor:
            cursor.execute(WITHOUT_A_TRIGGER)
        call_command("migrate", verbosity=0)
        assert (records(), found()) == (before + 1, set())


def test_policy_without_document_is_reported_outside_a_demo(owner):
    with owner(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE wallet_installation DISABLE TRIGGER keeps_demo_flag")
        cursor.execute("UPDATE wallet_installation SET is_demo = false")
        cursor.execute("ALTER TABLE wallet_installation ENABLE TRIGGER keeps_demo_flag")

    assert ("schema_altered", "policy  of grant", "was added") in found()
