"""Whatever single row is altered with the triggers off, the audit finds it and names it."""

import pytest
from django.db import transaction

from tests.builders.books import tamperings
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import audit

# The books take their time where the processors are busy.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600), pytest.mark.extended]


@pytest.mark.parametrize("tampering", tamperings.read(), ids=lambda tampering: tampering.name)
def test_a_tampering_is_found_and_its_row_named(books, tampering):
    with transaction.atomic():
        with unguarded() as cursor:
            subject = tampering.do(cursor)
        found = {(finding.check, finding.subject): finding.detail for finding in audit().findings}
        transaction.set_rollback(True)

    assert (tampering.check, subject) in found, (subject, found)


def test_the_books_agree_where_nobody_tampers(books):
    assert audit().findings == ()
