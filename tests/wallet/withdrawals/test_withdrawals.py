"""Steps of a withdrawal (RB 11.2): held, decided by another person, paid or returned."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from moneyed import Money

from core.exceptions import CheckerIsMaker
from core.models import AuditEntry
from players.notifications.models import Notification
from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, money_of, payee_for, step
from tests.builders.wallet.players import books, fund, make_player
from wallet.audit import freezes
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import WithdrawalFreeze
from wallet.exceptions import (
    CurrencyNotOffered,
    InsufficientFunds,
    NothingToSend,
    RemarkMissing,
    WalletError,
    WithdrawalNotPending,
    WithdrawalNotSent,
    WithdrawalsFrozen,
)
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_deposit_goes_first_then_winnings_and_bonus_never():
    withdrawal = make_withdrawal(70)

    assert money_of(withdrawal.player) == [10_00, 0, 30_00, 70_00]
    assert (withdrawal.deposit_minor, withdrawal.winnings_minor) == (50_00, 20_00)
    assert withdrawal.amount == Money(70, "INR")


@pytest.mark.parametrize(
    ("amount", "refusal"),
    [
        (Money("100.01", "INR"), InsufficientFunds),  # Of deposit and winnings 100.00 is there.
        (Money(1, "PTS"), CurrencyNotOffered),
    ],
)
def test_withdrawal_that_cannot_be_paid_is_refused_and_writes_nothing(amount, refusal):
    player = make_player()
    fund(player, bonus=10_00, deposit=50_00, winnings=50_00)
    fund(player, currency="PTS", deposit=100_00)
    payee, before = payee_for(player), books()

    with pytest.raises(refusal):
        withdrawals.request_withdrawal(
            player=player, amount=amount, payee=payee, requested_by=player
        )

    assert books() == before
    assert money_of(player) == [10_00, 50_00, 50_00, 0]


@pytest.mark.parametrize(
    ("made", "end", "status", "money"),
    [
        (make_sent, "mark_paid", "paid", [10_00, 0, 30_00, 0]),
        (make_withdrawal, "reject", "rejected", [10_00, 50_00, 50_00, 0]),
        (make_sent, "mark_failed", "failed", [10_00, 50_00, 50_00, 0]),
    ],
)
def test_withdrawal_is_debited_from_clearing_or_returns_to_its_buckets(
    owner, made, end, status, money
):
    withdrawal, by = made(), make_player(is_staff=True)
    with pytest.raises(RemarkMissing):
        getattr(withdrawals, end)(withdrawal_id=withdrawal.pk, by=by, remark=" ")

    closed = step(end, withdrawal, by)

    assert (closed.status, closed.due_at, closed.remark) == (status, None, "because")
    assert closed.closed_at is not None
    assert money_of(closed.player) == money
    assert row_findings() == ()
    with owner(), pytest.raises(IntegrityError, match="cannot change from"), transaction.atomic():
        Withdrawal.objects.filter(pk=closed.pk).update(status="approved")


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("approve", make_withdrawal),
        ("reject", make_withdrawal),
        ("mark_paid", make_sent),
        ("mark_failed", make_sent),
    ],
)
def test_repeated_step_is_done_once_and_a_different_one_is_refused(name, made):
    withdrawal, by = made(), make_player(is_staff=True)
    step(name, withdrawal, by)
    before = books()

    step(name, withdrawal, by)

    assert books() == before
    if name == "approve":
        return
    # A different result of a closed withdrawal is refused, not ignored.
    with pytest.raises(WithdrawalNotPending):
        getattr(withdrawals, name)(withdrawal_id=withdrawal.pk, by=by, remark="something else")
    withdrawal.refresh_from_db()
    assert withdrawal.remark == "because"


@pytest.mark.parametrize(
    ("made", "first", "then", "refusal"),
    [
        (make_withdrawal, "reject", "approve", WithdrawalNotPending),
        (make_withdrawal, "reject", "mark_paid", WithdrawalNotPending),
        (make_withdrawal, "approve", "mark_paid", WithdrawalNotSent),
        (make_withdrawal, "approve", "mark_failed", WithdrawalNotSent),
        (make_sent, "mark_paid", "mark_failed", WithdrawalNotPending),
        (make_sent, "mark_failed", "mark_paid", WithdrawalNotPending),
    ],
)
def test_step_in_the_wrong_state_is_refused(made, first, then, refusal):
    withdrawal = made()
    step(first, withdrawal)
    before = books()

    with pytest.raises(refusal):
        step(then, withdrawal)

    assert books() == before


def test_approved_withdrawal_can_be_revoked_by_another_person_until_sent():
    approver, other = (make_player(is_staff=True) for _ in range(2))
    withdrawal, sent = make_withdrawal(), make_sent()
    step("approve", withdrawal, approver)

    with pytest.raises(CheckerIsMaker):
        step("reject", withdrawal, approver)
    with pytest.raises(WithdrawalNotPending):
        step("reject", sent, other)
    rejected = step("reject", withdrawal, other)

    assert (rejected.status, rejected.decided_by, rejected.due_at) == ("rejected", other, None)
    assert money_of(rejected.player) == [10_00, 50_00, 50_00, 0]
    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=make_player())
    assert row_findings() == ()


def test_requester_does_not_decide():
    clerk = make_player(is_staff=True)
    withdrawal = make_withdrawal(by=clerk)

    for name in ("approve", "reject"):
        with pytest.raises(CheckerIsMaker):
            step(name, withdrawal, clerk)
    with pytest.raises(IntegrityError, match="checked_by_another"), transaction.atomic():
        Withdrawal.objects.update(
            status="approved", decided_by=withdrawal.player, decided_at=timezone.now()
        )

    assert Withdrawal.objects.get().status == "requested"


def test_approver_neither_sends_nor_closes_a_withdrawal():
    boss = make_player(is_staff=True, is_superuser=True)
    withdrawal, other = make_withdrawal(), make_withdrawal()
    step("approve", withdrawal, boss)
    step("approve", other)

    with pytest.raises(CheckerIsMaker):
        withdrawals.note_file_given(batch=withdrawals.send_to_bank(by=make_player()), by=boss)
    for name in ("mark_paid", "mark_failed"):
        with pytest.raises(CheckerIsMaker):
            step(name, withdrawal, boss)

    assert Withdrawal.objects.get(pk=withdrawal.pk).status == "approved"
    assert not AuditEntry.objects.filter(act="take_file").exists()
    assert step("mark_failed", other, boss).closed_at is not None


def test_a_file_for_the_bank_leaves_out_what_its_maker_approved():
    boss, clerk = make_player(is_staff=True, is_superuser=True), make_player(is_staff=True)
    own, other = make_withdrawal(), make_withdrawal()
    step("approve", own, boss)
    step("approve", other, clerk)

    assert list(withdrawals.send_to_bank(by=boss).withdrawals.all()) == [other]
    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=boss)
    assert list(withdrawals.send_to_bank(by=clerk).withdrawals.all()) == [own]


def test_withdrawal_with_a_frozen_hold_is_not_sent():
    frozen, other = make_withdrawal(), make_withdrawal()
    hold, by = fund(frozen.player)["withdrawal_hold"], make_player(is_staff=True)
    freezes.freeze_account(account=hold, reason="A court's order", by=by)
    for withdrawal in (frozen, other):
        step("approve", withdrawal)

    batch = withdrawals.send_to_bank(by=by)

    assert list(batch.withdrawals.all()) == [other]
    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=by)
    freezes.thaw_account(account=hold, reason="Lifted", by=by)
    assert list(withdrawals.send_to_bank(by=by).withdrawals.all()) == [frozen]


def test_each_state_has_the_promised_deadline(settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": 2, "approved": 5}

    withdrawal = make_withdrawal()
    first = withdrawal.due_at - timezone.now()
    second = step("approve", withdrawal).due_at - timezone.now()

    assert [round(wait.total_seconds() / 3600, 1) for wait in (first, second)] == [2, 5]
    late = timezone.now() + 2 * second
    assert list(Withdrawal.objects.overdue(late)) == [withdrawal]
    assert not Withdrawal.objects.overdue(timezone.now()).exists()


def test_while_withdrawals_are_frozen_no_step_is_taken():
    new, sent = make_withdrawal(), make_sent()
    WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    before = books()

    refused = [
        lambda: make_withdrawal(1, player=new.player),
        lambda: step("approve", new),
        lambda: step("reject", new),
        lambda: withdrawals.send_to_bank(by=make_player()),
        lambda: step("mark_paid", sent),
        lambda: step("mark_failed", sent),
    ]
    for call in refused:
        with pytest.raises(WithdrawalsFrozen):
            call()

    assert books() == before


def test_withdrawals_stay_open_where_cash_is_not_offered_and_while_winding_down(settings):
    player = make_player()
    fund(player, deposit=50_00, winnings=50_00)
    settings.CASH_WIND_DOWN = True

    assert make_withdrawal(player=player).status == "requested"


@pytest.mark.extended
def test_each_withdrawal_status_is_notified_once():
    paid, failed, rejected = make_sent(), make_sent(), make_withdrawal()

    step("mark_paid", paid)
    step("mark_paid", paid)
    step("mark_failed", failed)
    step("reject", rejected)

    sent = Notification.objects.filter(kind__startswith="withdrawal_").order_by("pk")
    shown = sent.values_list("player", "kind", "amount", "remark")
    assert list(shown) == [
        (paid.player_id, "withdrawal_approved", "₹70.00", ""),
        (failed.player_id, "withdrawal_approved", "₹70.00", ""),
        (paid.player_id, "withdrawal_paid", "₹70.00", ""),
        (failed.player_id, "withdrawal_failed", "₹70.00", "because"),
        (rejected.player_id, "withdrawal_rejected", "₹70.00", "because"),
    ]


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_do_not_spend_one_balance_twice():
    player = make_player()
    fund(player, deposit=50_00, winnings=50_00)

    results = at_once([lambda: make_withdrawal(60, player=player)] * 2)

    assert sorted(type(result).__name__ for result in results) == [
        "InsufficientFunds",
        "Withdrawal",
    ]
    assert money_of(player) == [0, 0, 40_00, 60_00]


@pytest.mark.django_db(transaction=True)
def test_concurrent_sending_and_rejection_have_one_outcome():
    withdrawal = make_withdrawal()
    step("approve", withdrawal)
    clerks = [make_player(is_staff=True), make_player(is_staff=True)]

    results = at_once(
        [
            lambda: withdrawals.send_to_bank(by=clerks[0]),
            lambda: step("reject", withdrawal, clerks[1]),
        ]
    )

    refused = [result for result in results if isinstance(result, WalletError)]
    assert len(refused) == 1
    withdrawal.refresh_from_db()
    is_sent = withdrawal.batch_id is not None
    assert withdrawal.status == ("approved" if is_sent else "rejected")
    assert money_of(withdrawal.player)[-1] == (70_00 if is_sent else 0)


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_payments_gets_the_reference():
    sent = [make_sent(), make_sent()]
    clerks = [make_player(is_staff=True), make_player(is_staff=True)]

    results = at_once(
        [
            lambda row=row, by=by: step("mark_paid", row, by)
            for row, by in zip(sent, clerks, strict=True)
        ]
    )

    assert sorted(type(result).__name__ for result in results) == ["ReferenceUsed", "Withdrawal"]
    assert Withdrawal.objects.filter(status="paid").count() == 1
    assert audit().is_clean
