"""Find accounts, opening them at their first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connections

from core.db.identifiers import new_public_id
from players.accounts.models import User
from wallet.ledger import posting
from wallet.ledger.models import Account
from wallet.ledger.money import PLAY_POINTS

# Every player has these; the locked bonus account is opened with the first locked bonus.
EVERYDAY_KINDS = (
    Account.Kind.BONUS,
    Account.Kind.DEPOSIT,
    Account.Kind.WINNINGS,
    Account.Kind.WITHDRAWAL_HOLD,
)

# The operator has one of each in every currency; of `rake`, this is the first shard.
OPERATOR_KINDS = (
    Account.Kind.RAKE,
    Account.Kind.PROMOTIONS,
    Account.Kind.GUARANTEE,
    Account.Kind.GATEWAY_CLEARING,
    Account.Kind.TDS_PAYABLE,
    Account.Kind.GST_PAYABLE,
    Account.Kind.SUSPENSE,
    Account.Kind.GATEWAY_FEES,
    Account.Kind.INPUT_TAX,
)

_OPEN = """
    SELECT account.* FROM unnest(%s::text[], %s::uuid[]) AS wanted (kind, public_id),
    LATERAL ledger_open_account(wanted.kind, %s, %s, %s, %s, wanted.public_id) AS account
"""


def open_player_accounts(*, player: User, currency: str) -> dict[str, Account]:
    """Return the player's accounts in a currency by kind, opening those that are missing."""
    found = Account.objects.of_player(player).filter(currency=currency)
    accounts = {account.kind: account for account in found}
    missing = [kind for kind in EVERYDAY_KINDS if kind not in accounts]
    if missing:
        opened = _open(missing, player_pk=player.pk, ref="", currency=currency, shard=0)
        accounts |= {account.kind: account for account in opened}
    return accounts


def open_player_account(*, player: User, currency: str, kind: str) -> Account:
    """Return one account of a player, opening it if it is missing."""
    return _open([kind], player_pk=player.pk, ref="", currency=currency, shard=0)[0]


def open_escrow(*, ref: str, currency: str) -> Account:
    """Return the escrow of the game named `ref`, opening it if it is missing."""
    return _open([Account.Kind.ESCROW], player_pk=None, ref=ref, currency=currency, shard=0)[0]


def open_ticket(*, player: User, ref: str, currency: str) -> Account:
    """Return the account that holds the value of the ticket named `ref` (RB 10.5)."""
    kind = Account.Kind.TICKET
    return _open([kind], player_pk=player.pk, ref=ref, currency=currency, shard=0)[0]


def operator_account(*, kind: str, currency: str, shard: int = 0) -> Account:
    """Return one of the operator's accounts, opening it if it is missing."""
    found = Account.objects.filter(player=None, ref="", kind=kind, currency=currency, shard=shard)
    account = found.first()
    if account is None:
        [account] = _open([kind], player_pk=None, ref="", currency=currency, shard=shard)
    return account


def open_operator_accounts(*, using: str, **_signal: Any) -> None:
    """Open the operator's accounts in every currency, so that staff can select them."""
    arguments = [
        (kind, currency, new_public_id())
        for currency in (*settings.CASH_CURRENCIES, PLAY_POINTS)
        for kind in OPERATOR_KINDS
    ]
    with connections[using].cursor() as cursor:
        cursor.executemany(
            "SELECT ledger_open_account(%s::text, NULL, '', %s::text, 0, %s::uuid)", arguments
        )


def _open(
    kinds: Sequence[str], *, player_pk: int | None, ref: str, currency: str, shard: int
) -> list[Account]:
    public_ids = [new_public_id() for _ in kinds]
    arguments = [list(map(str, kinds)), public_ids, player_pk, ref, currency, shard]
    return posting.call(lambda: list(Account.objects.raw(_OPEN, arguments)))
