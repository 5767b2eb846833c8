"""The people a player has played with lately, and inviting one of them to a private table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from core.clock import database_now
from players.accounts.models import User
from players.eligibility.verdicts import stopped
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tables.exceptions import NotInvitable
from tables.games import game_of
from tables.manners import blocks
from tables.manners.models import Block
from tables.models.seats import Seat
from tables.models.tables import Table
from wallet.ledger.cash_offered import act_of

# Games in which people are looked for, and the most people listed.
GAMES_READ: Final = 60
LISTED: Final = 30


@dataclass(frozen=True, slots=True)
class Companion:
    """A person who sat in a game with the player."""

    player: User
    games: int
    """Common games among the player's last 60."""
    last_at: datetime
    """When they sat down at the last of these."""
    is_blocked: bool
    """Whether the player has blocked this person."""


def recent_company(player: User) -> list[Companion]:
    """Return the active people of the player's last games, the latest first."""
    own = Seat.objects.filter(player=player, number__isnull=False).order_by("-pk")
    tables = list(own.values_list("table", flat=True)[:GAMES_READ])
    met = Seat.objects.filter(table__in=tables, number__isnull=False).exclude(player=player)
    counted = (
        met.order_by()
        .values_list("player_id")
        .annotate(Count("table", distinct=True), Max("joined_at"))
    )
    found = {pk: (games, last) for pk, games, last in counted}
    people = User.objects.filter(is_active=True, is_bot=False).in_bulk(found)
    blocked = set(Block.objects.filter(player=player).values_list("blocked", flat=True))
    company = [Companion(people[pk], *found[pk], pk in blocked) for pk in found if pk in people]
    return sorted(company, key=lambda each: each.last_at, reverse=True)[:LISTED]


def invitable(player: User, table: Table) -> list[Companion]:
    """Return the people that the player may invite to a private table; none once it is closed."""
    seats = list(table.seats.present().values_list("player_id", flat=True))
    if not may_invite(player, table, seats):
        return []
    company = recent_company(player)
    return [each for each in company if not each.is_blocked and each.player.pk not in seats]


def may_invite(player: User, table: Table, seated: list[int]) -> bool:
    """Return whether the player sits at this private table or opened it, and it has a free seat."""
    is_own = player.pk in seated or table.opened_by_id == player.pk
    has_free_seat = game_of(table).is_open(table) and len(seated) < table.seats_max
    return bool(table.invite_code) and not table.bots_fill and is_own and has_free_seat


@transaction.atomic(durable=True)
def invite(*, player: User, table: Table, handle: str) -> User:
    """Notify a person of the player's last games of a private table; at most once for each table.

    A block between the two, or a break or hold of the guest, keeps the notification from being
    sent, without a refusal. Raise `NotInvitable` for anyone whom `invitable` does not list.
    """
    named = (each.player for each in invitable(player, table) if each.player.handle == handle)
    guest = next(named, None)
    if guest is None:
        raise NotInvitable(_("This player cannot be invited to this table."))
    is_away = stopped([guest.pk], act_of(table.currency))
    if not is_away and not blocks.are_apart(player.pk, [guest.pk]):
        earlier = Notification.objects.filter(
            player=guest, kind=Notification.Kind.TABLE_INVITATION, subject=player.handle
        )
        # At most one unread invitation by a player is kept.
        earlier.unread().exclude(about=table.public_id).delete()
        notify(
            [Recipient(guest)],
            kind=Notification.Kind.TABLE_INVITATION,
            key=f"invitation:{table.pk}:{player.pk}",
            subject=player.handle,
            about=table.public_id,
            now=database_now(),
        )
    return guest
