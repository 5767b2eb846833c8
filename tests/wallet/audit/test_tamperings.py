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


@pytest.mark.parametrize("tampering", tamperings.read(), ids=lambda tampering: tampering.name)
def test_a_tampering_is_found_and_its_row_named(books, tampering):
    """By the full audit, and by a short one to which the row is new."""
    with transaction.atomic():
        with unguarded() as cursor:
            subject, written_in = tampering.do_and_date(cursor)
        by_all = {(finding.check, finding.subject) for finding in row_findings()}
        start = start_before(written_in)
        by_new = {(finding.check, finding.subject) for finding in row_findings(start=start)}
        transaction.set_rollback(True)

    assert (tampering.check, subject) in by_all, (subject, by_all)
    assert (tampering.check, subject) in by_new, (subject, start, by_new)


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
