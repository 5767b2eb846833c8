"""The data of a tournament's page: terms, plan, times, prizes, rounds, the viewer's entry."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Final
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

import rummy
from core.clock import database_now
from players.accounts.models import User
from tables.games import game_of
from tables.state.rules import rules_of, variant_of
from tournaments.entries import late_entries
from tournaments.entries.models import Entry, RoundTable, Seating
from tournaments.kinds import kind_of
from tournaments.leagues.series import series_of
from tournaments.lobby.schemas import (
    Draw,
    DrawnEntry,
    LadderStep,
    MyEntry,
    PlannedRound,
    PrizeRow,
    RoundRow,
    RoundTableRow,
    SeatedPlayer,
    SeriesLink,
    TournamentPage,
)
from tournaments.lobby.standings import live_ranks, live_standings, winners
from tournaments.planning import timing
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate, steps_up
from tournaments.prizes.prize_pool import pool_so_far, rows_due
from wallet.ledger.amounts import Amount

# The latest tables of a player that the page shows if each is of one deal.
TABLES_SHOWN: Final = 4
# The fields of the page that are those of the tournament.
COPIED: Final = (
    *("name", "kind", "state", "currency", "entrants_max", "registers_at", "starts_at"),
    *("started_at", "finished_at", "no_show", "rejoins", "reentries_max", "addon_chips"),
    *("addon_minutes", "round_minutes", "round_no", "commitment"),
)
Viewer = User | AnonymousUser | None
OPEN = (Tournament.State.REGISTERING, Tournament.State.CHECK_IN)
AHEAD = (Tournament.State.ANNOUNCED, *OPEN)


def shown_or_404(tournament_id: UUID) -> Tournament:
    shown = Tournament.objects.shown().select_related("profile", "awards")
    return get_object_or_404(shown, public_id=tournament_id)


def own_entry_or_404(tournament: Tournament, player: User) -> Entry:
    """Return the player's latest entry that is not gone."""
    return get_object_or_404(tournament.entries.latest_of(player)[:1])


def tournament_page(tournament: Tournament, viewer: Viewer) -> TournamentPage:
    """Return the page's values; the number of queries does not depend on the entrants."""
    now = database_now()
    currency, (players, taken, waiting) = tournament.currency, _counted(tournament)
    is_late = late_entries.are_open(tournament, now)
    mine = _my_entry(tournament, viewer, now, is_late=is_late)
    # Late entry has no waiting list.
    has_late_place = is_late and players < tournament.entrants_max
    is_ahead = tournament.state in AHEAD
    rules = rules_of(tournament.profile)
    return TournamentPage(
        **{name: getattr(tournament, name) for name in COPIED},
        id=tournament.public_id,
        variant=variant_of(tournament.profile),
        kind_text=list(kind_of(tournament).text(tournament)),
        entry=Amount.of(tournament.entry_minor, currency),
        rake=Amount.of(rummy.pool.rake(tournament.entry_minor, tournament.rake_bps), currency),
        prize=Amount.of(pool_so_far(tournament, entrants=taken), currency),
        guarantee=Amount.of(tournament.guarantee_minor, currency),
        is_frozen=tournament.frozen_at is not None,
        entrants=taken,
        entrants_min=tournament.least_entrants,
        waiting=waiting,
        check_in_at=timing.registration_ends(tournament) if tournament.has_check_in else None,
        late_until=late_entries.closes_at(tournament) if is_late or is_ahead else None,
        rejoin_until=timing.rejoins_end(tournament),
        rejoins_max=game_of(rules).figures(rules).max_rejoins if tournament.rejoins else None,
        addon=Amount.of(tournament.addon_minor, currency),
        addon_until=tournament.addon_until if tournament.frozen_at is None else None,
        has_password=bool(tournament.password_hash),
        server_now=now,
        plan=_plan(tournament, taken),
        live=live_standings(tournament, viewer),
        prizes=_prizes(tournament, taken),
        winners=winners(tournament, viewer),
        rounds=_rounds(tournament),
        awards=tournament.awards.name if tournament.awards else "",
        ladder=ladder_of(tournament),
        series=[SeriesLink(each.public_id, each.name) for each in series_of(tournament)],
        me=mine,
        may_register=mine is None and (tournament.state in OPEN or has_late_place),
    )


