"""The audit of play: results must follow from scores, and scores from moves (RB 12.1).

`LEDGER_AUDIT_CHECKS` names it, so that the wallet's audit runs it without importing games.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings
from django.db.models import OuterRef, Prefetch, Subquery

from core.partitions.models import ArchivedMonth
from tables.integrity import archived_moves, deal_checks, game_checks
from tables.integrity.deal_checks import KeptMove, PlayedDeal
from tables.integrity.scope import batched, keys_since, read_whole, unless_it_fails
from tables.models.deals import Deal, DealSeat, Move
from tables.models.tables import Table
from tables.settlement.game_record import records_of
from wallet.audit.audit import Finding, Note
from wallet.audit.starts import Start

log = structlog.get_logger(__name__)

# A batch is replayed in well under the limit for idle transactions.
BATCH: Final = 200
LOG_EVERY_SECONDS: Final = 30
_OVER: Final = (Deal.Status.SETTLED, Deal.Status.VOID)


def findings(start: Start) -> Iterator[Finding | Note]:
    """Yield differences between games and their moves: of all games, or of new ones.

    Batches are read in separate transactions, so that a long audit blocks nothing.
    """
    began, looked_at = time.monotonic(), 0
    away = _months_away()
    over = Deal.objects.filter(status__in=_OVER)
    deals = keys_since(start, over, "tables.integrity.audit_new_deals")
    for batch in batched(deals, BATCH):
        yield from _of_deals(batch, away)
        looked_at += len(batch)
        began = _log_progress(began, looked_at, "deals")
    if start.is_beginning:
        for month in away.values():
            yield from _of_archive(month)
    games, dealt = 0, Table.objects.filter(deal_no__gt=0)
    for batch in batched(keys_since(start, dealt, "tables.integrity.audit_new_tables"), BATCH):
        yield from _of_games(batch)
        games += len(batch)
        began = _log_progress(began, games, "games")
    yield Note(f"{looked_at} deals compared with their moves")


def _log_progress(since: float, done: int, what: str) -> float:
    if time.monotonic() - since < LOG_EVERY_SECONDS:
        return since
    log.info("play_audit_goes_on", done=done, what=what)
    return time.monotonic()


def _months_away() -> dict[date, ArchivedMonth]:
    away = ArchivedMonth.objects.away().filter(relation=Move._meta.db_table)
    return {month.month: month for month in away}


def _of_deals(keys: Sequence[int], away: dict[date, ArchivedMonth]) -> Iterator[Finding]:
    deals = _read(keys)
    here = [deal for deal in deals if _month_of(deal) not in away]
    moves: dict[int, list[KeptMove]] = defaultdict(list)
    days = [deal.dealt_on for deal in here if deal.dealt_on]
    if days:
        kept = Move.objects.filter(
            deal__in=[deal.pk for deal in here], dealt_on__range=(min(days), max(days))
        )
        rows = kept.order_by("deal", "ply").values_list("deal", "ply", "seat", "text")
        for deal_id, ply, seat_id, text in rows:
            moves[deal_id].append(KeptMove(ply, seat_id, text))
    known = {deal.pk for deal in here}
    yield from _differences(deals, lambda deal: moves[deal.pk] if deal.pk in known else None)


def _of_archive(month: ArchivedMonth) -> Iterator[Finding | Note]:
    """Replay the deals of an archived month, or report that its file was not read."""
    directory = settings.MONTHS_DIR
    path = Path(directory, month.file)
    if not directory or not path.is_file():
        yield Note(f"{month} was not read: there is no {month.file} in MONTHS_DIR")
        return
    if not archived_moves.is_unaltered(path, month):
        yield Finding("archive_altered", f"month {month.month:%Y-%m}", f"{path} has another hash")
        return
    deals: set[int] = set()
    for batch in batched(archived_moves.deals_in(path), BATCH):
        moves = dict(batch)
        deals |= moves.keys()
        yield from _differences(_read(list(moves)), lambda deal: moves[deal.pk])  # noqa: B023
    yield Note(f"{month} was read from {path}: {len(deals)} deals")


def _read(keys: Sequence[int]) -> list[Deal]:
    before = Deal.objects.filter(table=OuterRef("table"), no=OuterRef("no") - 1)
    deals = Deal.objects.filter(pk__in=keys).select_related("table__profile", "reveal")
    places = DealSeat.objects.select_related("seat").order_by("position")
    deals = deals.prefetch_related("client_seeds", "scores", Prefetch("deal_seats", places))
    chain, head = (Subquery(before.values(name)[:1]) for name in ("chain", "reveal__head"))
    return list(deals.annotate(chain_before=chain, head_before=head).order_by("pk"))


def _differences(
    deals: Sequence[Deal], moves_of: Callable[[Deal], Sequence[KeptMove] | None]
) -> Iterator[Finding]:
    tables = list({deal.table_id: deal.table for deal in deals}.values())
    records = cache(lambda: records_of(tables))
    for deal in deals:
        played = PlayedDeal(
            deal=deal,
            chain_before=deal.chain_before or "",  # type: ignore[attr-defined]  # Annotated.
            head_before=deal.head_before or "",  # type: ignore[attr-defined]  # Annotated.
            game=lambda: records()[deal.table_id],  # noqa: B023  # Called before the next deal.
            moves=moves_of(deal),
        )
        yield from unless_it_fails(f"deal {deal.pk}", deal_checks.differences, played)


def _month_of(deal: Deal) -> date | None:
    return deal.dealt_on.replace(day=1) if deal.dealt_on else None


def _of_games(keys: Sequence[int]) -> Iterator[Finding]:
    rows = Table.objects.select_related("profile")
    for played in read_whole(
        rows, keys, read=game_checks.games_of, row_of=lambda played: played.record.table
    ):
        subject = f"table {played.record.table.pk}"
        yield from unless_it_fails(subject, game_checks.differences, played)
