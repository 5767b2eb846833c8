"""What a player can attach to a message to support: own games, deposits and withdrawals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.formats import date_format

from players.accounts.models import User
from players.accounts.zones import zone_of
from players.cases.help_requests import Attachment
from wallet.ledger.models import Transfer
from wallet.ledger.money import as_text
from wallet.statements.act_texts import Row, rows_of
from wallet.statements.acts import ActKind, ActStatement, first_days
from wallet.statements.receipts import transfers_of
from wallet.statements.statement import transfer_text

# Of each kind and currency.
LATEST: Final = 3
KINDS: Final = (ActKind.GAME, ActKind.DEPOSIT, ActKind.WITHDRAWAL)


def attachments_of(player: User, *, wanted: UUID | None = None) -> list[Attachment]:
    """Return the player's latest games and payments, latest first, and `wanted` if it is theirs.

    The name of each is in the active language.
    """
    with timezone.override(zone_of(player)):
        rows = sorted(_rows(player), key=lambda row: row.act.last, reverse=True)
        found = [_attachment(row) for row in rows]
        if wanted is not None and wanted not in {each.id for each in found}:
            mine = transfers_of(player).filter(public_id=wanted)
            found += [Attachment(wanted, _name(transfer_text(one), one)) for one in mine]
    return found


def _rows(player: User) -> Iterator[Row]:
    for currency in first_days(player):
        for kind in KINDS:
            yield from rows_of(ActStatement(player, currency, kind=kind).page(size=LATEST))


def _attachment(row: Row) -> Attachment:
    act = row.act
    title = row.title if act.kind == ActKind.GAME else f"{row.title} {as_text(abs(act.money))}"
    return Attachment(act.transfer.public_id, _name(title, act.transfer))


def _name(title: str, transfer: Transfer) -> str:
    return f"{title}, {date_format(timezone.localtime(transfer.created_at), 'j M Y, H:i')}"
