"""Tickets: prizes of satellites, where each can be used, and refunds (RB 10.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from core import audit_log, maker_checker
from core.db.identifiers import new_public_id
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tournaments.entries.models import Entry, Prize, Ticket
from tournaments.exceptions import TicketNotValid, TicketStillAdmits
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from tournaments.prizes.models import TicketRefund
from wallet.exceptions import RemarkMissing
from wallet.ledger import accounts
from wallet.stakes import paid_entries
from wallet.statements.tickets import PlayerTicket, TicketState, TicketTournament

TAKES_ENTRIES = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)


def shares(rows: Sequence[Prize], tied: Sequence[Sequence[Entry]]) -> dict[str, int]:
    """Return the prize of each entry; tickets cannot be shared, so ties follow the draw."""
    in_order = [entry for group in tied for entry in group]
    amounts = [row.amount_minor for row in rows]
    amounts += [0] * (len(in_order) - len(amounts))
    return {str(entry.public_id): amount for entry, amount in zip(in_order, amounts, strict=True)}


def ticket_entries(rows: Sequence[Prize], entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that get a ticket, best first: one of each player (RB 10.5).

    Further ticket prizes of a player with re-entries are paid in money.
    """
    won: dict[int, Entry] = {}
    for row, entry in zip(rows, entries, strict=False):
        if row.is_ticket:
            won.setdefault(entry.player_id, entry)
    return list(won.values())


def issue(
    tournament: LockedTournament, rows: Sequence[Prize], entries: Sequence[Entry]
) -> Mapping[int, Ticket]:
    """Create the tickets with their empty accounts; return them by the entry's primary key.

    Their value is the price of an entry at the freeze, not the present price.
    """
    assert tournament.awards is not None, "a satellite awards tickets"
    value = min((row.amount_minor for row in rows if row.is_ticket), default=0)
    issued = {}
    for entry in ticket_entries(rows, entries):
        public_id = new_public_id()
        issued[entry.pk] = Ticket.objects.create(
            public_id=public_id,
            player=entry.player,
            admits_to=tournament.awards,
            won_in=tournament,
            account=accounts.open_ticket(
                player=entry.player, ref=f"ticket:{public_id}", currency=tournament.currency
            ),
            value_minor=value,
        )
    return issued


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


@transaction.atomic(durable=True)
def request_refund(*, ticket_id: int, reason: str, by: User) -> TicketRefund:
    """Request to pay a ticket's value to its player's winnings; return an open request if any.

    Codes: `shared_interest`, `remark_missing`, `ticket_not_valid` for a used ticket,
    `ticket_still_admits` if there is or may be a tournament to use it for.
    """
    ticket = _refundable(ticket_id, by)
    if not reason.strip():
        raise RemarkMissing("Enter a reason for the refund.")
    waiting: TicketRefund | None = TicketRefund.objects.undecided().filter(ticket=ticket).first()
    if waiting is not None:
        return waiting
    asked = TicketRefund.objects.create(
        ticket=ticket, amount_minor=ticket.value_minor, reason=reason.strip(), made_by=by
    )
    audit_log.record(by=by, act="ask", row=asked, about=ticket.player, reason=reason)
    return asked


@transaction.atomic(durable=True)
def approve_refund(*, refund_id: int, by: User) -> TicketRefund:
    """Pay out a ticket that another person requested; repeating the approval has no effect."""
    asked = TicketRefund.objects.get(pk=refund_id)
    if asked.status == TicketRefund.Status.APPROVED and asked.checked_by_id == by.pk:
        return asked
    ticket = _refundable(asked.ticket_id, by)
    asked = _undecided(refund_id, TicketRefund.Status.APPROVED, by)
    asked.transfer = paid_entries.pay_back(
        account=ticket.account,
        player=ticket.player,
        key=f"ticket-back:{ticket.pk}",
        actor=by.actor,
        memo=str(ticket),
    )
    before = audit_log.facts(ticket)
    ticket.state = Ticket.State.REFUNDED
    ticket.save(update_fields=["state"])
    audit_log.record(by=by, act="pay_back", row=ticket, before=before, about=ticket.player)
    return maker_checker.decide(
        asked, TicketRefund.Status.APPROVED, by=by, outcome="transfer", about=ticket.player
    )


@transaction.atomic(durable=True)
def reject_refund(*, refund_id: int, by: User) -> TicketRefund:
    """Reject a request of another person; the ticket does not change."""
    player = User.objects.get(tickets__refunds=refund_id)
    refuse_own_interest(player, by=by)
    asked = _undecided(refund_id, TicketRefund.Status.REJECTED, by)
    if asked.status == TicketRefund.Status.REJECTED:
        return asked
    return maker_checker.decide(
        asked, TicketRefund.Status.REJECTED, by=by, outcome="transfer", about=player
    )


def _refundable(ticket_id: int, by: User) -> Ticket:
    """Lock and return a ticket; raise if it is used or still has a tournament to use it for."""
    refuse_own_interest(User.objects.get(tickets=ticket_id), by=by)
    rows = Ticket.objects.select_related("account", "player", "admits_to")
    ticket = rows.select_for_update(of=("self",), no_key=True).get(pk=ticket_id)
    if ticket.state != Ticket.State.ISSUED:
        raise TicketNotValid("This ticket is already used or paid out.")
    template = ticket.admits_to
    if template.is_offered or template.tournaments.live().exists():
        raise TicketStillAdmits("This ticket can still be used for a tournament.")
    return ticket


def _undecided(refund_id: int, wanted: TicketRefund.Status, by: User) -> TicketRefund:
    rows = TicketRefund.objects.select_related("ticket__account", "ticket__admits_to")
    asked: TicketRefund = maker_checker.undecided(rows.locked(), pk=refund_id, wanted=wanted, by=by)
    return asked
