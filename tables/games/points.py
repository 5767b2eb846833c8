"""A points table from deal to deal: open-ended, every deal settled in money at once (RB 8.1).

Nobody is out and no game is won: players sit in, top up, sit out and leave. Whoever has enough for
the worst that can happen is dealt in; a stack cannot shrink in a deal but by its settlement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, OuterRef, Q, Subquery

import rummy
from tables.dealing import dealing, walking_out
from tables.fairness import reveal
from tables.settlement import finishing
from tables.table import drains, phases
from tables.table.deal_models import Deal, Move
from tables.table.models import Table
from tables.table.rules import rules_of, words_of
from tables.table.seat_models import Score, Seat
from wallet.holdings.models import Stake
from wallet.ledger.money import as_money
from wallet.stakes import stacks

# A seat that is not dealt in is kept so many deals (RB 8.1), and where no deal comes, so long.
DEALS_KEPT: Final = 3
WAITING_KEPT: Final = timedelta(minutes=3)
SITS_IN_WITH_AT_MOST: Final = 10


def hold_minor(table: Table) -> int:
    """Return what a seat needs to be dealt in: nobody can lose more in one deal (RB 8.1)."""
    return rummy.payouts.points_hold(rules_of(table.profile).cap, table.point_value_minor)


def largest_stack_minor(table: Table) -> int:
    """Return the most a player may bring to the table, top-ups included (RB 8.1)."""
    return SITS_IN_WITH_AT_MOST * hold_minor(table)


def is_void(table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
    """A deal at a points table always has a winner, be it that the others left."""
    return False


def note(table: Table, scores: Sequence[Score]) -> None:
    """Price the deal: losers pay their points, the winner takes them less the rake (RB 8.1)."""
    payout = _payout(table, scores)
    for score, loss in zip(scores, payout.losses, strict=True):
        score.won_minor = payout.net if score.how == Score.How.WON else -loss


def go_on(table: Table, deal: Deal, now: datetime) -> None:
    """Settle the deal in money, let go who left in it, and wait for the next one."""
    _settle_money(table, deal)
    go_on_after_void(table, deal, now)


def go_on_after_void(table: Table, deal: Deal, now: datetime) -> None:
    """Let go who left in the deal, and wait for the next one; no stack has changed."""
    _let_go_leavers(table, deal, now)
    if table.is_over:
        return
    _sit_out_the_short(table, now)
    _sit_out_the_absent(table, deal, now)
    dealing.commit_deal(table)
    gap_seconds = rules_of(table.profile).gap_seconds
    if gap_seconds == 0 and not drains.is_on():
        deal_next(table, now)
        return
    table.phase, table.window_id = Table.Phase.BETWEEN, None
    phases.arm(table, gap_seconds, now)
    await_bots(table, now)


def somebody_left(table: Table, now: datetime) -> bool:
    """Cash the seat out that got up, unless its cards are still to be settled."""
    gone = table.seats.filter(left_at__isnull=False, buy_ins__stake__status=Stake.Status.LIVE)
    for seat in gone.exclude(pk__in=_undecided(table)).distinct().select_related("player"):
        _pay_out(table, seat)
    if not table.seats.present().exists() and table.phase in _BETWEEN_DEALS:
        _empty(table, now)
    else:
        follow(table, now)
    return table.is_over


def start(table: Table, now: datetime) -> None:
    """Deal the first deal, or the next one after the table waited for players."""
    deal_next(table, now)


def deal_next(table: Table, now: datetime) -> None:
    """Deal to every funded seat; the others miss this deal (RB 8.1).

    With other seats than before they toss anew (RB 5.1). Fewer than two funded seats wait.
    """
    _give_up_idle(table, now)
    if table.is_over:
        return
    playing = funded_seats(table)
    if len(playing) < _needed(table):
        wait(table, now)
        return
    missing = table.seats.present().exclude(pk__in=[seat.pk for seat in playing])
    missing.update(deals_missed=F("deals_missed") + 1)
    table.seats.filter(pk__in=[seat.pk for seat in playing]).update(deals_missed=0)
    table.starters, table.started_at = table.starters or len(playing), table.started_at or now
    if _are_those_of_the_last_deal(table, playing):
        dealing.deal_to(table, playing, now)
    else:
        dealing.toss_and_deal(table, playing, now)


def wait(table: Table, now: datetime) -> None:
    """Wait for players; a seat that sits out is not kept for ever."""
    table.phase, table.window_id = Table.Phase.WAITING, None
    phases.disarm(table)
    follow(table, now)


def follow(table: Table, now: datetime) -> None:
    """Bring a waiting table's countdown in line with who is there by now."""
    if table.phase == Table.Phase.WAITING:
        _follow_waiting(table, now)
    if table.phase in _BETWEEN_DEALS:
        await_bots(table, now)


