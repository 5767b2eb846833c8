"""Compare a game with its scores: winners, places and prizes (RB 6-8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tables.games import game_of
from tables.models.tables import StakeMode, Table
from tables.settlement.finishing import Order
from tables.settlement.game_record import GamePapers, GameRecord, papers_of, records_of
from tables.settlement.models import Result
from wallet.audit.audit import Finding


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game with all of its rows except moves."""

    record: GameRecord
    papers: GamePapers
    results: Sequence[Result]


def games_of(tables: Sequence[Table]) -> Iterator[PlayedGame]:
    """Yield the games of these tables, all read with a few queries."""
    records, papers = records_of(tables), papers_of(tables)
    results: Mapping[int, list[Result]] = defaultdict(list)
    for result in Result.objects.filter(table__in=list(records)).order_by("pk"):
        results[result.table_id].append(result)
    for key, record in records.items():
        yield PlayedGame(record, papers[key], results[key])


def differences(played: PlayedGame) -> Iterator[Finding]:
    """Yield stored rows of a game that contradict its scores."""
    table = played.record.table
    game = game_of(table)
    if game.questions is not None:
        yield from game.questions.record_differences(played.record, played.papers)
    if game.has_end and table.phase == Table.Phase.FINISHED:
        yield from _results(played, game.final_order(played.record))


def _results(played: PlayedGame, order: Order) -> Iterator[Finding]:
    """Yield places and prizes that differ from the scores, and results of undecided games."""
    table = played.record.table
    subject = f"table {table.pk}"
    if not (order.is_decided or table.is_last_deal):
        yield Finding("result_undecided", subject, "is finished, and its scores decide nothing")
    places, prizes = order.places(), {}
    if table.stake_mode == StakeMode.CASH:
        pot = sum(stake.net_minor for stake in played.papers.counted_stakes)
        shares = game_of(table).final_shares(played.record, played.papers, order)
        prizes = {seat.pk: share for seat, share in zip(order.heads, shares, strict=False)}
        if len(shares) != len(order.heads) or sum(shares) != pot:
            yield Finding("result_shares", subject, f"its shares are not the pot of {pot}")
    for result in played.results:
        due = (places.get(result.seat_id), prizes.get(result.seat_id, 0))
        if (result.place, result.prize_minor) != due:
            detail = f"is place {result.place} with {result.prize_minor}, the scores give"
            yield Finding(
                "result_differs", f"result {result.pk}", f"{detail} {due[0]} with {due[1]}"
            )
