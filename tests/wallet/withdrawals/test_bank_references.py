"""The bank's reference belongs to one payment and is a single line."""

from contextlib import nullcontext
from functools import partial

import pytest
from django.db import Error, IntegrityError, connection, transaction
from django.utils import timezone

from core.exceptions import BadText, CheckerIsMaker
from tests.builders.people.regions import open_region
from tests.builders.wallet.bonus_desk import give
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, money_of, step
from tests.builders.wallet.players import books, make_player
from wallet.audit.audit import row_findings
from wallet.deposits import suspense
from wallet.deposits.models import StaffTask
from wallet.exceptions import ReferenceUsed
from wallet.gateways.sandbox_page import Sent
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_a_banks_reference_is_of_one_payment():
    first, second = make_sent(), make_sent()
    step("mark_paid", first)
    before = books()

    with pytest.raises(ReferenceUsed, match=str(first.public_id)):
        step("mark_paid", second)
    with pytest.raises(IntegrityError, match="bank_reference_once"), transaction.atomic():
        Withdrawal.objects.filter(pk=second.pk).update(
            status="paid", bank_reference="Be cause", due_at=None, closed_at=timezone.now()
        )

    assert books() == before
    assert money_of(second.player)[-1] == 70_00
    by = make_player(is_staff=True)
    withdrawals.mark_paid(withdrawal_id=second.pk, by=by, remark=" another ")
    assert row_findings() == ()
    first.refresh_from_db()
    second.refresh_from_db()
    assert [first.bank_reference, second.bank_reference] == ["BECAUSE", "ANOTHER"]


@pytest.mark.extended
def test_a_reference_is_the_same_in_another_case_and_with_spaces():
    first, second, by = make_sent(), make_sent(), make_player(is_staff=True)
    paid = withdrawals.mark_paid(withdrawal_id=first.pk, by=by, remark="UTR 0012ab")
    before = books()

    for text in ("utr 0012AB ", "Utr0012\u00a0Ab"):
        with pytest.raises(ReferenceUsed, match=str(first.public_id)):
            withdrawals.mark_paid(withdrawal_id=second.pk, by=by, remark=text)
        withdrawals.mark_paid(withdrawal_id=first.pk, by=by, remark=text)

    assert books() == before
    assert (paid.bank_reference, paid.remark) == ("UTR0012AB", "UTR 0012ab")


@pytest.mark.extended
def test_a_remark_is_one_line_and_is_refused_before_anything_is_posted():
    open_region("IN-KA")
    asked, sent, by = make_withdrawal(), make_sent(), make_player(is_staff=True)
    deposit = make_deposit()
    tell(deposit, Sent(surplus_minor=1_00))
    task = StaffTask.objects.get(deposit=deposit)
    lucky = make_player(country="IN", region="KA")
    before = books()

    for text in ("UTR 1\n2", "UTR\x01", "\u202eUTR"):
        for act in (
            partial(withdrawals.reject, withdrawal_id=asked.pk, by=by, remark=text),
            partial(withdrawals.mark_paid, withdrawal_id=sent.pk, by=by, remark=text),
            partial(withdrawals.mark_failed, withdrawal_id=sent.pk, by=by, remark=text),
            partial(suspense.return_payment, task_id=task.pk, by=by, remark=text),
            partial(give, lucky, 50, reason=text),
        ):
            with pytest.raises(BadText):
                act()

    assert books() == before


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
