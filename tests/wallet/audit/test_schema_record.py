"""The audit names each object of the schema that differs from its migration."""

import pytest
from django.core.management import call_command
from django.db import connection

from tests.builders.books import statements
from tests.builders.wallet.tax_office import undone
from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db
WITHOUT_A_TRIGGER = "DROP TRIGGER whole ON wallet_transfer"


def found():
    return {(finding.check, finding.subject, finding.detail) for finding in audit().findings}


ALTERATIONS = statements.read("schema_alterations.txt")


# The first of each kind of object is tried in every run.
@pytest.mark.parametrize("group", ["first", pytest.param("others", marks=pytest.mark.extended)])
def test_altered_object_is_named(owner, group):
    for one in ALTERATIONS[group]:
        with undone():
            with owner(), connection.cursor() as cursor:
                cursor.execute(one.text)
            assert ("schema_altered", one.name, *one.outcomes) in found(), one.name
    assert len(ALTERATIONS[group]) >= 5


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
