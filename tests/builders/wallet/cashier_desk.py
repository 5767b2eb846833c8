"""Depositors, their orders, and the gateway's events about them."""

from __future__ import annotations

from moneyed import Money

from tests.builders.wallet.players import balances, make_player
from wallet.cashier.sandbox_page import event_bodies
from wallet.deposits.deposits import note_order, open_order, receive_event
from wallet.gateways.sandbox import SIGNATURE_HEADER, order_of, sign
from wallet.ledger import accounts
from wallet.ledger.models import Account


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
    headers = {SIGNATURE_HEADER: sign(body) if header is None else header}
    return receive_event(provider="sandbox", body=body, headers=headers)


def tell(deposit, *events):
    """Send events about a deposit; return what came of each."""
    return [str(send(body)) for body in event_bodies(order(deposit), events)]


def money_of(deposit):
    """Return what the player, the suspense account and the clearing account hold."""
    mine = accounts.open_player_accounts(player=deposit.player, currency="INR")
    house = [Account.Kind.SUSPENSE, Account.Kind.GATEWAY_CLEARING]
    theirs = [accounts.house_account(kind=kind, currency="INR") for kind in house]
    return balances(mine["deposit"], *theirs)
