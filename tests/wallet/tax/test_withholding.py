"""Withholding tax on winnings (RB 11.4): its amount, time, calculation and refund."""

import pytest
from django.db import transaction
from moneyed import Money

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import balances, books, fund, make_player
from tests.builders.wallet.tax_office import (
    history_of_the_vector,
    lay_down,
    let_years_pass,
    make_winner,
    send,
    win,
    withdraw,
)
from wallet.audit.audit import row_findings
from wallet.exceptions import TaxChanged, TaxTakesAll
from wallet.ledger import accounts, posting
from wallet.tax import withholding
from wallet.tax.models import Withholding
from wallet.withdrawals import withdrawals
from wallet.withdrawals.payout_file import payout_rows

pytestmark = pytest.mark.django_db


def money_of(player):
    mine = fund(player)
    payable = withholding.payable_account(player=player, currency="INR")
    kinds = ("deposit", "winnings", "withdrawal_hold")
    return balances(*(mine[kind] for kind in kinds), payable)


def test_the_vector_of_the_rulebook():
    player = history_of_the_vector()
    first = Withholding.objects.get(reason="withdrawal")
    before = books(), money_of(player)
    for agreed in (0, 1199, "1200.01", 4000):
        with pytest.raises(TaxChanged, match=r"₹1,200\.00, you would get ₹14,800\.00"):
            withdraw(player, 16000, tax=agreed)
    assert (books(), money_of(player)) == before

    withdrawal = withdraw(player, 16000, tax=1200)

    assert (first.taxed_minor, first.tax_minor) == (2000_00, 600_00)
    row = withdrawal.withholding
    letters = [row.withdrawn_minor, row.deposited_minor, row.opening_minor, row.taxed_before_minor]
    assert letters == [41000_00, 34000_00, 1000_00, 2000_00]
    assert (row.net_minor, row.tax_minor) == (4000_00, 1200_00)
    assert withdrawal.payout == Money(14800, "INR")
    assert money_of(player) == [0, 0, 24400_00 + 14800_00, 600_00 + 1200_00]
    assert row_findings() == ()


# Worked examples that operators publish (research, 4.2): opening, deposited, withdrawals, tax.
PUBLISHED = [
    (3000, 7000, [5000], [0]),
    (3000, 7000, [5000, 7000], [0, 600]),
    (0, 15000, [7000, 10000], [0, 600]),
    (500, 2000, [3000, 1000], [150, 300]),
    (0, 0, [1], ["0.30"]),
    (0, 100, [100, "0.01", "0.02"], [0, 0, "0.01"]),
]


def test_published_examples(subtests):
    players = [make_winner(deposit=opening) for opening, *_ in PUBLISHED]
    let_years_pass()

    for player, (opening, deposited, amounts, tax) in zip(players, PUBLISHED, strict=True):
        with subtests.test(opening=opening, deposited=deposited, withdrawals=amounts):
            if deposited:
                fund(player, deposit=deposited * 100)
            win(player, 20000)

            made = [withdraw(player, rupees) for rupees in amounts]

            assert [w.tax for w in made] == [Money(rupees, "INR") for rupees in tax]

    assert row_findings() == ()


@pytest.mark.parametrize(("kind", "tax"), [("promotions", 30), ("suspense", 0)])
def test_corrections_from_suspense_are_own_deposits_and_grants_are_not(kind, tax):
    player = make_winner()
    mine = fund(player)
    source = accounts.operator_account(kind=kind, currency="INR")
    posting.post(
        key="moved", kind="adjustment", entries=[(source, -100_00), (mine["deposit"], 100_00)]
    )

    assert withdraw(player, 100).tax == Money(tax, "INR")
    assert row_findings() == ()


def test_winnings_without_a_rate_are_not_taxed(settings):
    settings.CASH_CURRENCIES = ["INR", "EUR"]
    player = make_winner(winnings=1000)
    fund(player, currency="EUR", winnings=100_00)

    in_euro = withdrawals.request_withdrawal(
        player=player, amount=Money(100, "EUR"), payee=payee_for(player), requested_by=player
    )
    lay_down("tds", bps=0, treatment="none")
    in_rupees = withdraw(player, 1000)

    assert (in_euro.tax_minor, in_rupees.tax_minor) == (0, 0)
    assert not Withholding.objects.exists()


def test_the_bank_gets_the_net_and_the_state_keeps_the_tax():
    player = make_winner(winnings=1000)
    withdrawal = send(withdraw(player, 1000))

    [[line]] = payout_rows(withdrawal.batch)
    withdrawals.mark_paid(withdrawal_id=withdrawal.pk, by=make_player(is_staff=True), remark="UTR")

    assert line["amount"] == "700.00"
    assert money_of(player) == [0, 0, 0, 300_00]
    assert row_findings() == ()


def test_a_tax_that_would_take_all_is_refused():
    player = make_winner(deposit=1000, winnings=1000)
    withdraw(player, 1000)
    mine = fund(player)
    suspense = accounts.operator_account(kind="suspense", currency="INR")
    # The gateway took most of the deposit back: what was withdrawn were winnings after all.
    moved = [(mine["winnings"], -900_00), (suspense, 900_00)]
    posting.post(key="chargeback", kind="adjustment", entries=moved)

    with pytest.raises(TaxTakesAll):
        withdraw(player, 100)


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_are_taxed_one_after_the_other():
    player = make_winner(deposit=1000, winnings=1000)

    results = at_once([lambda: withdraw(player, 1000, tax=0)] * 2)

    # Both were shown no tax. The first took the own money; the second has not agreed to 300.00.
    assert sorted(type(result).__name__ for result in results) == ["TaxChanged", "Withdrawal"]
    assert withdraw(player, 1000).tax == Money(300, "INR")
    assert Withholding.objects.count() == 2
    assert row_findings() == ()


@pytest.mark.parametrize("place", ["note_withdrawal", "Withdrawal.objects.create"])
def test_error_during_a_request_withholds_nothing(monkeypatch, place):
    player = make_winner(winnings=1000)
    before = books(), money_of(player)
    broken = {
        "note_withdrawal": "wallet.tax.withholding.note_withdrawal",
        "Withdrawal.objects.create": "wallet.withdrawals.withdrawals.Withdrawal.objects.create",
    }
    monkeypatch.setattr(broken[place], lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        withdraw(player, 1000)
    monkeypatch.undo()

    assert (books(), money_of(player)) == before
    assert not Withholding.objects.exists()
    assert withdraw(player, 1000).tax == Money(300, "INR")
