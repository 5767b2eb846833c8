"""The audit compares records of desks, stakes, lots and taxes with the transfers."""

import pytest
from django.db import connection, transaction
from moneyed import Money

from tests.builders.people.regions import open_region
from tests.builders.wallet.bonus_desk import give, join, settle
from tests.builders.wallet.players import fund, make_escrow, make_player
from tests.builders.wallet.tax_office import let_years_pass, make_winner, send, unguarded, withdraw
from wallet.audit import account_freezes
from wallet.audit.audit import audit
from wallet.corrections import adjustments
from wallet.stakes import stakes
from wallet.tax.withholding import settle_past_years
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    """A withdrawal each that was paid, came back and waits; a year's end; a correction; stakes."""
    past = make_winner(deposit=100, winnings=1000)
    withdraw(past, 300)
    let_years_pass()
    [end] = settle_past_years(player=past, currency="INR")
    later = withdraw(past, 100).withholding

    clerk, player = make_player(is_staff=True), make_winner(deposit=500)
    paid, failed = (send(withdraw(player, 50)) for _ in range(2))
    withdrawals.mark_paid(withdrawal_id=paid.pk, by=clerk, remark="UTR 1")
    withdrawals.mark_failed(withdrawal_id=failed.pk, by=clerk, remark="No such account")
    waits = withdraw(player, 20)

    other = fund(make_player(), deposit=20_00)["deposit"]
    asked = adjustments.request_adjustment(
        source=other,
        target=fund(player)["deposit"],
        amount=Money(5, "INR"),
        reason="Paid twice",
        by=clerk,
    )
    adjustments.approve_adjustment(adjustment=asked, by=make_player(is_staff=True))
    account_freezes.freeze_account(account=other, reason="A court's order", by=clerk)

    lot = give(player, 50)
    ended, called_off = join(player), join(player)
    settle(ended)
    stakes.return_stakes(stakes=[called_off], key="back:1")
    empty, part = make_escrow(), ended.parts.get(grant=lot)
    found = locals()
    assert audit().findings == ()
    return {name: row.pk for name, row in found.items() if hasattr(row, "pk")}


# The altered value, its row, the check that reports it, and the subject it names.
CORRUPTIONS = [
    ("withdrawal", "status = 'failed'", "paid", "withdrawal_outcome"),
    ("withdrawal", "status = 'paid'", "failed", "withdrawal_outcome"),
    ("withdrawal", "deposit_minor = 1, winnings_minor = 4999", "paid", "withdrawal_hold"),
    ("withdrawal", "player_id = {clerk}", "failed", "withdrawal_hold"),
    ("withdrawal", "deposit_minor = deposit_minor + 1", "paid", "withdrawal_paid"),
    ("adjustment", "amount_minor = 1", "asked", "adjustment_differs"),
    ("account", "status = 'open'", "other", "thawed_without_an_act"),
    ("account", "floor_minor = 5", "other", "floor_moved"),
    ("stake", "escrow_id = {empty}", "ended", "stake_escrow"),
    ("stake", "player_id = {clerk}", "ended", "stake_player"),
    ("bonusgrant", "amount_minor = amount_minor + 1", "lot", "bonus_amount"),
    ("stakepart", "returned_minor = consumed_minor, consumed_minor = 0", "part", "bonus_returned"),
    ("withholding", "opening_minor = 1, withdrawn_minor = withdrawn_minor + 1", "later", "_c"),
    ("withholding", "deposited_minor = 1, opening_minor = deposited_minor - 1", "end", "_a_b"),
    ("withholding", "closing_minor = closing_minor + 1, opening_minor = 1", "end", "_d"),
    ("withholding", "taxed_before_minor = 1, opening_minor = taxed_before_minor - 1", "end", "_e"),
]
# An attacker has also removed the constraints that bind the owner.
UNCHECKED = """
    ALTER TABLE wallet_withholding DROP CONSTRAINT wallet_withholding_net_of_a_to_e;
    ALTER TABLE wallet_withdrawal DROP CONSTRAINT wallet_withdrawal_reference_when_paid;
"""
NAMES = {"part": "bonus {lot}", "lot": "bonus {lot}"}


@pytest.mark.extended
def test_each_differing_row_is_found_and_named(rows):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    for table, sets, row, check in CORRUPTIONS:
        statement = f"UPDATE wallet_{table} SET {sets.format(**rows)} WHERE id = {rows[row]}"
        with transaction.atomic():
            with unguarded() as cursor:
                cursor.execute(UNCHECKED)
                cursor.execute(statement)
                assert cursor.rowcount == 1, statement
            found = {(finding.check, finding.subject) for finding in audit().findings}
            transaction.set_rollback(True)
        named = NAMES.get(row, f"{table} {rows[row]}").format(**rows)
        assert (f"{table}{check}" if check[0] == "_" else check, named) in found, statement

    assert audit().findings == ()


@pytest.mark.extended
def test_audit_reports_a_deleted_withholding_without_tax():
    open_region("IN-KA")
    player = make_winner(deposit=50)
    withdraw(player, 10)
    waits = withdraw(player, 20)
    assert audit().findings == ()
    with transaction.atomic(), unguarded() as cursor:
        cursor.execute("DELETE FROM wallet_withholding WHERE withdrawal_id = %s", [waits.pk])

    found = {finding.check: finding.subject for finding in audit().findings}

    assert found.keys() == {"withholding_missing", "row_deleted"}
    assert found["withholding_missing"] == f"withdrawal {waits.pk}"
