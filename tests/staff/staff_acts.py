"""Each act of staff with somebody who has an interest of their own in it, for the walk of all acts.

A case returns how a person does the act, and who must not. What the act needs is there already, so
anybody else's call succeeds and is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import models
from django.utils import timezone
from moneyed import Money

from players import sign_ins
from players.models import User
from tables.models import ReviewFlag, TableTemplate
from tables.services import (
    disputes,
    drains,
    lobby,
    profiles,
    reviews,
    rulings,
    seating,
    templates,
)
from tests.tables.builders import deal_at, make_game, make_player, make_rules
from tests.tables.test_disputes import complain, finished_deal
from tests.tournaments.builders import enter, make_tournament, start
from tests.tournaments.test_satellites import a_ticket
from tests.wallet.builders import admit_to_cash, fund
from tests.wallet.cashier_desk import tell
from tests.wallet.test_withdrawals import PAYEE
from tournaments.services import managing, opening, registration, stopping, tickets
from wallet.gateways.sandbox_page import Sent
from wallet.models import (
    Account,
    GatewayEvent,
    PaymentReturn,
    StaffTask,
    TaxRate,
    WithdrawalFreeze,
)
from wallet.services import (
    accounts,
    adjustments,
    bonus_requests,
    deposit_terms,
    deposits,
    freezes,
    payment_returns,
    payouts,
    suspense,
    tax_rates,
    withdrawals,
)


@dataclass(frozen=True)
class Act:
    """`do(by=person)` is the act; the rival must be refused, anybody else must not."""

    do: Callable[..., object]
    rival: User
    # What the admin's action is run on, and what its form sends beside.
    row: models.Model | None = None
    sent: tuple[tuple[str, str], ...] = ()


Case = Callable[[], Act]
WHY: dict[str, Any] = {"reason": "Because"}


def boss() -> User:
    return make_player(is_staff=True, is_superuser=True)


def pair() -> tuple[User, User]:
    """Return a member of staff and a player who sit at one table."""
    table = make_game(players=2)
    rival, player = (seat.player for seat in table.seats.select_related("player").order_by("pk"))
    rival.is_staff = rival.is_superuser = True
    rival.save()
    admit_to_cash(player)
    return rival, player


# Players.


def _session() -> Act:
    rival, player = pair()
    session = UserSession.objects.create(user=player, ip="127.0.0.1", session_key="k" * 32)
    return Act(partial(sign_ins.end_session, session_id=session.pk), rival, session)


def _block() -> Act:
    rival, player = pair()
    return Act(partial(sign_ins.block, player_id=player.pk, **WHY), rival, player)


def _unblock() -> Act:
    rival, player = pair()
    player.is_active = False
    player.save()
    return Act(partial(sign_ins.unblock, player_id=player.pk, **WHY), rival, player)


def _factor() -> Act:
    rival, player = pair()
    Authenticator.objects.create(user=player, type="totp", data={})
    return Act(partial(sign_ins.remove_second_factor, player_id=player.pk), rival, player)


# Tables.


def _ruling(kind: str) -> Act:
    rival, _ = pair()
    table = rival.seats.get().table
    if kind == "cancel":
        return Act(partial(rulings.cancel_game, table_id=table.pk, **WHY), rival, table)
    return Act(partial(rulings.void_deal, deal_id=deal_at(table).pk, **WHY), rival, table)


def _drain() -> Act:
    return Act(partial(drains.begin, **WHY), pair()[0])


def _lift() -> Act:
    rival, _ = pair()
    drain = drains.begin(by=boss(), **WHY)
    return Act(partial(drains.lift, drain=drain), rival, drain)


def _dispute(name: str, *before: str) -> Act:
    """Somebody who sat in the disputed game, which is over for the one who complains."""
    deal = finished_deal()
    dispute = complain(deal)
    rival = deal.deal_seats.get(position=3).seat.player
    rival.is_staff = rival.is_superuser = True
    rival.save()
    more = {"answer_dispute": {"answer": "It ran as it should."}}
    for earlier in before:
        getattr(disputes, earlier)(dispute_id=dispute.pk, by=boss(), **more.get(earlier, {}))
    do = partial(getattr(disputes, name), dispute_id=dispute.pk, **more.get(name, {}))
    return Act(do, rival, dispute)


def _review() -> Act:
    rival, player = pair()
    mine, theirs = rival.seats.get(), player.seats.get()
    flag = ReviewFlag.objects.create(
        table=mine.table, kind="device", seat=theirs, other=mine, at=timezone.now()
    )
    return Act(partial(reviews.review_pair, flag_id=flag.pk, note="Brothers"), rival, flag)


def _template(name: str) -> Act:
    rules = make_rules()
    template = TableTemplate.objects.create(
        slug="t", name="T", entry_minor=100, profile=profiles.register_profile(rules)
    )
    rival = boss()
    seating.join(table_id=lobby.open_of_kind(template).pk, player=rival)
    if name == "change_template":
        template.rake_bps = 500
        return Act(partial(templates.change_template, template=template, rules=rules), rival)
    do = partial(templates.set_offered, template_id=template.pk, is_offered=False)
    return Act(do, rival, template)


# Tournaments.


def _tournament(**terms: Any) -> tuple[Any, User, list[Any]]:
    tournament = make_tournament(**terms)
    rival = boss()
    entries = enter(tournament, 3)
    registration.register(tournament_id=tournament.pk, player=rival)
    return tournament, rival, entries


def _delay() -> Act:
    tournament, rival, _ = _tournament()
    later = tournament.starts_at + timedelta(days=1)
    do = partial(managing.delay, tournament_id=tournament.pk, starts_at=later, **WHY)
    return Act(do, rival)


def _extend() -> Act:
    tournament, rival, _ = _tournament(round_minutes=30)
    start(tournament)
    do = partial(managing.extend_round, tournament_id=tournament.pk, minutes=5, **WHY)
    return Act(do, rival)


def _remove() -> Act:
    _, rival, entries = _tournament()
    return Act(partial(managing.remove, entry_id=entries[0].pk, **WHY), rival)


def _cancel() -> Act:
    tournament, rival, _ = _tournament()
    return Act(partial(stopping.cancel, tournament_id=tournament.pk, **WHY), rival)


def _ask_to_abort() -> Act:
    tournament, rival, _ = _tournament()
    start(tournament)
    return Act(partial(stopping.ask_to_abort, tournament_id=tournament.pk, **WHY), rival)


def _abort() -> Act:
    tournament, rival, _ = _tournament()
    start(tournament)
    asked = stopping.ask_to_abort(tournament_id=tournament.pk, by=boss(), **WHY)
    return Act(partial(stopping.agree_to_abort, act_id=asked.pk), rival, asked)


def _open() -> Act:
    tournament, rival, _ = _tournament(start_rule="when_full")
    now, template = timezone.now(), tournament.template
    do = partial(opening.open_by_hand, template=template, starts_at=None, now=now)
    return Act(do, rival, template)


def _tournament_template() -> Act:
    tournament, rival, _ = _tournament()
    tournament.template.guarantee_minor = 50_000_00
    return Act(partial(opening.change_template, template=tournament.template), rival)


# Money.


def _adjustment(step: str) -> Act:
    rival, player = pair()
    ask = partial(
        adjustments.request_adjustment,
        source=accounts.house_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        target=fund(player, deposit=10_00)["deposit"],
        amount=Money(5, "INR"),
        **WHY,
    )
    if step == "request":
        return Act(ask, rival)
    asked = ask(by=boss())
    return Act(partial(getattr(adjustments, f"{step}_adjustment"), adjustment=asked), rival, asked)


def _bonus(step: str) -> Act:
    rival, player = pair()
    terms = {"player": player, "amount": Money(50, "INR"), "mode": "spend", "term_days": 30}
    ask = partial(bonus_requests.request_bonus, **terms, **WHY)
    if step == "request":
        return Act(ask, rival)
    asked = ask(by=boss())
    return Act(partial(getattr(bonus_requests, f"{step}_bonus"), request=asked), rival, asked)


def _freeze() -> Act:
    rival, player = pair()
    account = fund(player, deposit=10_00)["deposit"]
    return Act(partial(freezes.freeze_account, account=account, **WHY), rival)


def _thaw() -> Act:
    rival, player = pair()
    account = fund(player, deposit=10_00)["deposit"]
    freezes.freeze_account(account=account, by=boss(), **WHY)
    return Act(partial(freezes.thaw_account, account=account, **WHY), rival)


def _withdrawal(name: str) -> Act:
    rival, player = pair()
    fund(player, deposit=50_00)
    row = payouts.request_withdrawal(
        player=player, amount=Money(20, "INR"), payee=PAYEE, requested_by=player
    )
    if name.startswith("mark"):
        payouts.approve(withdrawal_id=row.pk, by=boss())
        payouts.send_to_bank(by=boss())
    sent = {} if name == "approve" else {"remark": "UTR 1"}
    do = partial(getattr(payouts, name), withdrawal_id=row.pk, **sent)
    return Act(do, rival, row, tuple(sent.items()))


def _suspense(name: str) -> Act:
    rival, player = pair()
    deposit = deposits.start_deposit(player=player, amount=Money(100, "INR"))
    tell(deposit, Sent(surplus_minor=-1_00))
    task = StaffTask.objects.get(deposit=deposit)
    sent = {"remark": "rfnd_1"} if name == "return_payment" else {}
    do = partial(getattr(suspense, name), task_id=task.pk, **sent)
    return Act(do, rival, task, tuple(sent.items()))


def _return() -> Act:
    """A refund of more than was paid, which the gateway's word alone does not settle."""
    rival, player = pair()
    deposit = deposits.start_deposit(player=player, amount=Money(100, "INR"))
    refund = Sent(GatewayEvent.Kind.REFUND_DONE, case="r1", surplus_minor=1)
    tell(deposit, Sent(), refund)
    case = PaymentReturn.objects.get(status="checking")
    sent = {"remark": "Adjusted by hand"}
    do = partial(payment_returns.close_return, return_id=case.pk, **sent)
    return Act(do, rival, case, tuple(sent.items()))


