"""Payouts by several people: two for each, three above an amount."""

import pytest

from tests.builders.wallet.payout_desk import make_sent, step
from wallet.exceptions import CheckerIsMaker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step_name", ["mark_paid", "mark_failed"])
@pytest.mark.parametrize(("limit", "is_refused"), [(69, True), (70, False)])
def test_above_an_amount_a_third_person_notes_what_became_of_it(
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
