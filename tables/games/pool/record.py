"""Compare a pool's rows with its scores: eliminations, rejoins and splits (RB 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import rummy
from tables.games.pool import split
from tables.games.thirteen.cards import thirteen_rules
from tables.models.seats import Elimination
from tables.models.tables import StakeMode
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state.rules import rules_of
from wallet.audit.audit import Finding


def differences(record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
    """Yield stored rows of a pool that contradict its scores."""
    yield from _eliminations(record)
    if back := [out for out in record.eliminations if out.rejoined_at is not None]:
        yield from _rejoins(record, papers, back)
        yield from _rejoins_paid(record, papers, back)
    agreed = split.accepted(papers)
    if agreed and record.table.ending != "split":
        subject = f"window {agreed[0].pk}"
        yield Finding("split_unpaid", subject, "was accepted, and did not end the game")
    yield from _splits(record, papers)


def _eliminations(record: GameRecord) -> Iterator[Finding]:
    """Yield eliminations below the limit without leaving, and seats at the limit still in."""
    rules = thirteen_rules(rules_of(record.table.profile))
    stayed = {seat.pk for seat in record.seats if seat.left_at is None}
    for out in record.eliminations:
        if not rummy.pool.is_out(out.total, rules) and out.seat_id in stayed:
            detail = f"is at {out.total} of {rules.limit}, and the seat did not leave"
            yield Finding("elimination_early", f"elimination {out.pk}", detail)
    known = {(out.seat_id, out.deal_id) for out in record.eliminations}
    settled = {deal.pk for deal in record.settled}
    for score in record.scores:
        is_known = (score.seat_id, score.deal_id) in known or score.deal_id not in settled
        if rummy.pool.is_out(score.total_after, rules) and not is_known:
            detail = f"reached {score.total_after} of {rules.limit}, and its seat is not out"
            yield Finding("elimination_missing", f"score {score.pk}", detail)


def _rejoins(
    record: GameRecord, papers: GamePapers, back: Sequence[Elimination]
) -> Iterator[Finding]:
    """Yield rejoins that were not offered at their total, or not agreed to (RB 7.3)."""
    windows = {
        window.deal_id: window for window in papers.windows if window.kind == Window.Kind.REJOIN
    }
    for out in back:
        subject, window = f"elimination {out.pk}", windows.get(out.deal_id)
        agreed = [
            answer
            for answer in (papers.answers.get(window.pk, ()) if window else ())
            if (answer.seat_id, answer.said) == (out.seat_id, Answer.Said.YES)
        ]
        if window is None or not agreed:
            yield Finding("rejoin_not_asked", subject, "was undone, and its seat said no yes")
            continue
        offered = _rejoin_total(record, window)
        if not out.rejoined_total == agreed[0].total == offered:
            detail = f"came back at {out.rejoined_total}, was offered {agreed[0].total}"
            yield Finding("rejoin_total", subject, f"{detail}, the scores lead to {offered}")


def _rejoin_total(record: GameRecord, window: Window) -> int | None:
    rules = thirteen_rules(rules_of(record.table.profile))
    left = {seat.pk: seat.left_at for seat in record.seats}
    survivors = [
        score.total_after
        for score in record.scores_of(window.deal_id)
        if not rummy.pool.is_out(score.total_after, rules)
        and ((gone := left[score.seat_id]) is None or gone >= window.opened_at)
    ]
    return rummy.pool.rejoin_offer(rules, survivors, started=record.table.starters).score


def _rejoins_paid(
    record: GameRecord, papers: GamePapers, back: Sequence[Elimination]
) -> Iterator[Finding]:
    paid = [buy_in.seat_id for buy_in in papers.buy_ins]
    free = 1 if record.table.stake_mode == StakeMode.CASH else 0
    for seat in sorted({out.seat_id for out in back}):
        due = free + sum(out.seat_id == seat for out in back)
        if paid.count(seat) != due:
            detail = f"paid {paid.count(seat)} entries, and its rejoins make {due}"
            yield Finding("rejoin_not_paid", f"seat {seat}", detail)


def _splits(record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
    """Yield accepted splits that were not agreed to by all, or with wrong shares (RB 7.4)."""
    rejoined = {(out.seat_id, out.deal_id, out.rejoined_total) for out in record.eliminations}
    for window in split.accepted(papers):
        subject, answers = f"window {window.pk}", papers.answers.get(window.pk, ())
        if any(answer.said != Answer.Said.YES for answer in answers):
            yield Finding("split_not_agreed", subject, "was accepted without everybody's yes")
        entries = len(papers.counted_stakes)
        offered = split.offer(record.table, [answer.total for answer in answers], entries=entries)
        if offered.shares != tuple(answer.amount_minor for answer in answers):
            yield Finding("split_shares", subject, "its shares do not follow from its totals")
        totals = {s.seat_id: s.total_after for s in record.scores_of(window.deal_id)}
        for answer in answers:
            # A seat that has just rejoined has another total than the deal's.
            scored = totals.get(answer.seat_id)
            if answer.total != scored and (
                (answer.seat_id, window.deal_id, answer.total) not in rejoined
            ):
                detail = f"counts seat {answer.seat_id} at {answer.total}, it had {scored}"
                yield Finding("split_shares", subject, detail)
