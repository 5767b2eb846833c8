"""A pool compared with its scores: who is out, who came back, and what a split paid (RB 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import rummy
from tables.games.pool import split
from tables.games.thirteen.cards import thirteen_rules
from tables.settlement.models import Answer, Window
from tables.table.deal_models import Deal
from tables.table.models import Table
from tables.table.profile_models import StakeMode
from tables.table.rules import rules_of
from tables.table.seat_models import BuyIn, Elimination, Score
from wallet.audit.audit import Finding
from wallet.holdings.models import Stake


def differences(table: Table) -> Iterator[Finding]:
    """Yield what is stored of a pool that its scores do not lead to."""
    outs = list(Elimination.objects.filter(table=table).select_related("seat"))
    yield from _eliminations(table, outs)
    if back := [out for out in outs if out.rejoined_at is not None]:
        yield from _rejoins(table, back)
    if table.ending in split.ENDINGS:
        yield from _splits(table)


def _eliminations(table: Table, outs: Sequence[Elimination]) -> Iterator[Finding]:
    """Yield seats out below the limit that did not leave, and seats at the limit still in."""
    rules = thirteen_rules(rules_of(table.profile))
    for out in outs:
        if not rummy.pool.is_out(out.total, rules) and out.seat.left_at is None:
            detail = f"is at {out.total} of {rules.limit}, and the seat did not leave"
            yield Finding("elimination_early", f"elimination {out.pk}", detail)
    known = {(out.seat_id, out.deal_id) for out in outs}
    settled = Deal.Status.SETTLED
    for score in Score.objects.filter(table=table, deal__status=settled):
        is_known = (score.seat_id, score.deal_id) in known
        if rummy.pool.is_out(score.total_after, rules) and not is_known:
            detail = f"reached {score.total_after} of {rules.limit}, and its seat is not out"
            yield Finding("elimination_missing", f"score {score.pk}", detail)


def _rejoins(table: Table, back: Sequence[Elimination]) -> Iterator[Finding]:
    """Whoever came back was offered it at that total, said yes and paid an entry (RB 7.3)."""
    windows = {
        window.deal_id: window
        for window in Window.objects.filter(table=table, kind=Window.Kind.REJOIN)
    }
    for out in back:
        subject, window = f"elimination {out.pk}", windows.get(out.deal_id)
        yes = Answer.objects.filter(window=window, seat=out.seat_id, said=Answer.Said.YES)
        agreed = yes.first()
        if window is None or agreed is None:
            yield Finding("rejoin_not_asked", subject, "was undone, and its seat said no yes")
            continue
        offered = _rejoin_total(table, window)
        if not out.rejoined_total == agreed.total == offered:
            detail = f"came back at {out.rejoined_total}, was offered {agreed.total}"
            yield Finding("rejoin_total", subject, f"{detail}, the scores lead to {offered}")
    yield from _rejoins_paid(table, back)


def _rejoin_total(table: Table, window: Window) -> int | None:
    rules = thirteen_rules(rules_of(table.profile))
    scores = Score.objects.filter(deal=window.deal_id).select_related("seat")
    survivors = [
        score.total_after
        for score in scores
        if not rummy.pool.is_out(score.total_after, rules)
        and (score.seat.left_at is None or score.seat.left_at >= window.opened_at)
    ]
    return rummy.pool.rejoin_offer(rules, survivors, started=table.starters).score


def _rejoins_paid(table: Table, back: Sequence[Elimination]) -> Iterator[Finding]:
    paid = list(BuyIn.objects.filter(table=table).values_list("seat", flat=True))
    free = 1 if table.stake_mode == StakeMode.CASH else 0
    for seat in sorted({out.seat_id for out in back}):
        due = free + sum(out.seat_id == seat for out in back)
        if paid.count(seat) != due:
            detail = f"paid {paid.count(seat)} entries, and its rejoins make {due}"
            yield Finding("rejoin_not_paid", f"seat {seat}", detail)


def _splits(table: Table) -> Iterator[Finding]:
    """An accepted split was agreed to by everybody, for what their totals are worth (RB 7.4)."""
    accepted = Window.objects.filter(
        table=table, kind=Window.Kind.SPLIT, outcome=Window.Outcome.ACCEPTED
    )
    for window in accepted:
        subject = f"window {window.pk}"
        answers = list(window.answers.order_by("seat__number"))
        if any(answer.said != Answer.Said.YES for answer in answers):
            yield Finding("split_not_agreed", subject, "was accepted without everybody's yes")
        paid = Stake.objects.filter(escrow=table.escrow_account_id)
        entries = paid.exclude(status=Stake.Status.REFUNDED).count()
        offered = split.offer(table, [answer.total for answer in answers], entries=entries)
        if offered.shares != tuple(answer.amount_minor for answer in answers):
            yield Finding("split_shares", subject, "its shares do not follow from its totals")
        totals = dict(window.deal.scores.values_list("seat", "total_after"))
        for answer in answers:
            # A seat that has just rejoined has another total than the deal's.
            scored = totals.get(answer.seat_id)
            rejoined = Elimination.objects.filter(
                seat=answer.seat_id, deal=window.deal_id, rejoined_total=answer.total
            )
            if answer.total != scored and not rejoined.exists():
                detail = f"counts seat {answer.seat_id} at {answer.total}, it had {scored}"
                yield Finding("split_shares", subject, detail)
