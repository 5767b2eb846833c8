"""The audit finds taxes without rows, rows without taxes, and wrong figures."""

import pytest
from django.db import connection

from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import fund
from tests.builders.wallet.tax_office import give_back, make_winner, undone, unguarded, withdraw
from wallet.audit.audit import row_findings
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts, posting
from wallet.tax import withholding

pytestmark = pytest.mark.django_db
# An attacker has also removed the constraints that bind the owner.
CHECKS = [
    ("wallet_withholding", "net_of_a_to_e"),
    ("wallet_withholding", "tax_half_up"),
    ("wallet_withholding", "is_posted"),
    ("wallet_gstcharge", "adds_up"),
    ("wallet_gstcharge", "by_its_rate"),
]
WITHHELD, CHARGED = "UPDATE wallet_withholding SET", "UPDATE wallet_gstcharge SET"


@pytest.fixture
def taxed(db):
    """One player with three withdrawals, one of them back; one deposit with its GST."""
    open_region("IN-KA")
    player = make_winner(deposit=100, winnings=1000)
    withdraw(player, 300)
    give_back(withdraw(player, 200))
    last = withdraw(player, 400)
    tell(make_deposit(), Sent())
    assert row_findings() == ()
    return last


CORRUPTIONS = [
    (f"{WITHHELD} withdrawn_minor = withdrawn_minor + 1", {"withholding_a_b"}),
    (f"{WITHHELD} deposited_minor = deposited_minor - 1", {"withholding_a_b"}),
    (f"{WITHHELD} taxed_before_minor = taxed_before_minor + 1", {"withholding_e"}),
    (f"{WITHHELD} tax_minor = tax_minor + 1", {"tds_unexplained", "withdrawal_tax"}),
    (f"{WITHHELD} net_minor = net_minor + 1", {"withholding_sum"}),
    (f"{WITHHELD} year = year - 1", {"withholding_year"}),
    ("DELETE FROM wallet_withholding", {"tds_unexplained", "withdrawal_tax"}),
    (
        "UPDATE wallet_withdrawal SET tax_minor = tax_minor - 1",
        {"withdrawal_tax", "hold_unexplained"},
    ),
    (f"{CHARGED} tax_minor = tax_minor + 1", {"gst_unexplained", "deposit_gst"}),
    ("DELETE FROM wallet_gstcharge", {"gst_unexplained", "deposit_gst"}),
    ("UPDATE wallet_deposit SET gst_minor = gst_minor + 1", {"deposit_gst"}),
]


@pytest.mark.parametrize(
    "corruptions",
    [CORRUPTIONS[:4], pytest.param(CORRUPTIONS[4:], marks=pytest.mark.extended)],
    ids=["the first", "the others"],
)
def test_every_corruption_of_taxes_is_found(taxed, corruptions):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    for statement, checks in corruptions:
        last = f" WHERE id = {taxed.withholding.pk}" if "withholding" in statement else ""
        with undone():
            with unguarded(), connection.cursor() as cursor:
                for table, name in CHECKS:
                    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_{name}")
                cursor.execute(statement + last)
            found = {finding.check for finding in row_findings()}

        assert checks <= found, statement


@pytest.mark.extended
def test_tax_moved_without_a_row_is_found(taxed):
    player = taxed.player
    payable = withholding.payable_account(player=player, currency="INR")
    posting.post(
        key="stray", kind="tax", entries=[(fund(player)["winnings"], -1_00), (payable, 1_00)]
    )

    [finding] = row_findings()

    assert finding.check == "tds_unexplained"
    assert finding.detail == "moved 100 of tax, its withholding has 0"


@pytest.mark.extended
def test_audit_accepts_paying_the_state_by_an_adjustment(taxed):
    payable = withholding.payable_account(player=taxed.player, currency="INR")
    clearing = accounts.operator_account(kind="gateway_clearing", currency="INR")

    posting.post(key="paid", kind="adjustment", entries=[(payable, -50_00), (clearing, 50_00)])

    assert row_findings() == ()


@pytest.mark.extended
def test_row_on_which_a_check_fails_is_a_difference(taxed):
    with unguarded() as cursor:
        cursor.execute(
            "ALTER TABLE wallet_withholding DROP CONSTRAINT wallet_withholding_year_is_one"
        )
        cursor.execute(f"{WITHHELD} year = 0 WHERE id = %s", [taxed.withholding.pk])

    found = {(finding.check, finding.subject) for finding in row_findings()}

    assert ("audit_failed", "wallet.audit.audit_taxes") in found
    # The other checks still run.
    assert any(check == "row_rewritten" for check, _ in found)
