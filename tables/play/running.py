"""A player's running games, and which of them await the player."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from core.text_validation import named
from players.accounts.models import User
from tables.models.seats import Elimination, Seat, SeatQuerySet
from tables.models.tables import Table
from tables.settlement.models import Answer
from tables.view.schemas import RunningGame, TableView
from tables.view.table_view import table_view


def held_by(player_id: int | None) -> SeatQuerySet:
    """Return a player's active seats, and those with an unanswered rejoin offer (RB 7.3)."""
    owed = Answer.objects.filter(seat=OuterRef("pk"), window__closed_at__isnull=True)
    out = Elimination.objects.standing().filter(seat=OuterRef("pk"))
    seats = Seat.objects.present().filter(player=player_id)
    return seats.filter(~Q(Exists(out)) | Q(Exists(owed)))


def running_games(player: User) -> list[RunningGame]:
    """Return the player's games that are not over, those that await the player first.

    Both parts are ordered by deadline.
    """
    held = held_by(player.pk).filter(table__finished_at__isnull=True).values("table")
    return games_at(Table.objects.filter(pk__in=held).order_by("pk"), player)


def games_at(tables: Iterable[Table], player: User) -> list[RunningGame]:
    """Return the player's games at these tables in the order of `running_games`."""
    games = [_game(table_view(table, player)) for table in tables]
    return sorted(games, key=lambda game: (not game.your_turn, game.deadline or game.server_now))


def waits_for_viewer(view: TableView) -> bool:
    """Return whether it is the viewer's turn, or the viewer owes an answer."""
    asked = view.window.mine if view.window else None
    return bool(view.me and view.me.legal) or bool(asked and asked.can_answer)


def _game(view: TableView) -> RunningGame:
    return RunningGame(
        id=view.id,
        name=named(view.name),
        variant=view.variant,
        phase=view.phase,
        your_turn=waits_for_viewer(view),
        deadline=view.deadline,
        server_now=view.server_now,
    )
