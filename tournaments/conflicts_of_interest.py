"""The tournaments in which a player takes part; see `players.accounts.conflicts_of_interest`."""

from __future__ import annotations

from collections.abc import Collection

from django.db import models
from django.db.models import Q

from players.accounts.models import User
from tables.models.tables import Drain, Table
from tournaments.entries.models import Entry, Ticket
from tournaments.leagues.models import LeagueResult, Season
from tournaments.planning.locks import lock_tournaments
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate
from wallet.ledger.models import Account


def lock_games(player_ids: Collection[int]) -> None:
    lock_tournaments(Tournament.objects.filter(pk__in=_live_of(player_ids).values("pk")))


def opponents_of(player_id: int) -> set[int]:
    """Return the keys of entrants of the player's tournaments and holders of tickets to them."""
    mine = _live_of([player_id])
    entrants = Entry.objects.entered().filter(tournament__in=mine.values("pk"))
    holders = Ticket.objects.filter(
        state=Ticket.State.ISSUED, admits_to__in=mine.values("template")
    )
    found = {*entrants.values_list("player", flat=True), *holders.values_list("player", flat=True)}
    return found - {player_id}


def is_in_game(player: User) -> bool:
    """Entries that cost nothing count, too: their prizes would go to a closed account."""
    live = Tournament.objects.live()
    return Entry.objects.standing().of_player(player).filter(tournament__in=live).exists()


def takes_part(player: User, row: models.Model) -> bool:
    if isinstance(row, Tournament):
        return _takes_part_in(Tournament.objects.filter(pk=row.pk), player)
    if isinstance(row, Table):
        return _takes_part_in(Tournament.objects.filter(rounds__round_tables__table=row), player)
    if isinstance(row, Account):
        return _takes_part_in(Tournament.objects.filter(escrow_account=row), player)
    if isinstance(row, Season):
        return LeagueResult.objects.filter(season=row, player=player).exists()
    if isinstance(row, TournamentTemplate):
        of_template = Tournament.objects.live().filter(Q(template=row) | Q(awards=row))
        holds = Ticket.objects.filter(player=player, admits_to=row, state=Ticket.State.ISSUED)
        return holds.exists() or _takes_part_in(of_template, player)
    if isinstance(row, Drain):  # Maintenance mode affects the tables of every running round.
        running = Tournament.objects.filter(state=Tournament.State.RUNNING)
        return Entry.objects.entered().filter(player=player, tournament__in=running).exists()
    return False


def _takes_part_in(tournaments: models.QuerySet[Tournament], player: User) -> bool:
    """Return whether a player has an entry in one of these or a ticket to an unfinished one.

    Withdrawn entries count, because the player may enter again.
    """
    if Entry.objects.filter(player=player, tournament__in=tournaments.values("pk")).exists():
        return True
    to_come = tournaments.exclude(state__in=Tournament.OVER).values("template")
    return Ticket.objects.filter(
        player=player, admits_to__in=to_come, state=Ticket.State.ISSUED
    ).exists()


def _live_of(player_ids: Collection[int]) -> models.QuerySet[Tournament]:
    """Return the unfinished tournaments for which these players have an entry or a ticket."""
    entered = Entry.objects.entered().filter(player__in=player_ids)
    held = Ticket.objects.filter(player__in=player_ids, state=Ticket.State.ISSUED)
    return Tournament.objects.live().filter(
        Q(pk__in=entered.values("tournament")) | Q(template__in=held.values("admits_to"))
    )
