"""Whatever single row is altered with the triggers off, the audit finds it and names it."""

from dataclasses import replace

import pytest
from django.db import transaction

from tests.builders.books import tamperings
from tests.builders.books.audit_starts import start_at, start_before
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import Seal

# The books take their time where the processors are busy.
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
def test_a_tampering_is_found_and_its_row_named(books, tampering):
    with transaction.atomic():
        with unguarded() as cursor:
            subject, _ = tampering.do_and_date(cursor)
        found = {(finding.check, finding.subject) for finding in row_findings()}
        transaction.set_rollback(True)

    assert (tampering.check, subject) in found, (subject, found)


@pytest.mark.soak
@pytest.mark.parametrize("tampering", ALL, ids=lambda tampering: tampering.name)
def test_a_short_audit_finds_it_too_if_the_row_is_new_to_it(books, tampering):
    with transaction.atomic():
        with unguarded() as cursor:
            subject, written_in = tampering.do_and_date(cursor)
        start = start_before(written_in)
        found = {(finding.check, finding.subject) for finding in row_findings(start=start)}
        transaction.set_rollback(True)

    assert (tampering.check, subject) in found, (subject, start, found)


def test_the_books_agree_where_nobody_tampers(books):
    assert audit().findings == ()


def test_they_agree_from_wherever_a_short_audit_starts(books):
    seals = [None, *Seal.objects.order_by("number")]
    assert len(seals) > 5

    for seal in seals:
        with transaction.atomic():
            start = start_at(seal)
            assert row_findings(start=start) == (), seal
            # Whatever else it looks at.
            assert row_findings(start=replace(start, next_transfer=0)) == (), seal
            transaction.set_rollback(True)
