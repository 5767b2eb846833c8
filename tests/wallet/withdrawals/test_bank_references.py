"""The bank's reference belongs to one payment and is a single line."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.exceptions import BadText
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


def test_the_database_too_compares_references_in_their_normal_form():
    first, second = make_sent(), make_sent()
    step("mark_paid", first)

    with pytest.raises(IntegrityError, match="bank_reference_once"), transaction.atomic():
        Withdrawal.objects.filter(pk=second.pk).update(
            status="paid", bank_reference="Be cause", due_at=None, closed_at=timezone.now()
        )


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