def ladder_of(tournament: Tournament) -> list[LadderStep]:
    """Return the steps from the kinds that award tickets to this one up to the last; or nothing.

    Of several kinds that lead to one step, those of this tournament's own step are shown.
    """
    here = tournament.template
    if here is None:
        return []
    below = list(here.satellites.offered().order_by("entry_minor", "pk"))
    above = steps_up(tournament.awards)
    if not below and not above:
        return []
    steps = [*below, here, *above]
    coming = Tournament.objects.filter(template__in=steps, state__in=AHEAD)
    latest_first = coming.order_by("-starts_at", "-pk")
    upcoming = {each.template_id: each for each in latest_first}
    return [_step(step, upcoming.get(step.pk), is_here=step == here) for step in steps]


def _step(step: TournamentTemplate, coming: Tournament | None, *, is_here: bool) -> LadderStep:
    return LadderStep(
        name=step.name,
        entry=Amount.of(step.entry_minor, step.currency),
        is_here=is_here,
        tournament=coming.public_id if coming and not is_here else None,
        starts_at=coming.starts_at if coming and not is_here else None,
    )


def _counted(tournament: Tournament) -> tuple[int, int, int]:
    """Return the numbers of players, of entries with re-entries, and of waiting ones: one query."""
    standing = ~Q(state__in=[*Entry.GONE, Entry.State.WAITING])
    counted = tournament.entries.aggregate(
        players=Count("pk", filter=standing & Q(reenters=None)),
        taken=Count("pk", filter=standing),
        waiting=Count("pk", filter=Q(state=Entry.State.WAITING)),
    )
    return counted["players"], counted["taken"], counted["waiting"]


def round_tables(tournament: Tournament, no: int) -> QuerySet[RoundTable]:
    """Return a round's tables, to paginate before `table_rows`."""
    return RoundTable.objects.filter(round__tournament=tournament, round__no=no).select_related(
        "table"
    )


def table_rows(tables: Iterable[RoundTable], viewer: Viewer) -> list[RoundTableRow]:
    """Return tables with their players, with two queries."""
    tables = list(tables)
    seatings = (
        Seating.objects.filter(round_table__in=tables)
        .select_related("entry__player")
        .order_by("round_table", "place", "pk")
    )
    players = {
        table: [_player(seating, viewer) for seating in group]
        for table, group in groupby(seatings, key=lambda seating: seating.round_table_id)
    }
    return [_table_row(table, players.get(table.pk, [])) for table in tables]


def draw_of(tournament: Tournament) -> Draw | None:
    """Return the data to verify the draw, or None before it is made."""
    if not tournament.revealed_seed:
        return None
    late = tournament.entries.filter(is_late=True).order_by("draw_no")
    order, late_comers = (
        [DrawnEntry(*row) for row in entries.values_list("public_id", "player__handle")]
        for entries in (tournament.entries.drawn(), late)
    )
    return Draw(tournament.commitment, tournament.revealed_seed, order, late_comers)


def _plan(tournament: Tournament, taken: int) -> list[PlannedRound]:
    """Return the plan for the present entrants, or for the maximum if there are fewer than 2."""
    entrants = taken if taken > 1 else tournament.entrants_max
    return [
        PlannedRound(
            no=each.no,
            entrants=each.entrants,
            tables=len(each.sizes),
            sizes=_sizes(each.sizes),
            qualify=each.qualify,
            qualifiers=each.qualifiers,
            is_final=each.is_final,
        )
        for each in kind_of(tournament).plan(tournament, entrants)
    ]


def _sizes(sizes: tuple[int, ...]) -> str:
    return ", ".join(f"{len(list(same))} × {size}" for size, same in groupby(sizes))


