"""A satellite's prizes: as many tickets as the pool pays for, the rest as money (RB 10.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from players import deeds, interests
from players.identifiers import new_public_id
from players.models import User
from tournaments.exceptions import TicketNotValid
from tournaments.models import Entry, Prize, Ticket, Tournament
from tournaments.prizes import ticket_rows
from wallet.services import accounts, paid_entries


def write_rows(tournament: Tournament, finishers: int) -> None:
    """Write a row for each ticket, and one for the money that pays no whole ticket."""
    assert tournament.awards is not None, "a satellite awards tickets"
    assert tournament.prize_minor is not None, "the pool is fixed first"
    value = tournament.awards.entry_minor
    rows = ticket_rows(tournament.prize_minor, value, finishers=finishers)
    Prize.objects.bulk_create(
        Prize(tournament=tournament, place=place, bps=0, amount_minor=amount, is_ticket=is_ticket)
        for place, (amount, is_ticket) in enumerate(rows, start=1)
    )


def shares(rows: Sequence[Prize], tied: Sequence[Sequence[Entry]]) -> dict[str, int]:
    """Return what each entry wins; no ticket can be shared, so the draw parts the tied."""
    in_order = [entry for group in tied for entry in group]
    amounts = [row.amount_minor for row in rows]
    amounts += [0] * (len(in_order) - len(amounts))
    return {str(entry.public_id): amount for entry, amount in zip(in_order, amounts, strict=True)}


def issue(
    tournament: Tournament, rows: Sequence[Prize], entries: Sequence[Entry]
) -> Mapping[int, Ticket]:
    """Write the best entries' tickets, each with an account still to be filled, by entry.

    They are worth what a ticket cost when the prizes were frozen, whatever it costs by now.
    """
    assert tournament.awards is not None, "a satellite awards tickets"
    value = min((row.amount_minor for row in rows if row.is_ticket), default=0)
    issued = {}
    for row, entry in zip(rows, entries, strict=False):
        if not row.is_ticket:
            continue
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


@transaction.atomic(durable=True)
def pay_back(*, ticket_id: int, by: User) -> Ticket:
    """Turn a ticket into its worth in winnings: its tournaments are no longer held."""
    interests.refuse(User.objects.get(tickets=ticket_id), by=by)
    ticket = (
        Ticket.objects.select_for_update(of=("self",))
        .select_related("account", "player")
        .get(pk=ticket_id)
    )
    if ticket.state == Ticket.State.REFUNDED:
        return ticket
    if ticket.state != Ticket.State.ISSUED:
        raise TicketNotValid("This ticket has been used.")
    paid_entries.pay_back(
        account=ticket.account,
        player=ticket.player,
        key=f"ticket-back:{ticket.pk}",
        actor=f"player:{by.pk}",
        memo=str(ticket),
    )
    before = deeds.facts(ticket)
    ticket.state = Ticket.State.REFUNDED
    ticket.save(update_fields=["state"])
    deeds.record(by=by, act="pay_back", row=ticket, before=before, about=ticket.player)
    return ticket
