"""The audit finds taxes without rows, rows without taxes, and wrong figures."""

import pytest

from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import fund
from tests.builders.wallet.tax_office import give_back, make_winner, unguarded, withdraw
from wallet.audit.audit import row_findings
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts, posting
from wallet.tax import withholding

pytestmark = pytest.mark.django_db
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
