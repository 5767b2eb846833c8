"""The audit finds rows that were corrupted with all triggers off, and raises no false alarm."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from moneyed import Money

from tests.builders.books import statements
from tests.builders.people.regions import open_region
from tests.builders.wallet.bonus_desk import RELEASE, give, join, settle
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import balances, fund, make_escrow, make_player, make_stake
from tests.builders.wallet.tax_office import (
    give_back,
    let_years_pass,
    make_winner,
    no_gst,
    send,
    undone,
    unguarded,
    withdraw,
)
from wallet import exceptions
from wallet.audit import freezes, seals
from wallet.audit.audit import audit, row_findings
from wallet.audit.models import AuditRun, WithdrawalFreeze
from wallet.corrections import adjustments
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.tax import withholding
from wallet.tax.withholding import settle_past_years
from wallet.withdrawals import withdrawals

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]
CORRUPTED = statements.read("corruptions.txt")
# An attacker has also removed the constraints that bind the owner.
CHECKS = [
    *(("wallet_withholding", name) for name in ("net_of_a_to_e", "tax_half_up", "is_posted")),
    *(("wallet_gstcharge", name) for name in ("adds_up", "by_its_rate")),
    ("wallet_withdrawal", "reference_when_paid"),
]


def games():
    """Make a finished game, one in play with a lost stake, and a reversal."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    prizes = [(winner, Money(180, "INR"))]
    stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")
    in_play = make_escrow()
    lost, _, left = (make_stake(escrow=in_play) for _ in range(3))
    stakes.lose_stake(stake=lost)
    stakes.return_stakes(stakes=[left], key="leave:1")
    deposit = fund(make_player(), deposit=70_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    mistake = posting.post(
        key="mistake", kind=Transfer.Kind.ADJUSTMENT, entries=[(deposit, -10_00), (suspense, 10_00)]
    )
    posting.reverse(mistake)
    seals.seal_ledger()
    return {}


def desk():
    """Make withdrawals that were paid and came back, a year's end, a correction, and stakes."""
    past = make_winner(deposit=100, winnings=1000)
    withdraw(past, 300)
    let_years_pass()
    [end] = settle_past_years(player=past, currency="INR")
    later = withdraw(past, 100).withholding

    clerk, player = make_player(is_staff=True), make_winner(deposit=500)
    paid, failed = (send(withdraw(player, 50)) for _ in range(2))
    withdrawals.mark_paid(withdrawal_id=paid.pk, by=clerk, remark="UTR 1")
    withdrawals.mark_failed(withdrawal_id=failed.pk, by=clerk, remark="No such account")
    untaxed = withdraw(player, 20)

    other = fund(make_player(), deposit=20_00)["deposit"]
    asked = adjustments.request_adjustment(
        source=other,
        target=fund(player)["deposit"],
        amount=Money(5, "INR"),
        reason="Paid twice",
        by=clerk,
    )
    adjustments.approve_adjustment(adjustment=asked, by=make_player(is_staff=True))
    freezes.freeze_account(account=other, reason="A court's order", by=clerk)

    lot = give(player, 50)
    ended, called_off = join(player), join(player)
    settle(ended)
    stakes.return_stakes(stakes=[called_off], key="back:1")
    empty, part = make_escrow(), ended.parts.get(grant=lot)
    return {name: row.pk for name, row in locals().items() if hasattr(row, "pk")}


def taxes():
    """Make three withdrawals of one player, one of them back, and a deposit with its GST."""
    open_region("IN-KA")
    player = make_winner(deposit=100, winnings=1000)
    withdraw(player, 300)
    give_back(withdraw(player, 200))
    last = withdraw(player, 400)
    tell(make_deposit(), Sent())
    return {"withheld": last.withholding.pk}


def bonuses():
    """Make a lot partly spent, one partly released, and one in a game."""
    players = [make_player(), make_player()]
    for player in players:
        fund(player, deposit=500_00)
        give(player, 50)
        give(player, 20, days=60)
        give(player, 30, mode=RELEASE)
    escrow = make_escrow()
    settle(*[join(player, escrow=escrow) for player in players])
    join(players[0])
    return {}


def deposits():
    open_region("IN-KA")
    no_gst()
    tell(make_deposit(), Sent())
    return {}


SCENES = {each.__name__: each for each in (games, desk, taxes, bonuses, deposits)}


def missed_in(scene):
    """Return which corruptions are not found, or found by other checks than those named."""
    keys, missed = SCENES[scene](), {}
    assert row_findings() == ()
    for one in CORRUPTED[scene]:
        with undone():
            with unguarded() as cursor:
                for table, name in CHECKS:
                    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_{name}")
                for statement in one.statements(keys):
                    cursor.execute(statement)
                    assert cursor.rowcount > 0, one.name
            found = audit().findings
        named = {each.check for each in found} | {f"{each.check} {each.subject}" for each in found}
        wanted = {statements.filled(outcome, keys) for outcome in one.outcomes}
        if not wanted <= named:
            missed[one.name] = wanted - named
    assert audit().findings == ()
    return missed


def test_corrupted_taxes_and_deposits_are_found():
    assert missed_in("taxes") == {}
    assert len(CORRUPTED["taxes"]) >= 11


@pytest.mark.django_db(transaction=True)  # Seals are of transactions that have ended.
@pytest.mark.parametrize(
    ("scene", "number"), [("games", 28), ("desk", 16), ("bonuses", 11), ("deposits", 1)]
)
def test_corrupted_row_is_found_by_its_check(scene, number):
    assert missed_in(scene) == {}
    assert len(CORRUPTED[scene]) >= number


def corrupt(name):
    [one] = (one for one in CORRUPTED["games"] if one.name == name)
    with unguarded() as cursor:
        cursor.execute(one.text)
        assert cursor.rowcount > 0


@pytest.mark.django_db(transaction=True)
def test_a_difference_exits_1_and_freezes_withdrawals_until_two_people_lift_it():
    games()
    mine = fund(make_player(), winnings=50_00)
    said = StringIO()
    corrupt("a balance is raised")

    def withdraw():
        posting.post(
            key="withdraw:1",
            kind=Transfer.Kind.WITHDRAWAL,
            entries=[(mine["winnings"], -1), (mine["withdrawal_hold"], 1)],
        )

    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            call_command("audit_ledger", stdout=said)
        assert end.value.code == 1

    assert "balance_drift: account" in said.getvalue()
    [freeze] = WithdrawalFreeze.objects.all()
    assert "balance_drift: account" in freeze.findings
    assert AuditRun.objects.filter(differences__gt=0).count() == 2
    with pytest.raises(exceptions.WithdrawalsFrozen):
        withdraw()
    freezes.clear_freeze(freeze=freeze, by=make_player())
    freezes.lift_freeze(freeze=freeze, by=make_player())
    withdraw()
    assert balances(mine["withdrawal_hold"]) == [1]


def test_clean_audit_exits_0_and_freezes_nothing():
    games()
    said = StringIO()

    call_command("audit_ledger", "--json", stdout=said)

    report = json.loads(said.getvalue())
    assert (report["ok"], report["findings"]) == (True, [])
    assert (report["transfers"], report["stakes"]) == (15, 5)
    assert not WithdrawalFreeze.objects.exists()


def payable():
    return withholding.payable_account(player=make_player(), currency="INR")


@pytest.mark.extended
def test_tax_moved_without_a_row_is_found_and_a_payment_to_the_state_is_none():
    taxes()
    player = make_winner(winnings=5)
    clearing = accounts.operator_account(kind="gateway_clearing", currency="INR")
    posting.post(key="paid", kind="adjustment", entries=[(payable(), -50_00), (clearing, 50_00)])
    assert row_findings() == ()
    entries = [(fund(player)["winnings"], -1_00), (payable(), 1_00)]
    posting.post(key="stray", kind="tax", entries=entries)

    [finding] = row_findings()

    assert finding.check == "tds_unexplained"
    assert finding.detail == "moved 100 of tax, its withholding has 0"


@pytest.mark.extended
def test_row_on_which_a_check_fails_is_a_difference():
    keys = taxes()
    with unguarded() as cursor:
        cursor.execute(
            "ALTER TABLE wallet_withholding DROP CONSTRAINT wallet_withholding_year_is_one"
        )
        cursor.execute("UPDATE wallet_withholding SET year = 0 WHERE id = %s", [keys["withheld"]])

    found = {(finding.check, finding.subject) for finding in row_findings()}

    assert ("audit_failed", "wallet.audit.audit_taxes") in found
    # The other checks still run.
    assert any(check == "row_rewritten" for check, _ in found)
