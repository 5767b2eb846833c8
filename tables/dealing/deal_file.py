"""A finished deal as its history file (RB 12.3), and who may have it."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q

import rummy
from players.accounts.models import User
from tables.table.deal_models import Deal, DealSeat
from tables.table.models import Table, open_ended
from tables.table.rules import rules_of
from tables.table.seat_models import Seat

ANY_DEAL = "tables.replay_any_deal"


def games_seen_by(viewer: User) -> Any:
    """Return the tables whose finished deals a viewer may look into.

    That is who was dealt in at them, and staff with the permission; to everybody else they are
    not there, as all hands lie open in them.
    """
    tables = Table.objects.select_related("profile")
    if viewer.has_perm(ANY_DEAL):
        return tables.filter(started_at__isnull=False)
    dealt_in = DealSeat.objects.filter(deal__table=OuterRef("pk"), seat__player=viewer)
    return tables.filter(Exists(dealt_in))


def deals_seen_by(viewer: User) -> Any:
    """Return the finished deals a viewer may look into.

    Where people come and go it is only the deals they were dealt in themselves.
    """
    deals = Deal.objects.revealed().select_related("table__profile", "reveal")
    if viewer.has_perm(ANY_DEAL):
        return deals
    mine = DealSeat.objects.filter(seat__player=viewer)
    in_this_deal = Exists(mine.filter(deal=OuterRef("pk")))
    in_this_game = Exists(mine.filter(deal__table=OuterRef("table")))
    return deals.filter(Q(in_this_deal) | (Q(in_this_game) & ~open_ended("table__")))


def own_seat_of(player: User, table: Table) -> Seat | None:
    """Return the seat a player was dealt in with at a table, the latest if he sat down again."""
    dealt_in = DealSeat.objects.filter(seat=OuterRef("pk"))
    return table.seats.of_player(player).filter(Exists(dealt_in)).order_by("-pk").first()


def history_of(deal: Deal) -> rummy.History:
    """Return what a revealed deal follows from, in the terms of the rules."""
    seats = list(deal.deal_seats.values_list("seat_id", flat=True))
    given = deal.client_seeds.filter(seat__in=seats).order_by("seat_id")
    before = Deal.objects.filter(table=deal.table_id, no=deal.no - 1)
    moves = deal.moves.order_by("ply").values_list("text", flat=True)
    return rummy.History(
        rules=rules_of(deal.table.profile),
        players=len(seats),
        server_seed=bytes.fromhex(deal.reveal.server_seed),
        client_seeds=tuple(given.values_list("text", flat=True)),
        has_toss=bool(deal.toss),
        chain_before=before.values_list("chain", flat=True).first() or "",
        moves=tuple(map(rummy.parse_move, moves)),
    )


def history_text(deal: Deal) -> str:
    """Return a revealed deal's history file; lines that open with # tell people who sat where."""
    first, _, rest = rummy.history.dumps(history_of(deal)).partition("\n")
    return "\n".join([first, *_notes(deal), rest])


def history_name(deal: Deal) -> str:
    """Return the name to keep the file under, so that files of many tables stay apart."""
    return f"rummy-{deal.table.public_id}-{deal.no}.txt"


def _notes(deal: Deal) -> list[str]:
    places = list(deal.deal_seats.select_related("seat__player").order_by("position"))
    seeded = deal.client_seeds.filter(seat__in=[place.seat_id for place in places])
    handles = [seed.seat.player.handle for seed in seeded.select_related("seat__player")]
    notes = [
        f"# table {deal.table.public_id}, deal {deal.no}, {deal.started_at:%Y-%m-%d %H:%M:%S} UTC",
        "# " + ", ".join(f"p{place.position} {place.seat.player.handle}" for place in places),
    ]
    if deal.toss:
        drew = sorted(places, key=lambda place: place.seat_id)
        notes.append("# toss drawn by " + ", ".join(place.seat.player.handle for place in drew))
    if handles:
        notes.append("# client seeds of " + ", ".join(handles))
    return notes
