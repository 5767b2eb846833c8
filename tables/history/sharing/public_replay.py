"""Replays for people who did not play: with all hands, without what identifies table or players.

A shared deal has neither names nor times, amounts, totals, seeds or hashes: by each of them the
players could be found in the public views of the running game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from players.accounts.avatars import Avatar
from tables.history.replay import ReplayMove, ReplayResult, ReplaySeat, ReplayStep, replay
from tables.history.sharing.models import SharedDeal
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.state.snapshot import read_snapshot
from tables.view.open_hands import may_see_hands

# How long spectators may replay the last deal of a game that is over.
AFTER_THE_GAME: Final = timedelta(hours=1)
NO_TIME: Final = datetime.fromtimestamp(0, UTC)

# A name to show, and an avatar.
Shown = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PublicReplay:
    """The part of a `Replay` that anybody may see."""

    variant: str
    deal_no: int
    wild: str
    wild_rank: str
    seats: list[ReplaySeat]
    steps: list[ReplayStep]
    moves: list[ReplayMove]
    ending: str
    results: list[ReplayResult]


def shared_replay(shared: SharedDeal) -> PublicReplay:
    """Return the deal of a public link; only its maker may have a name."""
    avatars = [each.value for each in Avatar]
    names: dict[int, Shown] = {}
    for place in shared.deal.deal_seats.select_related("seat__player"):
        named = shared.shows_name and place.seat_id == shared.seat_id
        name = _("Player %(number)s") % {"number": place.position}
        names[place.position] = (
            (place.seat.player.handle, place.seat.player.picture.value)
            if named
            else (name, avatars[place.position])
        )
    return public_replay(shared.deal, names, deal_no=0)


def public_replay(deal: Deal, names: Mapping[int, Shown], *, deal_no: int) -> PublicReplay:
    """Return a settled deal with these names by position."""
    full = replay(deal, None)
    return PublicReplay(
        variant=full.variant,
        deal_no=deal_no,
        wild=full.wild,
        wild_rank=full.wild_rank,
        seats=[
            replace(seat, handle=names[seat.position][0], avatar=names[seat.position][1])
            for seat in full.seats
        ],
        steps=full.steps,
        moves=[
            replace(move, handle=names[move.position][0], made_at=NO_TIME) for move in full.moves
        ],
        ending=full.ending,
        results=[
            replace(row, handle=names[row.position][0], total=None, chips=None, won=None)
            for row in full.results or ()
        ],
    )


def watched_deal(table: Table, no: int, now: datetime) -> Deal | None:
    """Return the table's last settled deal if spectators may see its hands and it has this number.

    After the game it can be replayed for an hour; later only by a link that a player shares.
    """
    last = table.deals.settled().revealed().select_related("table__profile", "reveal")
    deal = last.order_by("-no").first()
    is_late = table.finished_at is not None and now - table.finished_at > AFTER_THE_GAME
    if deal is None or deal.no != no or is_late:
        return None
    may_see = may_see_hands(
        currency=table.currency,
        seats=read_snapshot(table.pk, phase=table.phase).seats,
        dealt_in=deal.deal_seats.values_list("seat", flat=True),
        deal_no=no,
    )
    return deal if may_see else None


def watched_replay(deal: Deal) -> PublicReplay:
    """Return the deal with its players' names, which spectators of the table know."""
    places = deal.deal_seats.select_related("seat__player")
    names = {
        place.position: (place.seat.player.handle, place.seat.player.picture.value)
        for place in places
    }
    return public_replay(deal, names, deal_no=deal.no)
