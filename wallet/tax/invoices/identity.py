"""A player's identity for tax purposes: legal name and tax number."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from players.identity.models import IdentityCheck
from players.identity.tax_numbers import masked, tax_numbers
from wallet.exceptions import PayeeUnreadable
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.sealing import open_payee


@dataclass(frozen=True)
class TaxIdentity:
    """What is known today; an empty name or number is unknown."""

    legal_name: str
    tax_number: str

    @property
    def masked(self) -> str:
        """Return the tax number with all but its last characters masked."""
        return masked(self.tax_number)


def tax_identities(player_ids: Collection[int]) -> dict[int, TaxIdentity]:
    """Return the identities of players by primary key.

    The legal name is that of the document of the latest verification, else that of the latest paid
    bank account.
    """
    paid = Withdrawal.objects.filter(player__in=player_ids, status=Withdrawal.Status.PAID)
    last = paid.select_related("payee").order_by("player", "-pk").distinct("player")
    names = {withdrawal.player_id: _name_on(withdrawal) for withdrawal in last}
    checks = IdentityCheck.objects.filter(player__in=player_ids).ever_verified()
    names |= dict(checks.order_by("pk").values_list("player", "name"))
    numbers = tax_numbers(player_ids)
    return {pk: TaxIdentity(names.get(pk, ""), numbers.get(pk, "")) for pk in player_ids}


def _name_on(withdrawal: Withdrawal) -> str:
    try:
        return open_payee(withdrawal.payee).name
    except PayeeUnreadable:
        return ""
