"""The audit finds and names any row altered with the triggers off."""

from dataclasses import replace

import pytest
from django.db import Error, connection, transaction

from tests.builders.books import statements, tamperings
from tests.builders.books.audit_starts import start_at, start_before
from tests.builders.processes.logins import as_owner
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import Seal
from wallet.audit.starts import BEGINNING

# Making the sample books takes long on a busy machine.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600), pytest.mark.extended]


ALL = tamperings.read()
# One row of each table; all others wait for `make soak`.
FIRST = {tampering.table: tampering for tampering in reversed(ALL)}


@pytest.mark.parametrize(
    "tampering",
    [
        pytest.param(each, marks=() if FIRST[each.table] is each else pytest.mark.soak)
        for each in ALL
    ],
    ids=lambda tampering: tampering.name,
)
def test_a_tampering_is_found_and_its_row_named_by_a_short_audit_too_if_new_to_it(books, tampering):
    with transaction.atomic():
        with unguarded() as cursor:
            subject, written_in = tampering.do_and_date(cursor)
        for start in (BEGINNING, start_before(written_in)):
            found = {(finding.check, finding.subject) for finding in row_findings(start=start)}
            assert (tampering.check, subject) in found, (subject, start, found)
        transaction.set_rollback(True)


def test_audit_without_tampering_finds_no_difference(books):
    assert audit().findings == ()


def test_short_audit_from_any_start_finds_no_difference(books):
    seals = [None, *Seal.objects.order_by("number")]
    assert len(seals) > 5

    for seal in seals:
        with transaction.atomic():
            start = start_at(seal)
            assert row_findings(start=start) == (), seal
            # Among other checks.
            assert row_findings(start=replace(start, next_transfer=0)) == (), seal
            transaction.set_rollback(True)


KEPT = statements.read("kept_rows.txt")


@transaction.atomic
def write(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount != 0, statement
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.parametrize("kept", KEPT["owner"], ids=lambda kept: kept.name)
def test_row_is_not_rewritten_by_the_owner(books, kept):
    for statement in kept.statements({}):
        with as_owner(), pytest.raises(Error, match=kept.outcomes[0]):
            write(statement)
    assert len(KEPT["owner"]) >= 20


def test_application_can_only_read_and_call_functions(books):
    [denied] = KEPT["application"]
    for statement in denied.statements({}):
        with pytest.raises(Error, match=denied.outcomes[0]):
            write(statement)
    assert len(denied.statements({})) >= 35
