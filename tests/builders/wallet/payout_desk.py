"""Withdrawals in the states that tests need."""

from moneyed import Money

from players.accounts.models import User
from tests.builders.wallet.players import balances, fund, make_player
from wallet.withdrawals import withdrawals
from wallet.withdrawals.payees.actions import register_payee
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import Payee

PAYEE = Payee("Asha Rao", "001234567890", "HDFC0001234")
OTHER = Payee("Asha Rao", "998877665544", "ICIC0001234")
BUCKETS = ("bonus", "deposit", "winnings", "withdrawal_hold")


def payee_for(player, payee=PAYEE):
    """Return this bank account as the player has registered it."""
    mine = RegisteredPayee.objects.of_player(player).active()
    if payee is PAYEE and (first := mine.filter(account_end=PAYEE.account_end).first()):
        return first  # However it was sealed: some tests change the keys.
    return register_payee(player=player, payee=payee)


def signed_in_payee(client):
    """Return the public id of the bank account of the player signed in at the client."""
    player = User.objects.get(pk=client.session["_auth_user_id"])
    return str(payee_for(player).public_id)


def make_withdrawal(rupees=70, *, player=None, by=None, payee=PAYEE):
    """Ask for money from a player with 10 bonus, 50 deposit and 50 winnings."""
    if player is None:
        player = make_player()
        fund(player, bonus=10_00, deposit=50_00, winnings=50_00)
    return withdrawals.request_withdrawal(
        player=player,
        amount=Money(rupees, "INR"),
        payee=payee_for(player, payee),
        requested_by=by or player,
    )


def make_sent(**overrides):
    """Return a withdrawal that is approved and in a file for the bank."""
    withdrawal = make_withdrawal(**overrides)
    withdrawals.approve(withdrawal_id=withdrawal.pk, by=make_player(is_staff=True))
    withdrawals.send_to_bank(by=make_player(is_staff=True))
    withdrawal.refresh_from_db()
    return withdrawal


def money_of(player):
    mine = fund(player)
    return balances(*(mine[kind] for kind in BUCKETS))


def step(name, withdrawal, by=None):
    said = {} if name == "approve" else {"remark": "because"}
    by = by or make_player(is_staff=True)
    return getattr(withdrawals, name)(withdrawal_id=withdrawal.pk, by=by, **said)
