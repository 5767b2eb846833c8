"""A finished deal as its history file (RB 12.3)."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

import rummy
from core.partitions.models import is_archived
from tables.exceptions import MovesArchived
from tables.models.deals import Deal, Move
from tables.state.rules import rules_of


def refuse_archived(deal: Deal) -> None:
    """Raise `MovesArchived` for a deal whose moves are no longer in the database."""
    if deal.dealt_on is not None and is_archived(Move._meta.db_table, deal.dealt_on):
        raise MovesArchived(
            _("The moves of this deal are archived. Contact our staff if you need them.")
        )


def history_of(deal: Deal) -> rummy.History:
    """Return the inputs of a revealed deal in the terms of `rummy`.

    Raise `MovesArchived` if its moves are archived.
    """
    before = Deal.objects.filter(table=deal.table_id, no=deal.no - 1).select_related("reveal")
    previous = before.first()
    moves = list(deal.moves.order_by("ply").values_list("text", flat=True))
    if not moves:
        refuse_archived(deal)
    chain, head = (previous.chain, previous.reveal.head) if previous else ("", "")
    return history_after(deal, moves, chain=chain, head=head)


def history_after(deal: Deal, moves: Iterable[str], *, chain: str, head: str) -> rummy.History:
    """Return a revealed deal with these moves, after the deal with this chain value and head."""
    seats = [place.seat_id for place in deal.deal_seats.all()]
    return rummy.History(
        rules=rules_of(deal.table.profile),
        players=len(seats),
        server_seed=bytes.fromhex(deal.reveal.server_seed),
        client_seeds=tuple(deal.texts_of(seats).values()),
        has_toss=bool(deal.toss),
        chain_before=chain,
        moves=tuple(map(rummy.parse_move, moves)),
        head_before=head,
        redrawn=tuple(deal.redrawn.split()),
    )


def history_text(deal: Deal) -> str:
    """Return a revealed deal's history file; lines starting with # name the players."""
    first, _end, rest = rummy.history.dumps(history_of(deal)).partition("\n")
    return "\n".join([first, *_notes(deal), rest])


def history_name(deal: Deal) -> str:
    """Return the file's name, which is unique across tables."""
    return f"rummy-{deal.table.public_id}-{deal.no}.txt"


def _notes(deal: Deal) -> list[str]:
    places = list(deal.deal_seats.select_related("seat__player").order_by("position"))
    by_seat = {place.seat_id: place.seat.player.handle for place in places}
    handles = [by_seat[seat] for seat in deal.texts_of(by_seat)]
    notes = [
        f"# table {deal.table.public_id}, deal {deal.no}, {deal.started_at:%Y-%m-%d %H:%M:%S} UTC",
        "# " + ", ".join(f"p{place.position} {place.seat.player.handle}" for place in places),
    ]
    if deal.toss:
        notes.append("# toss drawn by " + ", ".join(by_seat[seat] for seat in sorted(by_seat)))
    if handles:
        notes.append("# client seeds of " + ", ".join(handles))
    withheld = deal.client_seeds.filter(text="").select_related("seat__player")
    if deal.redrawn:
        names = [seed.seat.player.handle for seed in withheld if seed.draw < deal.draw]
        why = f"withheld by {', '.join(names)}" if names else "given up when seats changed"
        notes.append(f"# drawn again, seeds {why}")
    return notes
