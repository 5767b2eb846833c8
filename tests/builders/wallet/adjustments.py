"""Corrections requested by staff."""

from __future__ import annotations

from moneyed import Money

from tests.builders.wallet.players import fund, make_player
from wallet.corrections import adjustments
from wallet.ledger import accounts
from wallet.ledger.models import Account


def make_staff(**overrides):
    return make_player(is_staff=True, is_superuser=True, **overrides)


def make_request(**overrides):
    player = make_player()
    fields = {
        "source": accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        "target": fund(player, deposit=10_00)["deposit"],
        "amount": Money(5, "INR"),
        "reason": "Paid twice",
        "by": make_staff(),
    }
    return adjustments.request_adjustment(**fields | overrides)
