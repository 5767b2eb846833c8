"""The end of a season: prizes, promotion and relegation, in an order without ties (RB 10.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from django.db import transaction

from players.accounts.models import User
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tournaments.leagues.contests import is_all_rated
from tournaments.leagues.counting import count_batch, lock_leagues
from tournaments.leagues.models import Board, Outcome, Season, Standing
from tournaments.leagues.standings import place_of
from tournaments.planning.prize_table import prize_list, rows_for, shared_prizes
from wallet.ledger.money import as_money, as_text
from wallet.stakes import guarantees, stakes

# The last games before the end may be committed and rated later.
CLOSES_AFTER: Final = timedelta(minutes=5)


@transaction.atomic(durable=True)
def close_season(*, season_id: int, now: datetime) -> Season:
    """Pay the prizes of a season that has ended and decide its divisions; repeating does nothing.

    Does nothing either while games of the season are not rated or counted.
    """
    lock_leagues()
    season = Season.objects.locked().select_related("escrow_account").get(pk=season_id)
    if season.state != Season.State.OPEN or now < season.ends_at + CLOSES_AFTER:
        return season
    if not is_all_rated(season) or count_batch(season):
        return season
    outcomes = list(outcomes_of(season))
    _pay(season, outcomes)
    Outcome.objects.bulk_create(outcomes)
    season.state, season.finished_at = Season.State.CLOSED, now
    season.save(update_fields=["state", "finished_at", "overlay_minor"])
    _notify(season, outcomes, now)
    return season


def outcomes_of(season: Season, *, passed_over: frozenset[int] | None = None) -> Iterator[Outcome]:
    """Yield the unsaved prizes and moves, the highest division first.

    Closed and blocked accounts are passed over: the next players move up. Their rows are locked, so
    an account that is blocked at the same moment is blocked either before the end or after it. A
    recomputation gives the accounts that were passed over.
    """
    boards = Board.objects.filter(season=season, span=Board.Span.SEASON)
    by_division = {board.division: board for board in boards}
    for division, pool in enumerate(season.pools_minor, start=1):
        if board := by_division.get(division):
            yield from _outcomes(season, board, pool, passed_over)


def prize_ranks(season: Season) -> Iterator[tuple[int, tuple[int, ...], list[Standing]]]:
    """Yield a closed season's divisions: pool, basis points by place, and who shares it.

    The standings are those from the first one to the last with a prize, without accounts that were
    passed over; best first, and all that are tied with the last.
    """
    passed = season.outcomes.filter(is_passed_over=True).values_list("player", flat=True)
    boards = Board.objects.filter(season=season, span=Board.Span.SEASON)
    for board in boards.select_related("season").order_by("division"):
        pool, rows = season.pools_minor[board.division - 1], _rows(board)
        read = _first(board, len(rows) if pool else 0, frozenset(passed))
        yield pool, rows, [row for row, is_eligible in read if is_eligible]


def _rows(board: Board) -> tuple[int, ...]:
    return tuple(board.season.prize_bps) or rows_for(board.counts.above(0).total())


def _outcomes(
    season: Season, board: Board, pool: int, passed_over: frozenset[int] | None
) -> Iterator[Outcome]:
    rows = _rows(board)
    up = season.promoted if board.division > 1 else 0
    read = _first(board, max(len(rows) if pool else 0, up), passed_over)
    best = [row for row, is_eligible in read if is_eligible]
    prizes = _prizes(pool, rows, best)
    promoted = {row.player_id for row in best[:up]}
    relegated = _last(board, promoted) if board.division < season.lowest_division else []
    moves = dict.fromkeys(promoted, -1) | dict.fromkeys((row.player_id for row in relegated), 1)
    passed = {row.player_id for row, is_eligible in read if not is_eligible}
    seen = {row.player_id: row for row in [*(row for row, _ in read), *relegated]}
    for player, row in seen.items():
        if prizes.get(player) or player in moves or player in passed:
            yield Outcome(
                season=season,
                player=row.player,
                division=board.division,
                place=place_of(board, row.points),
                next_division=board.division + moves.get(player, 0),
                prize_minor=prizes.get(player, 0),
                is_passed_over=player in passed,
            )


def _first(
    board: Board, number: int, passed_over: frozenset[int] | None
) -> list[tuple[Standing, bool]]:
    """Return the first players with points, and whether each is eligible.

    At least `number` of them are, if there are so many, and all tied with the last are included.
    """
    ranked = board.standings.filter(points__gt=0).best_first().select_related("player")
    wanted, rows = number, list[tuple[Standing, bool]]()
    while number:
        found = list(ranked[:wanted])
        if found:  # All tied with the last one.
            ahead = [row for row in found if row.points > found[-1].points]
            found = [*ahead, *ranked.filter(points=found[-1].points)]
        gone = _gone([row.player_id for row in found]) if passed_over is None else passed_over
        is_last = len(found) == len(rows)
        rows = [(row, row.player_id not in gone) for row in found]
        missing = number - sum(is_eligible for _, is_eligible in rows)
        if missing <= 0 or is_last:
            break
        wanted = len(rows) + missing
    return rows


def _gone(players: Sequence[int]) -> set[int]:
    """Lock these accounts and return the closed and blocked ones."""
    locked = User.objects.locked().filter(pk__in=players)
    return {player.pk for player in locked if not player.is_active}


def _last(board: Board, promoted: set[int]) -> list[Standing]:
    """Return the relegated: the last players, except those who are promoted."""
    last = board.standings.exclude(player__in=promoted).select_related("player")
    return list(last.best_first().reverse()[: board.season.relegated])


def _prizes(pool: int, rows: Sequence[int], best: Sequence[Standing]) -> dict[int, int]:
    """Return the prize of each player in minor units; equal points share their places' prizes."""
    if not pool or not best:
        return {}
    amounts = prize_list(pool, rows, finishers=len(best))
    groups = groupby(best, key=lambda row: row.points)
    tied = [[str(row.player_id) for row in group] for _, group in groups]
    return {int(player): minor for player, minor in shared_prizes(amounts, tied).items()}


def _pay(season: Season, outcomes: Sequence[Outcome]) -> None:
    """Pay all prizes from the escrow and return to the operator what nobody won."""
    escrow = season.escrow_account
    if escrow is None:
        return
    paid = sum(outcome.prize_minor for outcome in outcomes)
    if left := season.overlay_minor - paid:
        guarantees.return_overlay(
            escrow=escrow,
            amount=as_money(left, season.currency),
            key=f"overlay-back:{season.owner_ref}",
            memo=season.name,
        )
        season.overlay_minor = paid
    if paid:
        stakes.settle_game(
            escrow=escrow,
            stakes=[],
            prizes=[(each.player, each.prize) for each in outcomes if each.prize_minor],
            added_minor=paid,
            key=f"finish:{season.owner_ref}",
            actor="settlement",
            memo=season.name,
        )


def _notify(season: Season, outcomes: Sequence[Outcome], now: datetime) -> None:
    kinds = Notification.Kind
    won = [Recipient(each.player, as_text(each.prize)) for each in outcomes if each.prize_minor]
    moved = [
        Recipient(each.player, str(each.next_division))
        for each in outcomes
        if each.next_division != each.division
    ]
    for kind, recipients in ((kinds.SEASON_PRIZE, won), (kinds.SEASON_DIVISION, moved)):
        notify(
            recipients,
            kind=kind,
            key=f"{kind}:{season.public_id}",
            subject=season.name,
            now=now,
        )
