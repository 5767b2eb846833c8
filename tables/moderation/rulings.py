"""Staff's word about a table: a game cancelled, a deal void; the money goes by RB 7.7."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from core import audit_log
from players.accounts import interests
from players.accounts.models import User
from tables.dealing import dealing
from tables.exceptions import AnotherDeal, NotInPlay, TableHosted
from tables.fairness import reveal
from tables.games import game_of
from tables.moderation.models import Ruling
from tables.settlement import finishing
from tables.table import notifying
from tables.table.announcing import publish
from tables.table.deal_models import Deal
from tables.table.models import Table
from tables.table.seat_models import Seat

IN_DEAL = (
    Table.Phase.TOSS,
    Table.Phase.PLAYING,
    Table.Phase.SHOWING,
    Table.Phase.SETTLING,
)


@transaction.atomic(durable=True)
def cancel_game(*, table_id: int, by: User, reason: str) -> Ruling:
    """Call the game off: before its first scored deal every entry goes back, later by RB 7.7.

    A deal on the table counts for nothing. At a points table every stack is cashed out. Whoever
    sits at the table, or has, cannot rule on it (`shared_interest`).
    """
    table = Table.objects.locked().get(pk=table_id)
    _refuse_closed(table)
    interests.refuse(table, by=by)
    before, now = audit_log.facts(table), timezone.now()
    deal = table.deals.filter(no=table.deal_no).first()
    ruling = _note(table, deal, Ruling.Kind.CANCEL, by=by, reason=reason, now=now)
    table.ending = "cancelled"
    if table.phase in IN_DEAL or table.is_open_ended:
        game_of(table.profile).call_off(table, deal or dealing.commit_deal(table), now)
    else:
        still_in = _still_in(table)
        if table.starters and not still_in:
            raise NotInPlay("Nobody is left in this game; it ends by itself (RB 7.6).")
        _close_windows(table, now)
        coming = dealing.commit_deal(table)
        finishing.cancel_game(table, coming, now, survivors=still_in)
    publish(table)
    audit_log.record(by=by, act="cancel", row=table, before=before, reason=reason)
    return ruling


@transaction.atomic(durable=True)
def void_deal(*, deal_id: int, by: User, reason: str) -> Ruling:
    """Let the deal on the table count for nothing; the next one follows after the gap.

    The deal is named, so that a word said twice never falls on the next one: said again it is the
    ruling that stands. Raises `AnotherDeal` for one that is not on the table.
    """
    table = Table.objects.locked().get(deals=deal_id)
    if said := Ruling.objects.filter(deal=deal_id, kind=Ruling.Kind.VOID).first():
        return said
    _refuse_closed(table)
    interests.refuse(table, by=by)
    deal = table.deals.get(pk=deal_id)
    if deal.no != table.deal_no:
        raise AnotherDeal(f"On this table lies deal {table.deal_no}, not deal {deal.no}.")
    if table.phase not in IN_DEAL:
        raise NotInPlay("No deal lies on this table.")
    before, now = audit_log.facts(table), timezone.now()
    ruling = _note(table, deal, Ruling.Kind.VOID, by=by, reason=reason, now=now)
    deal.status = Deal.Status.VOID
    deal.save(update_fields=["status"])
    reveal.reveal_seed(deal, now)
    notifying.notify_of_void_deal(table, deal, reason=ruling.reason, now=now)
    table.version += 1
    game_of(table.profile).go_on_after_void(table, deal, now)
    publish(table)
    audit_log.record(by=by, act="void_deal", row=table, before=before, reason=reason)
    return ruling


def _refuse_closed(table: Table) -> None:
    if table.is_over:
        raise NotInPlay("The game is over; what was paid stays paid.")
    if table.owner_ref.startswith("tournament:"):
        raise TableHosted("A tournament holds this table: it is aborted as a whole, or not at all.")


def _still_in(table: Table) -> list[Seat]:
    """Return who shares: everybody before the first deal, later who is not out and has not left."""
    seats = table.seats.active() if table.starters else table.seats.present()
    return list(seats.select_related("player").in_seat_order())


def _close_windows(table: Table, now: datetime) -> None:
    table.windows.open().update(closed_at=now, outcome="withdrawn")


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
