"""A player's tickets, and the tournaments for which each can be used now (RB 10.5)."""

from __future__ import annotations

from players.accounts.models import User
from tournaments.entries.models import Ticket
from tournaments.planning.models import Tournament
from wallet.statements.tickets import PlayerTicket, TicketState, TicketTournament

TAKES_ENTRIES = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)


def tickets_of(player: User) -> list[PlayerTicket]:
    """Return the player's tickets, usable ones first, then the latest."""
    mine = Ticket.objects.filter(player=player)
    rows = list(mine.select_related("account", "admits_to", "won_in").order_by("-pk"))
    open_ones = _open_tournaments({row.admits_to_id for row in rows if _is_usable(row)})
    tickets = [
        PlayerTicket(
            id=row.public_id,
            state=TicketState(row.state),
            admits_to=row.admits_to.name,
            won_in=row.won_in.name,
            value=row.value,
            issued_at=row.issued_at,
            tournaments=open_ones.get((row.admits_to_id, row.value_minor), [])
            if _is_usable(row)
            else [],
        )
        for row in rows
    ]
    return sorted(tickets, key=lambda ticket: not ticket.is_usable)


def _is_usable(ticket: Ticket) -> bool:
    return ticket.state == Ticket.State.ISSUED


def _open_tournaments(templates: set[int]) -> dict[tuple[int, int], list[TicketTournament]]:
    """Return the tournaments open for entry, by template and price in minor units."""
    found: dict[tuple[int, int], list[TicketTournament]] = {}
    tournaments = Tournament.objects.filter(template__in=templates, state__in=TAKES_ENTRIES)
    for row in tournaments.order_by("starts_at", "pk"):
        target = TicketTournament(id=row.public_id, name=row.name, starts_at=row.starts_at)
        found.setdefault((row.template_id or 0, row.entry_minor), []).append(target)
    return found
