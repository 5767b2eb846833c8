"""The prize pool: guarantee overlay, freeze, and payout in one posting (RB 10.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from django.db.models import F, Sum
from moneyed import Money

import rummy
from core.clock import database_now
from tables.models.tables import Table
from tables.state.locks import lock_tables
from tournaments.entries import notifications
from tournaments.entries.models import Entry, Prize, Ticket
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from tournaments.planning.prize_table import prize_list, rows_for, shared_prizes, ticket_rows
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes import tickets
from wallet.ledger.money import as_money
from wallet.stakes import guarantees, stakes
from wallet.stakes.models import Stake


def net_minor(tournament: Tournament) -> int:
    """Return the sum of all payments in the escrow, net of rake, in minor units.

    They are entries, rejoins, re-entries and add-ons.
    """
    held = Stake.objects.in_escrow().filter(escrow=tournament.escrow_account)
    net = held.aggregate(net=Sum(F("entry_minor") - F("rake_minor")))["net"]
    return net or 0


def prize_minor(tournament: Tournament, *, entrants: int) -> int:
    """Return the frozen pool, or a forecast for the entrants, in minor units."""
    if tournament.prize_minor is not None:
        return tournament.prize_minor
    net = rummy.pool.net_entry(tournament.entry_minor, tournament.rake_bps)
    return max(tournament.guarantee_minor, max(entrants, tournament.least_entrants) * net)


def pool_so_far(tournament: Tournament, *, entrants: int) -> int:
    """Return the frozen pool, that of the payments while round 1 is played, or a forecast."""
    if tournament.state != Tournament.State.RUNNING or tournament.frozen_at is not None:
        return prize_minor(tournament, entrants=entrants)
    return max(tournament.guarantee_minor, net_minor(tournament))


def post_overlay(tournament: LockedTournament) -> None:
    """Add the shortfall of the guarantee at the start, from the guarantee account."""
    lacking = max(0, tournament.guarantee_minor - net_minor(tournament))
    if lacking:
        guarantees.add_overlay(
            escrow=tournament.escrow_account,
            amount=as_money(lacking, tournament.currency),
            key=f"overlay:{tournament.public_id}",
            memo=tournament.name,
        )
    tournament.overlay_minor = lacking


def return_overlay(tournament: LockedTournament, *, keep_minor: int = 0) -> None:
    """Return the overlay above `keep_minor` to the guarantee account."""
    superfluous = tournament.overlay_minor - keep_minor
    if superfluous > 0:
        guarantees.return_overlay(
            escrow=tournament.escrow_account,
            amount=as_money(superfluous, tournament.currency),
            key=f"overlay-back:{tournament.public_id}:{keep_minor}",
            memo=tournament.name,
        )
        tournament.overlay_minor = keep_minor


def freeze(tournament: LockedTournament, now: datetime) -> None:
    """Close the rejoins of round 1, fix the pool and write the prize rows.

    Overlay that is no longer needed after rejoins and late entries returns to the operator.
    """
    if tournament.frozen_at is not None:
        return
    keys = close_rejoins(tournament)
    net = net_minor(tournament)
    return_overlay(tournament, keep_minor=max(0, tournament.guarantee_minor - net))
    tournament.prize_minor = net + tournament.overlay_minor
    tournament.frozen_at = now
    Table.objects.filter(pk__in=keys).update(owner_prize_minor=tournament.prize_minor)
    _write_rows(tournament)


def close_rejoins(tournament: LockedTournament) -> list[int]:
    """Lock the tables of the tournament and close their rejoins; return the tables' keys."""
    tables = Table.objects.filter(round_table__round__tournament=tournament)
    # Lock order: the tournament, its tables, then their accounts.
    keys = [table.pk for table in lock_tables(tables)]
    Table.objects.filter(pk__in=keys, rejoins_open=True).update(rejoins_open=False)
    return keys


def pay(tournament: LockedTournament) -> None:
    """Pay all prizes in one posting, which empties the escrow.

    Tied entries share their prizes; indivisible units follow the order of the published draw.
    """
    entries = list(
        tournament.entries.filter(place__isnull=False)
        .select_related("player")
        .order_by("place", "draw_no")
    )
    rows = list(tournament.prizes.all())
    won = shares(tournament, rows, entries)
    for entry in entries:
        entry.prize_minor = won[str(entry.public_id)]
    Entry.objects.bulk_update(entries, ["prize_minor"], batch_size=1000)
    issued = tickets.issue(tournament, rows, entries) if tournament.awards_id else {}
    stakes.settle_game(
        escrow=tournament.escrow_account,
        stakes=list(Stake.objects.in_escrow().filter(escrow=tournament.escrow_account)),
        prizes=[(entry.player, money) for entry, money in _money(entries, issued) if money],
        to_accounts=[(ticket.account, ticket.value) for ticket in issued.values()],
        added_minor=tournament.overlay_minor,
        key=f"finish:{tournament.owner_ref}",
        actor="settlement",
        memo=tournament.name,
    )
    notifications.notify_of_prizes(tournament, entries, issued, database_now())


def shares(
    tournament: Tournament, rows: Sequence[Prize], entries: Sequence[Entry]
) -> dict[str, int]:
    """Return the prize of each entry in minor units; `entries` are ordered by place and draw."""
    tied = [list(group) for _, group in groupby(entries, key=lambda entry: entry.place)]
    return tickets.shares(rows, tied) if tournament.awards_id else _money_shares(rows, tied)


def rows_due(
    tournament: Tournament | TournamentTemplate,
    pool: int,
    *,
    finishers: int,
    ticket_minor: int | None = None,
) -> list[tuple[int, int, bool]]:
    """Return the basis points, the minor units and whether it is a ticket, of each paid place.

    A satellite's tickets have the value `ticket_minor`, by default the present price.
    """
    if tournament.awards is not None:
        value = tournament.awards.entry_minor if ticket_minor is None else ticket_minor
        rows = ticket_rows(pool, value, finishers=finishers)
        return [(0, amount, is_ticket) for amount, is_ticket in rows]
    bps = tuple(tournament.prize_bps) or rows_for(finishers)
    amounts = prize_list(pool, bps, finishers=finishers)
    return [(part, amount, False) for part, amount in zip(bps, amounts, strict=False)]


def _money(entries: Sequence[Entry], issued: Mapping[int, Ticket]) -> Iterator[tuple[Entry, Money]]:
    """Yield each entry's prize in money, without the value of its ticket."""
    for entry in entries:
        ticket = issued.get(entry.pk)
        yield entry, entry.prize - ticket.value if ticket else entry.prize


def _money_shares(rows: Sequence[Prize], tied: Sequence[Sequence[Entry]]) -> dict[str, int]:
    names = [[str(entry.public_id) for entry in group] for group in tied]
    return shared_prizes([row.amount_minor for row in rows], names)


def _write_rows(tournament: LockedTournament) -> None:
    assert tournament.prize_minor is not None, "the pool is fixed first"
    finishers = tournament.entries.exclude(draw_no=None).count()
    rows = rows_due(tournament, tournament.prize_minor, finishers=finishers)
    Prize.objects.bulk_create(
        Prize(
            tournament=tournament, place=place, bps=part, amount_minor=amount, is_ticket=is_ticket
        )
        for place, (part, amount, is_ticket) in enumerate(rows, start=1)
    )