def _depositor() -> User:
    rival = boss()
    fund(rival, deposit=50_00)
    return rival


def _term(step: str) -> Act:
    """Somebody with cash of their own sets how long deposits stay."""
    ask = partial(deposit_terms.request_term, hours=0, begins_at=timezone.now(), **WHY)
    if step == "request":
        return Act(ask, _depositor())
    asked = ask(by=boss())
    do = partial(getattr(deposit_terms, f"{step}_term"), term_id=asked.pk)
    return Act(do, _depositor(), asked)


def _tax_rate() -> Act:
    tomorrow = timezone.localdate() + timedelta(days=1)
    rate = TaxRate(tax="tds", starts_on=tomorrow, bps=0, treatment="none", law="None")
    return Act(partial(tax_rates.append_rate, rate=rate), _depositor())


def _task() -> Act:
    waiting = _withdrawal("approve")
    task = StaffTask.objects.create(kind="late_payment", transfer=waiting.row.hold, details="Late")
    return replace(waiting, do=partial(deposits.finish_task, task_id=task.pk), row=task)


def _house_freeze(name: str) -> Act:
    """Somebody who waits for money of their own, which the freeze holds back."""
    rival = boss()
    fund(rival, deposit=50_00)
    amount = Money(20, "INR")
    payouts.request_withdrawal(player=rival, amount=amount, payee=PAYEE, requested_by=rival)
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    if name == "lift_freeze":
        withdrawals.clear_freeze(freeze=freeze, by=boss())
    return Act(partial(getattr(withdrawals, name), freeze=freeze), rival, freeze)


