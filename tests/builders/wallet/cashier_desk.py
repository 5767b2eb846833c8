"""Depositors, their orders, and the gateway's events about them."""

from __future__ import annotations

from celery.signals import before_task_publish
from moneyed import Money

from tests.builders.wallet.players import balances, make_player
from wallet.deposits.deposits import (
    apply_event,
    apply_received,
    note_order,
    open_order,
    receive_event,
)
from wallet.deposits.models import GatewayEvent
from wallet.gateways import sandbox_page
from wallet.gateways.sandbox import SIGNATURE_HEADER, order_of, sign
from wallet.gateways.sandbox_page import event_bodies
from wallet.ledger import accounts
from wallet.ledger.models import Account

Outcome = GatewayEvent.Outcome


def make_depositor(**overrides):
    return make_player(**{"country": "IN", "region": "KA"} | overrides)


def start_deposit(*, player, amount):
    """Open an order and note it, as the cashier's edges do one after the other."""
    return note_order(player=player, opened=open_order(player=player, amount=amount))


def make_deposit(rupees=100):
    return start_deposit(player=make_depositor(), amount=Money(rupees, "INR"))


def order(deposit):
    return order_of(deposit.pay_url.rstrip("/").rsplit("/", 1)[1])


def send(body, *, header=None):
    """Deliver a message of the sandbox bank, and apply its event as a settlement worker does."""
    headers = {SIGNATURE_HEADER: sign(body) if header is None else header}
    outcome = receive_event(provider="sandbox", body=body, headers=headers)
    kept = GatewayEvent.objects.filter(provider="sandbox", body=body).latest("pk")
    is_repeated = outcome == Outcome.IGNORED and kept.outcome != Outcome.RECEIVED
    return outcome if is_repeated else apply_event(event_id=kept.pk)


def press(client, deposit, button):
    """Press a button of the sandbox bank, and let its events arrive and be applied."""
    sent = []

    def note(*, sender, body, **_message):
        if sender == "wallet.deliver_sandbox_events":
            [events], _keywords, _options = body
            sent.extend(events)

    before_task_publish.connect(note)
    try:
        answer = client.post(deposit.pay_url, {"button": button})
    finally:
        before_task_publish.disconnect(note)
    sandbox_page.deliver(event.encode() for event in sent)
    apply_received()
    return answer


def tell(deposit, *events):
    """Send events about a deposit; return what came of each."""
    return [str(send(body)) for body in event_bodies(order(deposit), events)]


def money_of(deposit):
    """Return what the player, the suspense account and the clearing account hold."""
    mine = accounts.open_player_accounts(player=deposit.player, currency="INR")
    kinds = [Account.Kind.SUSPENSE, Account.Kind.GATEWAY_CLEARING]
    theirs = [accounts.operator_account(kind=kind, currency="INR") for kind in kinds]
    return balances(mine["deposit"], *theirs)
