"""Score finished deals; the table's game decides the next step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import structlog
from django.db import transaction
from django.db.models import Q

import rummy
from tables.exceptions import DealNotEnded, NotRuled
from tables.games import game_of
from tables.integrity.moderation.models import Ruling
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.settlement import finishing
from tables.settlement.game_record import record_so_far
from tables.state.fold import fold_of_latest, reveal_seed
from tables.state.locks import LockedTable, lock_table, lock_table_of_deal, snapshot_of
from tables.state.publishing import publish
from tables.state.rules import family_of

log = structlog.get_logger(__name__)


@transaction.atomic(durable=True)
def settle_deal(*, deal_id: int) -> Deal:
    """Score a finished deal, then let its game continue: next deal, question, or payout.

    Workers may run it concurrently or again after a crash; only the first commit has an effect.
    """
    table = lock_table_of_deal(deal_id)
    snapshot = snapshot_of(table)
    deal = snapshot.deal
    if deal is None or deal.pk != deal_id:  # The game has gone on.
        return Deal.objects.get(table=table, pk=deal_id)
    if deal.status in (Deal.Status.SETTLED, Deal.Status.VOID) or table.settlement_due:
        return deal  # A staff ruling on it is applied by `settle_table`.
    if deal.status != Deal.Status.ENDED:
        raise DealNotEnded(f"{deal} is {deal.status}; its cards are still being played.")
    now, game = snapshot.now, game_of(table)

    fold = fold_of_latest(deal, snapshot.latest)
    outcome = family_of(table.profile).outcome(fold.state)
    assert outcome is not None, "an ended deal has an outcome"
    scores = _scores(table, deal, outcome)
    if game.is_void(table, deal, scores):
        game.call_off(table, deal, now)
    else:
        game.complete(table, deal, scores, partial(record_so_far, table))
        Score.objects.bulk_create(scores)
        snapshot.scores += scores
        deal.status, deal.ending, deal.settled_at = Deal.Status.SETTLED, outcome.ending, now
        deal.save(update_fields=["status", "ending", "settled_at"])
        reveal_seed(deal, now, fold=fold)
        table.version += 1
        if table.is_last_deal:
            game.end_here(table, now)
        else:
            game.go_on(table, deal, now)
    publish(table)
    facts = {"table": table.pk, "deal": deal.pk, "status": str(deal.status)}
    transaction.on_commit(lambda: log.info("deal_settled", **facts), robust=True)
    return deal


@transaction.atomic(durable=True)
def settle_table(*, table_id: int) -> None:
    """Take the table's next step between two deals: eliminations, a window's end, the payout.

    A staff ruling on the current deal or on the game is applied here too. Workers may run it
    concurrently or again after a crash; only the first commit has an effect.
    """
    table = lock_table(table_id)
    if not table.settlement_due or table.is_over:
        return
    snapshot = snapshot_of(table)
    now, game, deal = snapshot.now, game_of(table), snapshot.deal
    table.settlement_due = False
    on_table = table.phase == Table.Phase.SETTLING
    if on_table or table.ending == finishing.CANCELLED:
        _require_ruling(table)
    if table.ending == finishing.CANCELLED and on_table and deal is not None:
        game.call_off(table, deal, now)
    elif table.ending == finishing.CANCELLED:
        game.call_off_between(table, now)
    elif on_table and deal is not None:
        game.go_on_after_void(table, deal, now)
    else:
        game.step_between(table, now)
    table.version += 1
    publish(table)


def _require_ruling(table: Table) -> None:
    """Raise `NotRuled` unless staff have cancelled the game or voided the deal on the table.

    The process that writes a table's columns is another one than the process that pays.
    """
    on_deal = Q(kind=Ruling.Kind.VOID, deal__no=table.deal_no)
    if not table.rulings.filter(Q(kind=Ruling.Kind.CANCEL) | on_deal).exists():
        raise NotRuled("The table is marked as cancelled or void, but staff have not ruled so.")


def score_of(table: Table, deal: Deal, seat: Seat, result: rummy.AnyResult) -> Score:
    """Return a seat's score of a deal, unsaved and without its total."""
    score = Score(table=table, deal=deal, seat=seat, points=result.points, how=result.how)
    score.bought_in_at = None
    return score


def _scores(table: LockedTable, deal: Deal, outcome: rummy.AnyOutcome) -> list[Score]:
    snapshot = snapshot_of(table)
    results: Sequence[rummy.AnyResult] = outcome.results
    game, scores, totals = game_of(table), [], snapshot.totals()
    for seat, result in zip(snapshot.seats_in(deal), results, strict=True):
        score = score_of(table, deal, seat, result)
        score.total_after = totals[seat.pk] + result.points
        # A player who won because the others dropped has not shown any cards.
        if outcome.ending != "last_standing":
            score.arrangement = game.judged(result).arrangement
        scores.append(score)
    return scores
