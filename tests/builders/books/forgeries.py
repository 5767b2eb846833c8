"""Forged documents, and the transfers they should justify.

Each can be written by the application's login; the values name the audit's check.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from types import SimpleNamespace

from django.db import connection
from django.utils import timezone
from moneyed import Money

from core import audit_log
from core.clock import database_now
from tests.builders.tables.pools import make_pool
from tests.builders.wallet.bonus_desk import rupees
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import admit_to_cash, fund, make_player
from wallet.bonuses import bonuses
from wallet.bonuses.models import BonusRequest
from wallet.corrections.models import Adjustment
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.deposits.payment_models import GatewayPayment, PaymentReturn
from wallet.ledger import accounts, posting
from wallet.ledger.models import Transfer
from wallet.stakes import paid_entries, stakes
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import PayoutBatch, Withdrawal

Kind, Document = Transfer.Kind, Transfer.Document
CREDITED, SUSPENSE = GatewayEvent.Outcome.CREDITED, GatewayEvent.Outcome.SUSPENSE
_numbers = count(1)


def make_scene() -> SimpleNamespace:
    """Two players with money, and two members of staff."""
    players = [make_player(), make_player()]
    mine, theirs = (fund(player, deposit=900_00, winnings=900_00) for player in players)
    admit_to_cash(players[0])
    ticket = accounts.open_ticket(player=players[0], ref="ticket:1", currency="INR")
    clearing = operator("gateway_clearing")
    posting.post(key="ticket", kind=Kind.DEPOSIT, entries=[(clearing, -5_00), (ticket, 5_00)])
    return SimpleNamespace(
        player=players[0],
        other=players[1],
        mine=mine,
        theirs=theirs,
        ticket=ticket,
        clearing=clearing,
        maker=make_player(is_staff=True),
        checker=make_player(is_staff=True),
        pool=make_pool(players=2, entry_minor=50_00),
        # Pages open accounts too.
        owed=accounts.open_player_account(player=players[1], currency="INR", kind="receivable"),
    )


def ask_what_commit_asks():
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def operator(kind, currency="INR"):
    return accounts.operator_account(kind=kind, currency=currency)


def post(kind, *entries, **facts):
    return posting.post(key=f"forged:{next(_numbers)}", kind=kind, entries=entries, **facts)


def order_of(player, **fields):
    reference = f"order_{next(_numbers)}"
    return Deposit.objects.create(
        player=player,
        provider="sandbox",
        order_reference=reference,
        pay_url="https://pay",
        currency="INR",
        amount_minor=5_00,
        **fields,
    )


def pay(order, transfer):
    Deposit.objects.filter(pk=order.pk).update(status="paid", transfer=transfer)


def payment_for(order, transfer):
    return GatewayPayment.objects.create(
        provider="sandbox",
        reference=f"pay_{next(_numbers)}",
        order_reference=order.order_reference,
        currency="INR",
        amount_minor=5_00,
        deposit=order,
        transfer=transfer,
    )


def receive(payment, outcome, kind="paid", case=""):
    GatewayEvent.objects.create(
        provider="sandbox",
        event_reference=f"event_{next(_numbers)}",
        kind=kind,
        order_reference=payment.order_reference,
        payment_reference=payment.reference,
        case_reference=case,
        currency="INR",
        amount_minor=payment.amount_minor,
        outcome=outcome,
        source="signed",
        body=b"{}",
        received_at=database_now(),
    )


def credit(s, order):
    entries = [(s.clearing, -5_00), (s.mine["deposit"], 5_00)]
    return post(Kind.DEPOSIT, *entries, document=Document.ORDER, document_id=order.pk)


def an_order_no_event_paid(s):
    order = order_of(s.player)
    transfer = credit(s, order)
    pay(order, transfer)
    payment_for(order, transfer)


def a_payment_no_event_brought(s):
    order = order_of(s.player, status="placed")
    entries = [(s.clearing, -5_00), (operator("suspense"), 5_00)]
    brought = post(Kind.DEPOSIT, *entries, document=Document.PAYMENT)
    payment_for(order, brought)
    StaffTask.objects.create(kind="other_amount", details="", deposit=order, transfer=brought)


def a_payment_that_only_a_task_knows(s):
    entries = [(s.clearing, -5_00), (operator("suspense"), 5_00)]
    brought = post(Kind.DEPOSIT, *entries, document=Document.PAYMENT)
    StaffTask.objects.create(kind="unknown_order", details="", transfer=brought)


def a_payment_its_own_player_placed(s):
    order = order_of(s.player)
    entries = [(s.clearing, -5_00), (operator("suspense"), 5_00)]
    brought = post(Kind.DEPOSIT, *entries, document=Document.PAYMENT)
    receive(payment_for(order, brought), SUSPENSE)
    task = StaffTask.objects.create(
        kind="other_amount", details="", deposit=order, transfer=brought
    )
    entries = [(operator("suspense"), -5_00), (s.mine["deposit"], 5_00)]
    post(Kind.DEPOSIT, *entries, document=Document.TASK, document_id=task.pk)
    StaffTask.objects.filter(pk=task.pk).update(done_at=timezone.now(), done_by=s.player)


def take_back(s, payment, case):
    row = PaymentReturn.objects.create(
        payment=payment,
        provider="sandbox",
        reference=case,
        what="refund",
        currency="INR",
        amount_minor=5_00,
        reported="taken",
        player=s.other,
    )
    entries = [(s.theirs["deposit"], -5_00), (s.clearing, 5_00)]
    taken = post(Kind.CHARGEBACK, *entries, document=Document.PAYMENT_RETURN, document_id=row.pk)
    PaymentReturn.objects.filter(pk=row.pk).update(
        status="taken", transfer=taken, closed_at=timezone.now()
    )


def a_chargeback_of_no_payment(s):
    payment = GatewayPayment.objects.create(
        provider="sandbox", reference="pay_none", currency="INR", amount_minor=5_00
    )
    receive(payment, "taken", "refund_done", "case_none")
    take_back(s, payment, "case_none")


def a_chargeback_of_another_s_payment(s):
    order = order_of(s.player)
    transfer = credit(s, order)
    pay(order, transfer)
    payment = payment_for(order, transfer)
    receive(payment, CREDITED)
    receive(payment, "taken", "refund_done", "case_other")
    take_back(s, payment, "case_other")


def a_chargeback_the_gateway_never_said(s):
    order = order_of(s.other)
    entries = [(s.clearing, -5_00), (s.theirs["deposit"], 5_00)]
    transfer = post(Kind.DEPOSIT, *entries, document=Document.ORDER, document_id=order.pk)
    pay(order, transfer)
    payment = payment_for(order, transfer)
    receive(payment, CREDITED)
    take_back(s, payment, "case_unsaid")


def correct(s, made_by, checked_by, *, with_deeds=()):
    asked = Adjustment.objects.create(
        amount_minor=5_00,
        reason="x",
        made_by=made_by,
        source=operator("rake"),
        target=s.mine["deposit"],
    )
    entries = [(asked.source, -5_00), (asked.target, 5_00)]
    facts = {"document": Document.ADJUSTMENT, "document_id": asked.pk}
    asked.transfer = post(Kind.ADJUSTMENT, *entries, **facts)
    asked.status, asked.checked_by, asked.checked_at = "approved", checked_by, timezone.now()
    asked.save(update_fields=["status", "checked_by", "checked_at", "transfer"])
    for act, by in with_deeds:
        audit_log.record(by=by, act=act, row=asked)


def a_correction_for_its_checker(s):
    acts = [("ask", s.maker), ("approve", s.player)]
    correct(s, s.maker, s.player, with_deeds=acts)


def a_correction_without_acts(s):
    correct(s, s.maker, s.checker)


def a_bonus_nobody_asked_for(s):
    give_bonus(s, "forged")


def give_bonus(s, key, by=None):
    return bonuses.grant_bonus(
        player=s.player,
        amount=rupees(50),
        mode="spend",
        expires_at=timezone.now() + timedelta(days=9),
        key=key,
        reason="Diwali",
        by=by,
    )


def a_bonus_its_player_checked(s):
    BonusRequest.objects.create(
        player=s.player,
        currency="INR",
        mode="spend",
        amount_minor=50_00,
        reason="Diwali",
        made_by=s.maker,
        status="approved",
        checked_by=s.player,
        checked_at=timezone.now(),
        grant=give_bonus(s, "own", by=s.player),
    )


def a_ticket_paid_out_by_nobody(s):
    paid_entries.pay_back(account=s.ticket, player=s.player, key="ticket-back:1")


def ask_for_payout(s):
    return withdrawals.request_withdrawal(
        player=s.other,
        amount=rupees(300),
        payee=payee_for(s.other),
        requested_by=s.other,
        agreed_tax=rupees(0),
    )


def pay_out(s, *, approver, sender, acts):
    asked = ask_for_payout(s)
    rows, now = Withdrawal.objects.filter(pk=asked.pk), timezone.now()
    batch = PayoutBatch.objects.create(made_by=sender)
    rows.update(status="approved", decided_by=approver, decided_at=now, batch=batch)
    rows.update(status="paid", closed_at=now, due_at=None)
    for act, by in acts:
        audit_log.record(by=by, act=act, row=batch if act == "send_to_bank" else asked)
    entries = [(s.theirs["withdrawal_hold"], -300_00), (s.clearing, 300_00)]
    post(Kind.WITHDRAWAL, *entries, document=Document.PAYOUT, document_id=asked.pk)


def a_withdrawal_nobody_approved(s):
    pay_out(s, approver=s.checker, sender=s.maker, acts=[])


def a_withdrawal_one_person_paid(s):
    acts = [("approve", s.checker), ("send_to_bank", s.checker), ("note_paid", s.checker)]
    pay_out(s, approver=s.checker, sender=s.checker, acts=acts)


def a_withdrawal_its_approver_noted(s):
    acts = [("approve", s.checker), ("send_to_bank", s.maker), ("note_paid", s.checker)]
    pay_out(s, approver=s.checker, sender=s.maker, acts=acts)


def a_withdrawal_nobody_sent(s):
    acts = [("approve", s.checker), ("note_paid", s.maker)]
    pay_out(s, approver=s.checker, sender=s.maker, acts=acts)


def give_back(s, asked, status, **closed):
    rows, now = Withdrawal.objects.filter(pk=asked.pk), timezone.now()
    rows.update(status=status, closed_at=now, due_at=None, **closed)
    posting.reverse(asked.hold)


def a_withdrawal_nobody_rejected(s):
    give_back(s, ask_for_payout(s), "rejected", decided_by=s.checker, decided_at=timezone.now())


def a_withdrawal_the_bank_did_not_refuse(s):
    """It was paid, and comes back into the wallet as well."""
    asked = ask_for_payout(s)
    rows = Withdrawal.objects.filter(pk=asked.pk)
    batch = PayoutBatch.objects.create(made_by=s.maker)
    rows.update(status="approved", decided_by=s.checker, decided_at=timezone.now(), batch=batch)
    audit_log.record(by=s.checker, act="approve", row=asked)
    audit_log.record(by=s.maker, act="send_to_bank", row=batch)
    give_back(s, asked, "failed")


def an_overlay_of_a_table(s):
    game = {"document": Document.GUARANTEE, "game": s.pool.escrow.ref}
    post(Kind.GRANT, (operator("guarantee", "PTS"), -5_00), (s.pool.escrow, 5_00), **game)


def a_stake_without_a_seat(s):
    accounts.open_player_accounts(player=s.player, currency="PTS")
    stakes.take_stake(
        player=s.pool.seats.first().player,
        escrow=s.pool.escrow,
        entry=Money(1, "PTS"),
        rake_bps=0,
        key="seatless",
    )


def a_game_that_is_nowhere(s):
    escrow = accounts.open_escrow(ref="table:nowhere", currency="INR")
    paid = [
        stakes.take_stake(
            player=player, escrow=escrow, entry=rupees(1), rake_bps=0, key=f"{player.pk}"
        )
        for player in (s.player, s.other)
    ]
    stakes.settle_game(
        escrow=escrow, stakes=paid, prizes=[(s.player, rupees(2))], key="finish:nowhere"
    )


def a_prize_no_result_gives(s):
    paid = list(s.pool.escrow.stakes.select_related("player"))
    pot = Money(sum(stake.net_minor for stake in paid) / 100, "PTS")
    stakes.settle_game(
        escrow=s.pool.escrow, stakes=paid, prizes=[(paid[0].player, pot)], key="finish:unplayed"
    )


FORGED = {
    an_order_no_event_paid: "deposit_without_event",
    a_payment_no_event_brought: "transfer_without_document",
    a_payment_that_only_a_task_knows: "transfer_without_document",
    a_payment_its_own_player_placed: "transfer_without_document",
    a_chargeback_of_no_payment: "transfer_without_document",
    a_chargeback_of_another_s_payment: "transfer_without_document",
    a_chargeback_the_gateway_never_said: "transfer_without_document",
    a_correction_for_its_checker: "transfer_without_document",
    a_correction_without_acts: "transfer_without_document",
    a_bonus_nobody_asked_for: "transfer_without_document",
    a_bonus_its_player_checked: "transfer_without_document",
    a_withdrawal_nobody_approved: "transfer_without_document",
    a_withdrawal_one_person_paid: "transfer_without_document",
    a_withdrawal_its_approver_noted: "transfer_without_document",
    a_withdrawal_nobody_sent: "transfer_without_document",
    a_withdrawal_nobody_rejected: "transfer_without_document",
    a_withdrawal_the_bank_did_not_refuse: "transfer_without_document",
    a_ticket_paid_out_by_nobody: "ticket_paid_out",
    an_overlay_of_a_table: "overlay_without_a_guarantee",
    a_stake_without_a_seat: "stake_without_a_seat",
    a_game_that_is_nowhere: "escrow_without_a_game",
    a_prize_no_result_gives: "result_prize",
}
