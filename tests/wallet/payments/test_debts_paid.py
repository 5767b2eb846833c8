"""Players owe what the gateway takes back: credits pay the debt first, cash play waits for it."""

import pytest
from django.db import DatabaseError, connection, transaction
from moneyed import Money

from tests.builders.wallet.bonus_desk import join
from tests.builders.wallet.cashier_desk import tell
from tests.builders.wallet.payment_returns import LOST, money_of, paid, withdraw
from tests.builders.wallet.payout_desk import make_sent
from tests.builders.wallet.players import books, freeze, fund, make_escrow, make_player
from wallet.audit.audit import row_findings
from wallet.corrections import adjustments
from wallet.exceptions import DebtOutstanding
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import paid_entries, stakes
from wallet.statements.receipts import receipt_of
from wallet.withdrawals import withdrawals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def debts_paid():
    found = Transfer.objects.filter(document="debt").order_by("pk")
    return [(str(one.kind), one.document_id, one.entries.count()) for one in found]


def play(player, *, entry, prize):
    """Let a player win a prize against another who paid the rest of it."""
    escrow = make_escrow()
    mine = join(player, entry=entry, escrow=escrow)
    other = join(fund(make_player(), deposit=500_00)["deposit"].player, entry=100, escrow=escrow)
    return lambda: stakes.settle_game(
        escrow=escrow,
        stakes=[mine, other],
        prizes=[(player, Money(prize, "INR")), (other.player, Money(entry + 100 - prize, "INR"))],
        key=f"finish:{escrow.pk}",
    )


def sent(player, rupees):
    return make_sent(player=player, rupees=rupees)


@pytest.mark.parametrize(("made", "way_back"), [(withdraw, "reject"), (sent, "mark_failed")])
def test_returned_withdrawal_pays_what_its_player_owes_once(made, way_back):
    deposit = paid()
    player, withdrawal = deposit.player, made(deposit.player, 100)
    tell(deposit, LOST)
    assert money_of(player) == [0, 0, -100_00]
    clerk = make_player(is_staff=True)

    for _again in range(2):
        getattr(withdrawals, way_back)(withdrawal_id=withdrawal.pk, by=clerk, remark="owed")

    assert money_of(player) == [0, 0, 0]
    reversal = Transfer.objects.get(kind="reversal")
    assert debts_paid() == [("chargeback", reversal.pk, 2)]
    [paying] = Transfer.objects.filter(document="debt")
    assert "paid your debt" in receipt_of(transfer=paying, player=player).sentence
    assert row_findings() == ()


def test_refunded_stakes_and_prizes_pay_the_debt_first():
    deposit = paid()
    player = deposit.player
    back = join(player, entry=30)
    finish = play(player, entry=50, prize=90)
    tell(deposit, LOST)
    assert money_of(player) == [0, 0, -80_00]

    stakes.return_stakes(stakes=[back], key="back:1")
    assert money_of(player) == [0, 0, -50_00]
    for _again in range(2):
        finish()

    assert money_of(player) == [0, 40_00, 0]
    assert len(debts_paid()) == 2
    assert row_findings() == ()


def test_approved_correction_pays_the_debt():
    deposit = paid()
    player = deposit.player
    join(player, entry=100)
    tell(deposit, LOST)

    asked = adjustments.request_adjustment(
        source=accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR"),
        target=Account.objects.get(player=player, currency="INR", kind="winnings"),
        amount=Money(120, "INR"),
        reason="A prize by hand",
        by=make_player(is_staff=True),
    )
    adjustments.approve_adjustment(adjustment=asked, by=make_player(is_staff=True))

    assert money_of(player) == [0, 20_00, 0]
    assert row_findings() == ()


def test_refund_to_a_frozen_account_pays_no_debt():
    deposit = paid()
    player = deposit.player
    stake = join(player, entry=60)
    freeze(Account.objects.get(player=player, currency="INR", kind="deposit"))
    tell(deposit, LOST)
    assert money_of(player) == [40_00, 0, -100_00]

    stakes.return_stakes(stakes=[stake], key="back:1")

    assert (money_of(player), debts_paid()) == ([100_00, 0, -100_00], [])


def test_a_debt_is_paid_by_nothing_but_what_came_in_with_it():
    deposit = paid()
    player = deposit.player
    withdraw(player, 100)
    tell(deposit, LOST)
    fund(player, winnings=100_00)
    mine = Account.objects.get(player=player, currency="INR", kind="winnings")
    owed = Account.objects.get(player=player, currency="INR", kind="receivable")
    earlier = Transfer.objects.order_by("-pk").exclude(entries__account=mine).first()
    before = books()

    def forge():
        posting.post(
            key="forged",
            kind=Transfer.Kind.CHARGEBACK,
            entries=[(mine, -50_00), (owed, 50_00)],
            document=Transfer.Document.DEBT,
            document_id=earlier.pk,
        )
        connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")

    with pytest.raises(DatabaseError, match="the debt behind"), transaction.atomic():
        forge()

    assert books() == before


def make_debtor():
    """Return a player who has 100 in a withdrawal under way and owes as much."""
    deposit = paid()
    withdrawal = withdraw(deposit.player, 100)
    tell(deposit, LOST)
    return deposit.player, withdrawal


def test_debtor_cannot_join_cash_games_until_the_debt_is_paid():
    player, _ = make_debtor()
    fund(player, winnings=150_00)
    before = books()

    with pytest.raises(DebtOutstanding, match="You owe ₹100") as refusal, transaction.atomic():
        join(player, entry=50)

    assert (refusal.value.code, books()) == ("debt_outstanding", before)
    paid(player)
    assert join(player, entry=50).status == "live"


def test_player_with_debts_cannot_use_a_ticket():
    player, _ = make_debtor()
    ticket = accounts.open_ticket(player=player, ref="ticket:1", currency="INR")

    with pytest.raises(DebtOutstanding):
        paid_entries.take_stake(
            player=player,
            escrow=make_escrow(),
            entry=Money(10, "INR"),
            rake_bps=0,
            paid_from=ticket,
            key="entry:1",
        )
