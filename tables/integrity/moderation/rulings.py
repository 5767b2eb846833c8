"""Staff rulings: cancel a game, or void a deal; the money is shared by RB 7.7.

A ruling is saved here and stops the table; a settlement worker carries it out.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.exceptions import AnotherDeal, NotInPlay, TableHosted
from tables.games import game_of
from tables.integrity.moderation.models import Ruling
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.settlement import finishing, notifications
from tables.state import phases
from tables.state.fold import reveal_seed
from tables.state.locks import lock_table, lock_table_of_deal
from tables.state.publishing import publish

IN_DEAL = (
    Table.Phase.TOSS,
    Table.Phase.PLAYING,
    Table.Phase.SHOWING,
    Table.Phase.SETTLING,
)


@transaction.atomic(durable=True)
def cancel_game(*, table_id: int, by: User, reason: str) -> Ruling:
    """Cancel the game: refund all entries before its first scored deal, later share by RB 7.7.

    A deal in progress does not count. At a points table every stack is paid out. Staff who sit or
    sat at the table cannot rule on it (`shared_interest`).
    """
    table = lock_table(table_id)
    _refuse_closed(table)
    refuse_own_interest(table, by=by)
    before, now = audit_log.facts(table), database_now()
    deal = table.deals.filter(no=table.deal_no).first()
    ruling = _note(table, deal, Ruling.Kind.CANCEL, by=by, reason=reason, now=now)
    table.ending = finishing.CANCELLED
    if deal is not None and table.phase in IN_DEAL:
        table.phase, table.window_id = Table.Phase.SETTLING, None
    else:
        game_of(table).refuse_calling_off(table)
    phases.await_step(table, now)
    table.version += 1
    publish(table)
    audit_log.record(by=by, act="cancel", row=table, before=before, reason=reason)
    return ruling


@transaction.atomic(durable=True)
def void_deal(*, deal_id: int, by: User, reason: str) -> Ruling:
    """Void the deal on the table; the next one follows after the pause.

    The deal is named, so that a repeated request never voids the next one; it returns the existing
    ruling. Raise `AnotherDeal` for a deal that is not the current one.
    """
    table = lock_table_of_deal(deal_id)
    if said := Ruling.objects.filter(deal=deal_id, kind=Ruling.Kind.VOID).first():
        return said
    _refuse_closed(table)
    refuse_own_interest(table, by=by)
    deal = table.deals.get(pk=deal_id)
    if deal.no != table.deal_no:
        raise AnotherDeal(f"The current deal of this table is {table.deal_no}, not {deal.no}.")
    if table.phase not in IN_DEAL:
        raise NotInPlay("No deal is in progress at this table.")
    before, now = audit_log.facts(table), database_now()
    ruling = _note(table, deal, Ruling.Kind.VOID, by=by, reason=reason, now=now)
    deal.status = Deal.Status.VOID
    deal.save(update_fields=["status"])
    reveal_seed(deal, now)
    notifications.notify_of_void_deal(table, deal, reason=ruling.reason, now=now)
    table.phase, table.window_id = Table.Phase.SETTLING, None
    phases.await_step(table, now)
    table.version += 1
    publish(table)
    audit_log.record(by=by, act="void_deal", row=table, before=before, reason=reason)
    return ruling


def _refuse_closed(table: Table) -> None:
    if table.is_over or table.ending == finishing.CANCELLED:
        raise NotInPlay("The game is over and paid out; it cannot be cancelled.")
    if table.owner_ref.startswith("tournament:"):
        raise TableHosted("This table belongs to a tournament. Abort the tournament instead.")


def _note(
    table: Table,
    deal: Deal | None,
    kind: Ruling.Kind,
    *,
    by: User,
    reason: str,
    now: datetime,
) -> Ruling:
    return Ruling.objects.create(
        table=table, deal=deal, kind=kind, reason=reason.strip(), by=by, at=now
    )
