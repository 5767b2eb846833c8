"""Concurrent requests and decisions of withdrawals, with real commits."""

import pytest

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import (
    make_sent,
    make_withdrawal,
    money_of,
    step,
)
from tests.builders.wallet.players import fund, make_player
from wallet.audit.audit import audit
from wallet.exceptions import WalletError
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_requests_at_once_do_not_spend_one_balance_twice():
    player = make_player()
    fund(player, deposit=50_00, winnings=50_00)

    results = at_once([lambda: make_withdrawal(60, player=player)] * 2)

    assert sorted(type(result).__name__ for result in results) == [
        "InsufficientFunds",
        "Withdrawal",
    ]
    assert money_of(player) == [0, 0, 40_00, 60_00]


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