def call_off(table: Table, deal: Deal, now: datetime) -> None:
    """Close the table at once: a deal in play is void, and every stack is cashed out."""
    if deal.status in (Deal.Status.PLAYING, Deal.Status.ENDED):
        deal.status = Deal.Status.VOID
        deal.save(update_fields=["status"])
        reveal.reveal_seed(deal, now)
    _close(table, Table.Phase.CANCELLED, now)


def end_here(table: Table, now: datetime) -> None:
    """Close the table after the deal just scored, every stack cashed out."""
    deal = table.deals.get(no=table.deal_no)
    if deal.status == Deal.Status.SETTLED:
        _settle_money(table, deal)
    _close(table, Table.Phase.FINISHED, now)


def funded_seats(table: Table) -> list[Seat]:
    """Return the seats that would be dealt in now: there, and good for the whole hold."""
    held, hold = stacks.stacks_in(table.escrow), hold_minor(table)
    there = table.seats.present().filter(sits_out_since__isnull=True).order_by("pk")
    return [seat for seat in there if held.get(seat.player_id, 0) >= hold]


def undecided_deal(table: Table) -> Deal | None:
    """Return the deal whose cards or money are still open, if there is one."""
    open_deals = table.deals.filter(status__in=[Deal.Status.PLAYING, Deal.Status.ENDED])
    return open_deals.first()


def await_bots(table: Table, now: datetime) -> None:
    """Wake a bot that has something to do between deals: sit in, top up, or get up."""
    table.bot_due_at = phases.thought_over(now) if _bots_are_wanted(table) else None


_BETWEEN_DEALS: Final = (Table.Phase.WAITING, Table.Phase.BETWEEN)


def _payout(table: Table, scores: Sequence[Score]) -> rummy.payouts.PointsPayout:
    return rummy.payouts.points_payout(
        [score.points for score in scores], value=table.point_value_minor, bps=table.rake_bps
    )


def _settle_money(table: Table, deal: Deal) -> None:
    scores = list(deal.scores.select_related("seat__player"))
    [winner] = [score.seat.player for score in scores if score.how == Score.How.WON]
    payout = _payout(table, scores)
    stacks.pass_stacks(
        escrow=table.escrow,
        losses={
            score.seat.player_id: as_money(loss, table.currency)
            for score, loss in zip(scores, payout.losses, strict=True)
        },
        winner=winner,
        rake=as_money(payout.rake, table.currency),
        key=f"deal:{table.pk}:{deal.no}",
        deal=deal.no,
        actor="settlement",
        memo=words_of(table),
    )


def _let_go_leavers(table: Table, deal: Deal, now: datetime) -> None:
    """Cash out who left in mid-deal, now that the deal is settled (RB 5.8)."""
    gone = table.seats.filter(deal_seats__deal=deal, left_at__isnull=False)
    for seat in gone.select_related("player").order_by("pk"):
        _pay_out(table, seat)
    if not table.seats.present().exists():
        _empty(table, now)


def _pay_out(table: Table, seat: Seat) -> None:
    stacks.cash_out(
        escrow=table.escrow,
        player=seat.player,
        key=f"cashout:{seat.pk}",
        closes_game=_closes_with(table, seat),
        actor=f"player:{seat.player_id}",
        memo=words_of(table),
    )


def _closes_with(table: Table, seat: Seat) -> bool:
    """Say whether the last money leaves with this seat, and the table with it."""
    if table.seats.present().exists() or not _may_close(table):
        return False
    held = stacks.stacks_in(table.escrow)
    return set(held) <= {seat.player_id}


def _empty(table: Table, now: datetime) -> None:
    """Nobody is left: the table goes if the lobby has another of its kind, or waits."""
    if _may_close(table):
        table.ending = "closed"
        finishing.close(table, Table.Phase.FINISHED, now)
    else:
        wait(table, now)


def _may_close(table: Table) -> bool:
    if table.template is None:
        return table.deal_no > 0
    others = Table.objects.joinable().filter(template=table.template_id).exclude(pk=table.pk)
    return not table.template.is_offered or others.exists()


