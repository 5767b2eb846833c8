"""Staff actions about money."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.utils import timezone
from moneyed import Money

from players.accounts.models import User
from players.eligibility.places import region_changes
from players.eligibility.places.models import Offer
from tests.builders.staff.acts import WHY, Act, boss, pair
from tests.builders.wallet.cashier_desk import start_deposit, tell
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund
from wallet.audit import freezes
from wallet.audit.models import WithdrawalFreeze
from wallet.bonuses import requests as bonus_requests
from wallet.corrections import adjustments
from wallet.deposits import deposits, payment_returns, suspense
from wallet.deposits import terms as deposit_terms
from wallet.deposits.models import GatewayEvent, StaffTask
from wallet.deposits.payment_models import PaymentReturn
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.tax import rates, residence
from wallet.tax.models import PayeeKind, TaxRate
from wallet.withdrawals import withdrawals


def adjustment_act(step: str) -> Act:
    rival, player = pair()
    ask = partial(
        adjustments.request_adjustment,
        source=accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        target=fund(player, deposit=10_00)["deposit"],
        amount=Money(5, "INR"),
        **WHY,
    )
    if step == "request":
        return Act(ask, rival)
    asked = ask(by=boss())
    return Act(partial(getattr(adjustments, f"{step}_adjustment"), adjustment=asked), rival, asked)


def bonus_act(step: str) -> Act:
    rival, player = pair()
    terms = {"player": player, "amount": Money(50, "INR"), "mode": "spend", "term_days": 30}
    ask = partial(bonus_requests.request_bonus, **terms, **WHY)
    if step == "request":
        return Act(ask, rival)
    asked = ask(by=boss())
    return Act(partial(getattr(bonus_requests, f"{step}_bonus"), request=asked), rival, asked)


def freeze_act() -> Act:
    rival, player = pair()
    account = fund(player, deposit=10_00)["deposit"]
    return Act(partial(freezes.freeze_account, account=account, **WHY), rival)


def thaw_act() -> Act:
    rival, player = pair()
    account = fund(player, deposit=10_00)["deposit"]
    freezes.freeze_account(account=account, by=boss(), **WHY)
    return Act(partial(freezes.thaw_account, account=account, **WHY), rival)


def withdrawal_act(name: str) -> Act:
    rival, player = pair()
    fund(player, deposit=50_00)
    row = withdrawals.request_withdrawal(
        player=player, amount=Money(20, "INR"), payee=payee_for(player), requested_by=player
    )
    if name.startswith("mark"):
        withdrawals.approve(withdrawal_id=row.pk, by=boss())
        withdrawals.send_to_bank(by=boss())
    sent = {} if name == "approve" else {"remark": "UTR 1"}
    do = partial(getattr(withdrawals, name), withdrawal_id=row.pk, **sent)
    return Act(do, rival, row, tuple(sent.items()))


def suspense_act(name: str) -> Act:
    rival, player = pair()
    deposit = start_deposit(player=player, amount=Money(100, "INR"))
    tell(deposit, Sent(surplus_minor=-1_00))
    task = StaffTask.objects.get(deposit=deposit)
    sent = {"remark": "rfnd_1"} if name == "return_payment" else {}
    do = partial(getattr(suspense, name), task_id=task.pk, **sent)
    return Act(do, rival, task, tuple(sent.items()))


def return_act() -> Act:
    """A refund of more than was paid, which staff must confirm."""
    rival, player = pair()
    deposit = start_deposit(player=player, amount=Money(100, "INR"))
    refund = Sent(GatewayEvent.Kind.REFUND_DONE, case="r1", surplus_minor=1)
    tell(deposit, Sent(), refund)
    case = PaymentReturn.objects.get(status="checking")
    sent = {"remark": "Adjusted by hand"}
    do = partial(payment_returns.close_return, return_id=case.pk, **sent)
    return Act(do, rival, case, tuple(sent.items()))


def depositor_act() -> User:
    rival = boss()
    fund(rival, deposit=50_00)
    return rival


def term_act(step: str) -> Act:
    """A member of staff with cash of their own changes the deposit terms."""
    ask = partial(deposit_terms.request_term, hours=0, begins_at=timezone.now(), **WHY)
    if step == "request":
        return Act(ask, depositor_act())
    asked = ask(by=boss())
    do = partial(getattr(deposit_terms, f"{step}_term"), term_id=asked.pk)
    return Act(do, depositor_act(), asked)


def region_act(step: str) -> Act:
    """A member of staff with cash of their own opens a region for cash."""
    place = {"country": "IN", "region": "KA", "offer": Offer.ALLOWED}
    ask = partial(region_changes.request_change, begins_at=timezone.now(), **place, **WHY)
    if step == "request":
        return Act(ask, depositor_act())
    asked = ask(by=boss())
    do = partial(getattr(region_changes, f"{step}_change"), change_id=asked.pk)
    return Act(do, depositor_act(), asked)


def tax_rate_act() -> Act:
    tomorrow = timezone.localdate() + timedelta(days=1)
    rate = TaxRate(tax="tds", starts_on=tomorrow, bps=0, treatment="none", law="None")
    return Act(partial(rates.append, row=rate), depositor_act())


def residence_act(name: str) -> Act:
    rival, player = pair()
    row = residence.declare_residence(
        player_id=player.pk, kind=PayeeKind.NON_RESIDENT, country="AE"
    )
    do = partial(getattr(residence, name), residence_id=row.pk, **WHY)
    return Act(do, rival, row, (("remark", "Because"),))


def task_act() -> Act:
    waiting = withdrawal_act("approve")
    task = StaffTask.objects.create(kind="late_payment", transfer=waiting.row.hold, details="Late")
    return replace(waiting, do=partial(deposits.finish_task, task_id=task.pk), row=task)


def withdrawal_freeze_act(name: str) -> Act:
    """A member of staff with a pending withdrawal of their own, held by the freeze."""
    rival = boss()
    fund(rival, deposit=50_00)
    amount = Money(20, "INR")
    withdrawals.request_withdrawal(
        player=rival, amount=amount, payee=payee_for(rival), requested_by=rival
    )
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    if name == "lift_freeze":
        freezes.clear_freeze(freeze=freeze, by=boss())
    return Act(partial(getattr(freezes, name), freeze=freeze), rival, freeze)
