"""Games of bots for simulations and checks, run by the workers, and their report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from django.db.models import QuerySet, Sum

from players.accounts.models import User
from tables.bots import bots
from tables.exceptions import NotInPlay
from tables.games import game_of, opening
from tables.history.fairness import seeds
from tables.models.deals import Deal, Move
from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.seats import seating
from tables.settlement.models import Result
from wallet.audit import audit
from wallet.bonuses import play_points
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes.models import Stake

# Attempts; bots play at several tables at once and pay for rejoins and stacks there.
SEATED_WITHIN: Final = 10


def open_bot_game(
    *,
    profile: RuleProfile,
    name: str,
    players: int,
    entry_minor: int = 0,
    point_value_minor: int = 0,
    rake_bps: int = 0,
) -> Table:
    """Open a table that the lobby does not show, and fill it with bots, which starts it."""
    table = opening.open_table(
        profile=profile,
        name=name,
        currency=PLAY_POINTS,
        entry_minor=entry_minor,
        point_value_minor=point_value_minor,
        rake_bps=rake_bps,
        seats_min=players,
        seats_max=players,
        owner_ref=seeds.SIMULATION,
    )
    for bot in bots.bots_for(table, players):
        _seat(table, bot)
    table.refresh_from_db()
    return table


def _seat(table: Table, bot: User) -> None:
    """Seat a bot; top up its points again if another of its tables has used them."""
    stack = game_of(table).bot_stack(table)
    for tries_left in reversed(range(SEATED_WITHIN)):
        play_points.ensure_points(player=bot, at_least=stack)
        try:
            seating.join(table_id=table.pk, player=bot, stack=stack)
        except InsufficientFunds:
            if not tries_left:
                raise
        else:
            return


def send_home(table: Table) -> None:
    """Let all players leave an open-ended table, which does not end otherwise."""
    for seat in table.seats.present():
        with suppress(NotInPlay):  # The table closed when another player left.
            seating.leave(seat_id=seat.pk)


def progress(tables: QuerySet[Table]) -> str:
    """Return one line about the games' progress."""
    over = tables.count() - tables.live().count()  # type: ignore[attr-defined]
    deals = Deal.objects.settled().filter(table__in=tables).count()
    moves = Move.objects.filter(deal__table__in=tables).count()
    return f"{over}/{tables.count()} games, {deals} deals settled, {moves} moves"


def report_on(tables: Sequence[Table], *, seconds: float, seed: str) -> dict[str, Any]:
    """Return counts of the tables' games, cards and money; `ok` is True if they are consistent."""
    pks = [table.pk for table in tables]
    escrows = Account.objects.filter(table__in=pks)
    entries = _total(Stake.objects.filter(escrow__in=escrows), "entry_minor")
    cashed_out = Entry.objects.filter(account__in=escrows, transfer__kind=Transfer.Kind.CASH_OUT)
    paid = _total(Result.objects.filter(table__in=pks), "prize_minor")
    paid -= _total(cashed_out, "amount_minor")
    rake = _total(
        Entry.objects.filter(
            account__kind=Account.Kind.RAKE, transfer__entries__account__in=escrows
        ).distinct(),
        "amount_minor",
    )
    left = _total(escrows, "balance_minor")
    moves = Move.objects.filter(deal__table__in=pks).count()
    audited = audit.audit()
    ours = Table.objects.filter(pk__in=pks)
    finished = ours.filter(phase=Table.Phase.FINISHED).count()
    out = Elimination.objects.filter(seat__table__in=pks)
    return {
        "ok": finished == len(pks) and entries == paid + rake and left == 0 and audited.is_clean,
        "seed": seed,
        "games": finished,
        "deals": Deal.objects.filter(table__in=pks).settled().count(),
        "moves": moves,
        "eliminations": out.count(),
        "rejoins": out.filter(rejoined_at__isnull=False).count(),
        "splits": ours.filter(ending="split").count(),
        "auto_splits": ours.filter(ending="auto_split").count(),
        "entries_minor": entries,
        "paid_minor": paid,
        "rake_minor": rake,
        "escrow_left_minor": left,
        "audit": "clean" if audited.is_clean else [str(finding) for finding in audited.findings],
        "seconds": round(seconds, 2),
        "moves_per_second": round(moves / seconds, 1),
    }


def _total(rows: Any, column: str) -> int:
    return rows.aggregate(total=Sum(column))["total"] or 0
