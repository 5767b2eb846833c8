"""Withdrawals need two people, above an amount three."""

from contextlib import nullcontext

import pytest
from django.db import Error, connection

from core.exceptions import CheckerIsMaker
from tests.builders.wallet.payout_desk import make_sent, step

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step_name", ["mark_paid", "mark_failed"])
@pytest.mark.parametrize(("limit", "is_refused"), [(69, True), (70, False)])
def test_large_withdrawal_needs_a_third_person_for_its_result(
    settings, step_name, limit, is_refused
):
    settings.THREE_PEOPLE_ABOVE = limit
    sent = make_sent()
    sender = sent.batch.made_by

    if is_refused:
        with pytest.raises(CheckerIsMaker, match="third person"):
            step(step_name, sent, by=sender)
        sent.refresh_from_db()
        assert sent.status == "approved"
        step(step_name, sent)
    else:
        step(step_name, sent, by=sender)

    sent.refresh_from_db()
    assert sent.status == {"mark_paid": "paid", "mark_failed": "failed"}[step_name]


@pytest.fixture
def known_to_the_database(owner, settings):
    """Require three people above an amount, as stored by a migration."""

    def set_limit(rupees):
        with owner(), connection.cursor() as cursor:
            cursor.execute("UPDATE wallet_installation SET three_people_above = %s", [rupees])

    yield set_limit
    set_limit(settings.THREE_PEOPLE_ABOVE)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("limit", "is_refused"), [(69, True), (70, False)])
def test_database_requires_a_third_person_too(known_to_the_database, limit, is_refused):
    """A different amount in the application's settings does not bypass it."""
    known_to_the_database(limit)
    for step_name in ("mark_paid", "mark_failed"):
        sent = make_sent()
        with pytest.raises(Error, match="behind transfer") if is_refused else nullcontext():
            step(step_name, sent, by=sent.batch.made_by)
        sent.refresh_from_db()
        assert (sent.status == "approved") is is_refused