def _prizes(tournament: Tournament, taken: int) -> list[PrizeRow]:
    """Return the frozen prize rows, or a forecast for the present entrants."""
    if tournament.frozen_at is not None:
        rows = [(row.bps, row.amount_minor, row.is_ticket) for row in tournament.prizes.all()]
    else:
        finishers = max(taken, tournament.least_entrants)
        rows = rows_due(tournament, pool_so_far(tournament, entrants=taken), finishers=finishers)
    return [
        PrizeRow(place, Amount.of(amount, tournament.currency), is_ticket)
        for place, (_bps, amount, is_ticket) in enumerate(rows, start=1)
    ]


def _rounds(tournament: Tournament) -> list[RoundRow]:
    rounds = tournament.rounds.annotate(
        tables_count=Count("round_tables"),
        tables_left=Count("round_tables", filter=Q(round_tables__finished_at=None)),
    )
    return [
        RoundRow(
            no=each.no,
            is_final=each.is_final,
            started_at=each.started_at,
            ends_at=each.ends_at,
            finished_at=each.finished_at,
            tables_count=each.tables_count,
            tables_left=each.tables_left,
        )
        for each in rounds
    ]


def _my_entry(
    tournament: Tournament, viewer: Viewer, now: datetime, *, is_late: bool
) -> MyEntry | None:
    if viewer is None or not viewer.is_authenticated:
        return None
    entries = list(tournament.entries.latest_of(viewer))
    if not entries:
        return None
    entry, kind = entries[0], kind_of(tournament)
    mine = RoundTable.objects.filter(seatings__entry__in=entries).select_related("table")
    if kind.plays_one_deal:
        path = table_rows(mine.order_by("-pk")[:TABLES_SHOWN], viewer)
    else:
        path = table_rows(mine.order_by("round__no", "no"), viewer)
    live = [row.table for row in path if row.table and row.phase not in ("finished", "cancelled")]
    place = next((row for row in live_ranks(tournament) if row.entry == entry.pk), None)
    waiting_no = None
    if entry.state == Entry.State.WAITING:
        waiting_no = tournament.entries.waiting().filter(pk__lte=entry.pk).count()
    left = max(0, tournament.reentries_max + 1 - len(entries)) if is_late else 0
    has_qualified = entry.state == Entry.State.QUALIFIED and not entry.is_removed
    is_on_sale = has_qualified and entry.addon_stake_id is None
    return MyEntry(
        id=entry.public_id,
        state=entry.state,
        place=entry.place,
        tied=entry.tied,
        prize=Amount.of(entry.prize_minor, tournament.currency),
        draw_no=entry.draw_no,
        total=place.total if place else None,
        rank=place.rank if place else None,
        waiting_no=waiting_no,
        may_withdraw=tournament.state in OPEN or (is_late and entry.draw_no is None),
        entry_no=len(entries),
        reentries_left=left,
        may_reenter=left > 0 and not entry.is_removed and late_entries.is_out(entry),
        has_add_on=entry.addon_stake_id is not None,
        may_buy_add_on=is_on_sale and timing.addon_is_open(tournament, now),
        table=live[0 if kind.plays_one_deal else -1] if live else None,
        path=path,
    )


def _player(seating: Seating, viewer: Viewer) -> SeatedPlayer:
    player = seating.entry.player
    return SeatedPlayer(
        handle=player.handle,
        is_me=viewer is not None and player.pk == viewer.pk,
        is_bot=player.is_bot,
        place=seating.place,
        total=seating.total,
        # In a race no one is eliminated.
        qualified=seating.qualified if seating.left_at is None else None,
    )


def _table_row(round_table: RoundTable, players: list[SeatedPlayer]) -> RoundTableRow:
    table = round_table.table
    return RoundTableRow(
        no=round_table.no,
        table=table.public_id if table else None,
        phase=table.phase if table else ("bye" if len(players) == 1 else "waiting"),
        deal_no=table.deal_no if table else 0,
        qualify=round_table.qualify,
        players=players,
    )