def _close(table: Table, phase: Table.Phase, now: datetime) -> None:
    seats = list(table.seats.present().select_related("player").order_by("pk"))
    for seat in seats:
        walking_out.mark_left(table, seat, now)
    holding = table.seats.filter(buy_ins__stake__status=Stake.Status.LIVE).distinct()
    held = stacks.stacks_in(table.escrow)
    for seat in holding.select_related("player").order_by("pk"):
        mine = held.pop(seat.player_id, 0)
        stacks.cash_out(
            escrow=table.escrow,
            player=seat.player,
            key=f"cashout:{seat.pk}",
            closes_game=bool(mine) and not held,
            actor="settlement",
            memo=words_of(table),
        )
    table.ending = "closed"
    finishing.close(table, phase, now)


def _sit_out_the_short(table: Table, now: datetime) -> None:
    """Whoever cannot bear another deal is not dealt in until he tops up (RB 8.1)."""
    able = {seat.pk for seat in funded_seats(table)}
    here = table.seats.present().filter(sits_out_since__isnull=True).exclude(pk__in=able)
    here.update(sits_out_since=now)


def _sit_out_the_absent(table: Table, deal: Deal, now: datetime) -> None:
    """Whoever the clock took out of the deal sits out: no absent player's stack is played away."""
    last_move = deal.moves.filter(seat=OuterRef("pk")).order_by("-ply").values("origin")[:1]
    dropped = [Score.How.FIRST_DROP, Score.How.MIDDLE_DROP]
    absent = (
        table.seats.present()
        .filter(sits_out_since__isnull=True, scores__deal=deal, scores__how__in=dropped)
        .annotate(last_origin=Subquery(last_move))
        .filter(last_origin=Move.Origin.CLOCK)
    )
    pks = list(absent.values_list("pk", flat=True))
    Seat.objects.filter(pk__in=pks).update(sits_out_since=now)


def _give_up_idle(table: Table, now: datetime) -> None:
    """Empty the seats that were kept long enough (RB 8.1)."""
    too_long = Q(deals_missed__gte=DEALS_KEPT)
    if table.phase == Table.Phase.WAITING:
        too_long |= Q(sits_out_since__lte=now - WAITING_KEPT)
    idle = table.seats.present().filter(too_long, sits_out_since__isnull=False)
    for seat in idle.select_related("player").order_by("pk"):
        walking_out.mark_left(table, seat, now)
        _pay_out(table, seat)
    if table.deal_no and not table.seats.present().exists():
        _empty(table, now)


def _undecided(table: Table) -> list[int]:
    """Return the seats whose cards are still played or scored."""
    deal = undecided_deal(table)
    return list(deal.deal_seats.values_list("seat", flat=True)) if deal else []


def _needed(table: Table) -> int:
    """As many as the table is opened for at first, then two (RB 8.1)."""
    return table.seats_min if table.deal_no == 0 else 2


def _are_those_of_the_last_deal(table: Table, seats: Sequence[Seat]) -> bool:
    last = table.deals.filter(no=table.deal_no).first()
    if last is None or not last.started_at:
        return False
    return set(last.deal_seats.values_list("seat", flat=True)) == {seat.pk for seat in seats}


def _follow_waiting(table: Table, now: datetime) -> None:
    start_seconds = rules_of(table.profile).start_seconds
    able = len(funded_seats(table))
    starts_at_once = able == table.seats_max or (able >= _needed(table) and start_seconds == 0)
    if starts_at_once and not drains.is_on():
        deal_next(table, now)
    elif able >= _needed(table):
        begins = now + timedelta(seconds=start_seconds)
        if table.due_at is None or table.due_at > begins:
            phases.arm(table, start_seconds, now)
    else:
        _await_idle(table, now)


def _await_idle(table: Table, now: datetime) -> None:
    """Arm the clock for the seat that has sat out longest, or for nobody."""
    idle = table.seats.present().filter(sits_out_since__isnull=False).order_by("sits_out_since")
    since = idle.values_list("sits_out_since", flat=True).first()
    phases.disarm(table)
    if since is not None:
        left = since + WAITING_KEPT - now
        phases.arm(table, max(0.0, left.total_seconds()), now)


def _bots_are_wanted(table: Table) -> bool:
    seated = list(table.seats.present().select_related("player"))
    bots = [seat for seat in seated if seat.player.is_bot]
    people = len(seated) > len(bots)
    if table.bots_fill and not people:
        return bool(bots)
    if table.bots_fill and len(seated) < table.seats_max:
        return True
    return bool(short_seats(table, bots))


def short_seats(table: Table, seats: Sequence[Seat]) -> list[Seat]:
    """Return those of the seats whose stack does not bear another deal."""
    held: Mapping[int, int] = stacks.stacks_in(table.escrow) if seats else {}
    hold = hold_minor(table)
    return [seat for seat in seats if held.get(seat.player_id, 0) < hold]
