"""Who may watch a table, and which hands spectators see.

They see those of ended deals, for money with the consent of all players.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.notifications.models import Notification
from tables.exceptions import NotInvited
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.view.context import ViewContext
from tables.view.schemas import OpenHands, TableView
from wallet.ledger.money import PLAY_POINTS


def require_may_watch(table: Table, viewer: User | AnonymousUser | None) -> None:
    """Raise `NotInvited` if the table is private and the viewer neither plays nor is invited there.

    Players keep the right after they have left. It is also of the host, of those invited by name,
    and of staff with `tables.view_table`.
    """
    if not table.invite_code:
        return
    if isinstance(viewer, User):
        invited = Notification.objects.filter(
            player=viewer, kind=Notification.Kind.TABLE_INVITATION, about=table.public_id
        )
        is_player = table.opened_by_id == viewer.pk or table.seats.of_player(viewer).exists()
        if is_player or invited.exists() or viewer.has_perm("tables.view_table"):
            return
    raise NotInvited(_("This table is private. Ask its players for an invitation."))


def open_hands(context: ViewContext, mine: Seat | None) -> OpenHands:
    """Return whether the next deal's hands will be shown to spectators, and how many agree."""
    present = [seat for seat in context.seats if seat.left_at is None]
    agreed = sum(seat.shows_hands_from is not None for seat in present)
    needs_consent = context.table.currency != PLAY_POINTS
    is_shown = not needs_consent or agreed == len(present) > 0
    own = mine is not None and mine.shows_hands_from is not None
    return OpenHands(is_shown, needs_consent, agreed, len(present), own)


def may_see_hands(
    *, currency: str, seats: Iterable[Seat], dealt_in: Collection[int], deal_no: int
) -> bool:
    """Return whether spectators may see the hands of this deal, once it has ended.

    `dealt_in` has the keys of the seats of the deal. At a table for money all of them and all who
    are seated now must have agreed before the deal began; consent ends with leaving the table.
    """
    if currency == PLAY_POINTS:
        return True
    asked = {seat.pk: seat for seat in seats if seat.left_at is None or seat.pk in dealt_in}
    return asked.keys() >= {*dealt_in} and all(
        seat.left_at is None
        and seat.shows_hands_from is not None
        and seat.shows_hands_from <= deal_no
        for seat in asked.values()
    )


def is_newcomer(context: ViewContext, mine: Seat) -> bool:
    """Return whether this seat of an open-ended table was not dealt into the last scored deal."""
    if context.game.has_end or not context.scores:
        return False
    last = context.scores[-1].deal.pk
    return (last, mine.pk) not in {(place.deal_id, place.seat_id) for place in context.places}


def of_spectator(context: ViewContext, view: TableView) -> TableView:
    """Return the view without hands that only players may see.

    They are those of the last deal, and a valid show while the others still answer it.
    """
    deal = view.deal
    if deal and deal.showing and not _may_see(context, context.positions.keys(), deal.no):
        deal = replace(deal, showing=None)
    return of_newcomer(context, replace(view, deal=deal))


def of_newcomer(context: ViewContext, view: TableView) -> TableView:
    """Return the view of a seat that was not dealt into the last deal: as a spectator sees it."""
    last = view.last_deal
    if last is not None:
        dealt_in = {score.seat_id for score in context.scores if score.deal.no == last.no}
        if not _may_see(context, dealt_in, last.no):
            last = replace(last, rows=[replace(row, arrangement="") for row in last.rows])
    return replace(view, last_deal=last)


def _may_see(context: ViewContext, dealt_in: Collection[int], deal_no: int) -> bool:
    return may_see_hands(
        currency=context.table.currency, seats=context.seats, dealt_in=dealt_in, deal_no=deal_no
    )