def _ticket(step: str) -> Act:
    _, main, [ticket, _] = a_ticket()
    main.is_offered = False
    main.save()
    rival = ticket.player
    rival.is_staff = rival.is_superuser = True
    rival.save()
    if step == "request":
        return Act(partial(tickets.request_refund, ticket_id=ticket.pk, **WHY), rival)
    asked = tickets.request_refund(ticket_id=ticket.pk, by=boss(), **WHY)
    return Act(partial(getattr(tickets, f"{step}_refund"), refund_id=asked.pk), rival, asked)


CASES: dict[str, Case] = {
    "players.sign_ins.end_session": _session,
    "players.sign_ins.block": _block,
    "players.sign_ins.unblock": _unblock,
    "players.sign_ins.remove_second_factor": _factor,
    "tables.services.disputes.take_dispute": partial(_dispute, "take_dispute"),
    "tables.services.disputes.answer_dispute": partial(_dispute, "answer_dispute"),
    "tables.services.disputes.close_dispute": partial(_dispute, "close_dispute", "answer_dispute"),
    "tables.services.drains.begin": _drain,
    "tables.services.drains.lift": _lift,
    "tables.services.reviews.review_pair": _review,
    "tables.services.rulings.cancel_game": partial(_ruling, "cancel"),
    "tables.services.rulings.void_deal": partial(_ruling, "void"),
    "tables.services.templates.change_template": partial(_template, "change_template"),
    "tables.services.templates.set_offered": partial(_template, "set_offered"),
    "tournaments.services.managing.delay": _delay,
    "tournaments.services.managing.extend_round": _extend,
    "tournaments.services.managing.remove": _remove,
    "tournaments.services.opening.change_template": _tournament_template,
    "tournaments.services.opening.open_by_hand": _open,
    "tournaments.services.stopping.cancel": _cancel,
    "tournaments.services.stopping.ask_to_abort": _ask_to_abort,
    "tournaments.services.stopping.agree_to_abort": _abort,
    "tournaments.services.tickets.request_refund": partial(_ticket, "request"),
    "tournaments.services.tickets.approve_refund": partial(_ticket, "approve"),
    "tournaments.services.tickets.reject_refund": partial(_ticket, "reject"),
    "wallet.services.adjustments.request_adjustment": partial(_adjustment, "request"),
    "wallet.services.adjustments.approve_adjustment": partial(_adjustment, "approve"),
    "wallet.services.adjustments.reject_adjustment": partial(_adjustment, "reject"),
    "wallet.services.bonus_requests.request_bonus": partial(_bonus, "request"),
    "wallet.services.bonus_requests.approve_bonus": partial(_bonus, "approve"),
    "wallet.services.bonus_requests.reject_bonus": partial(_bonus, "reject"),
    "wallet.services.deposit_terms.request_term": partial(_term, "request"),
    "wallet.services.deposit_terms.approve_term": partial(_term, "approve"),
    "wallet.services.deposit_terms.reject_term": partial(_term, "reject"),
    "wallet.services.deposits.finish_task": _task,
    "wallet.services.freezes.freeze_account": _freeze,
    "wallet.services.freezes.thaw_account": _thaw,
    "wallet.services.payment_returns.close_return": _return,
    "wallet.services.payouts.approve": partial(_withdrawal, "approve"),
    "wallet.services.payouts.reject": partial(_withdrawal, "reject"),
    "wallet.services.payouts.mark_paid": partial(_withdrawal, "mark_paid"),
    "wallet.services.payouts.mark_failed": partial(_withdrawal, "mark_failed"),
    "wallet.services.suspense.place_payment": partial(_suspense, "place_payment"),
    "wallet.services.suspense.return_payment": partial(_suspense, "return_payment"),
    "wallet.services.tax_rates.append_rate": _tax_rate,
    "wallet.services.withdrawals.clear_freeze": partial(_house_freeze, "clear_freeze"),
    "wallet.services.withdrawals.lift_freeze": partial(_house_freeze, "lift_freeze"),
}
