"""The only module that decides what a viewer sees of a table; no other code serialises hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypedDict

from django.contrib.auth.models import AnonymousUser

import rummy
from core.clock import database_now
from players.accounts.avatars import avatar_of
from players.accounts.models import User
from tables.history.fairness import seeds
from tables.manners.blocks import blocked_by
from tables.models.deals import Deal, Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.client_seeds import WITHHELD_MAX
from tables.state.rules import variant_of
from tables.state.snapshot import IN_PLAY, TableSnapshot, read_snapshot
from tables.view.context import (
    ViewContext,
    context_after,
    context_of,
    deadline,
    extra_deadline,
    stack_bounds,
)
from tables.view.last_acts import clock_played, last_acts
from tables.view.open_hands import is_newcomer, of_newcomer, of_spectator, open_hands
from tables.view.phrases import last_said
from tables.view.prizes import prize_shown
from tables.view.questions import question, split_preview
from tables.view.schemas import DealLine, Fairness, Mine, SeatLine, TableView
from tables.view.scored import last_deal, points_by_deal, rematch, results
from tables.view.wrong_show import wrong_show, wrong_show_of_last_deal
from wallet.ledger.amounts import Amount

# A table that changes between two queries is read again, a few times at most.
LOOKS_MAX: Final = 5

Viewer = User | AnonymousUser | None


def table_view(
    table: Table, viewer: Viewer, *, at: Move | None = None, snapshot: TableSnapshot | None = None
) -> TableView:
    """Return this viewer's view of the table, now or just after the move `at`.

    `snapshot` is the locked snapshot of a move that was just made; it is not read again.
    """
    if at is not None:
        now = database_now() if snapshot is None else snapshot.now
        context = context_after(at, now=now, snapshot=snapshot)
        return _seen(context, _own_seat(context, viewer))
    (view,) = table_views(table, [viewer])
    return view


def table_views(table: Table, viewers: Sequence[Viewer]) -> list[TableView]:
    """Return these viewers' views of the table, all at the same version.

    A view depends on the viewer's seat alone: those without one share a view, as do the sockets of
    one player.
    """
    for _ in range(LOOKS_MAX):
        context = context_of(read_snapshot(table.pk, phase=table.phase))
        own = [_own_seat(context, viewer) for viewer in viewers]
        seen = {mine: _seen(context, mine) for mine in {*own}}
        # Stacks are in the wallet; all else was read by one statement.
        if not context.game.has_stacks or _version_of(table) == context.version:
            break
    return [seen[mine] for mine in own]


def _version_of(table: Table) -> int:
    return Table.objects.values_list("version", flat=True).get(pk=table.pk)


def _seen(context: ViewContext, mine: Seat | None) -> TableView:
    table, figures = context.table, context.figures
    prize = prize_shown(table, entries=sum(len(seat.stakes) for seat in context.seats))
    seen = _of_rummy(context, mine)
    view = TableView(
        id=table.public_id,
        name=table.name,
        profile=str(table.profile),
        variant=variant_of(table.profile),
        version=context.version,
        phase=context.phase,
        currency=table.currency,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=Amount.of(prize.minor, table.currency),
        prize_is_most=prize.is_most,
        rake_bps=table.rake_bps,
        game=context.game.name,
        limit=figures.limit,
        deals=figures.deals,
        target=figures.target,
        rounds=figures.rounds,
        **stack_bounds(table),
        drops_allowed=figures.drops_allowed,
        first_drop=figures.first_drop,
        middle_drop=figures.middle_drop,
        cap=figures.cap,
        group_rules=context.game.group_rules(context.rules),
        meld_rules=context.game.meld_rules(context.rules),
        server_now=context.now,
        deadline=deadline(context),
        extra_deadline=extra_deadline(context),
        window_id=context.window_id,
        seats_max=table.seats_max,
        seats=_seat_lines(context, seen, mine),
        deal=_deal_line(context, context.deal, seen) if context.deal and seen else None,
        window=question(context, mine),
        next_commitment=context.coming.commitment if context.coming else None,
        fairness=fairness(context, mine),
        open_hands=open_hands(context, mine),
        me=_mine(context, mine, seen) if mine else None,
        last_deal=last_deal(context),
        scores=points_by_deal(context),
        results=results(context),
        rematch=rematch(context, mine),
    )
    if mine is None:
        return of_spectator(context, view)
    return of_newcomer(context, view) if is_newcomer(context, mine) else view


def _own_seat(context: ViewContext, viewer: Viewer) -> Seat | None:
    if viewer is None:
        return None
    player_id = viewer.pk  # Read once: a request's user is a slow proxy.
    own = (seat for seat in context.seats if seat.player_id == player_id)
    return next((seat for seat in own if seat.left_at is None), None)


def _of_rummy(context: ViewContext, mine: Seat | None) -> rummy.AnyView | None:
    """Return the `rummy` view of the deal for this viewer, or None between deals."""
    if context.state is None:
        return None
    position = context.positions.get(mine.pk) if mine else None
    if position is None:
        return context.family.public_view(context.state)
    return context.family.view(context.state, position)


def _stack_of(context: ViewContext, player_id: int) -> int | None:
    return context.stacks.get(player_id, 0) if context.game.has_stacks else None


def _seat_lines(
    context: ViewContext, seen: rummy.AnyView | None, mine: Seat | None
) -> list[SeatLine]:
    """Return the public lines of all seats, without phrases of those whom the viewer blocked."""
    lines = [_shared_line(context, seat, seen, mine) for seat in context.seats]
    if mine is None or not any(line.said for line in lines):
        return lines
    speakers = [seat.player_id for seat in context.seats if seat.said_at is not None]
    muted = blocked_by(mine.player_id, speakers)
    return [
        replace(line, said=None) if seat.player_id in muted else line
        for seat, line in zip(context.seats, lines, strict=True)
    ]


def _shared_line(
    context: ViewContext, seat: Seat, seen: rummy.AnyView | None, mine: Seat | None
) -> SeatLine:
    """Return a seat's public line, cached for all viewers except its own player."""
    key = seat.pk, mine is not None and seat.pk == mine.pk
    if key not in context.lines:
        context.lines[key] = _seat_line(context, seat, seen, is_me=key[1])
    return context.lines[key]


def _seat_line(
    context: ViewContext, seat: Seat, seen: rummy.AnyView | None, *, is_me: bool
) -> SeatLine:
    position = context.positions.get(seat.pk)
    here = seen.seats[position - 1] if seen and position else None
    total = context.totals.get(seat.pk, 0)
    stack = _stack_of(context, seat.player_id)
    return SeatLine(
        number=seat.number,
        handle=seat.player.handle,
        avatar=avatar_of(seat.player_id, seat.player.avatar).value,
        is_bot=seat.player.is_bot,
        is_me=is_me,
        position=position,
        total=total,
        drops_left=None if context.table.is_last_deal else context.figures.drops_left(total),
        status=_seat_status(context, seat, here),
        cards=here.cards if here else 0,
        misses=here.misses if here else 0,
        extra_ms_left=here.extra_ms_left if here else 0,
        to_act=bool(position) and _to_act(context, seen) == position,
        dealer=_is_dealer(context, seat),
        place=_place(seat) if context.is_over else None,
        chips=context.chips.get(seat.pk),
        stack=Amount.maybe(stack, context.table.currency),
        is_ready=context.phase == Table.Phase.BETWEEN and _is_ready(context, seat),
        said=last_said(seat, context.now),
    )


def _is_ready(context: ViewContext, seat: Seat) -> bool:
    if seat.player.is_bot:
        return True
    return seat.ready_for == context.table.deal_no + 1


def _place(seat: Seat) -> int | None:
    return seat.result.place if hasattr(seat, "result") else None


def _may_be_ready(context: ViewContext, seat: Seat) -> bool:
    is_gap = context.phase == Table.Phase.BETWEEN and context.rules.gap_ready
    return (
        is_gap and _seat_status(context, seat, None) == "playing" and not _is_ready(context, seat)
    )


def _seat_status(context: ViewContext, seat: Seat, here: rummy.AnySeatView | None) -> str:
    if seat.left_at is not None:
        return "left"
    if seat.is_out:
        return "out"
    if here is None and seat.sits_out_since is not None:
        return "sitting_out"
    if context.phase == Table.Phase.WAITING:
        return "waiting"
    if here is None and context.deal is not None:
        return "not_dealt_in"
    standing = here.standing if here else "active"
    return {
        "active": "playing",
        "won": "melded" if context.phase == Table.Phase.SHOWING else "playing",
        "first_drop": "dropped",
        "middle_drop": "dropped",
    }.get(standing, standing)


def _to_act(context: ViewContext, seen: rummy.AnyView | None) -> int | None:
    return seen.to_act if seen and context.phase == Table.Phase.PLAYING else None


def _is_dealer(context: ViewContext, seat: Seat) -> bool:
    """First the lowest of the toss deals, then the leader of the previous deal (RB 5.1)."""
    if context.deal is None:
        return False
    if context.deal.toss:
        return context.positions.get(seat.pk) == len(context.positions)
    led = (p for p in context.places if p.deal_id != context.deal.pk and p.position == 1)
    return any(place.seat_id == seat.pk for place in led)


def _may_add_a_seed(context: ViewContext, mine: Seat | None) -> bool:
    if mine is None or context.coming is None or seeds.is_simulated(context.table):
        return False
    return context.coming.closed_at is None and mine.seeds_withheld < WITHHELD_MAX


def _deal_line(context: ViewContext, deal: Deal, seen: rummy.AnyView) -> DealLine:
    on_table = context.game.on_table(seen)
    return DealLine(
        no=deal.no,
        commitment=deal.commitment,
        wild=on_table.wild,
        wild_rank=on_table.wild_rank,
        stock=seen.stock,
        open_pile=[card.text for card in seen.open_pile],
        toss=deal.toss.split(),
        to_act=_to_act(context, seen),
        drawn=seen.has_drawn,
        showing=on_table.showing,
        melds=list(on_table.melds),
        taken=on_table.taken,
        last_acts=last_acts(context, seen),
        ply=context.ply,
        head=context.head,
    )


def _mine(context: ViewContext, mine: Seat, seen: rummy.AnyView | None) -> Mine:
    position = context.positions.get(mine.pk)
    if seen is None or position is None or context.state is None:
        split = split_preview(context, mine)
        return Mine(
            **_always_mine(context, mine),
            position=None,
            hand=[],
            drawn=None,
            groups=[],
            legal=[],
            drop_points=None,
            clock_played=None,
            misses_left=None,
            wrong_show=wrong_show_of_last_deal(context, mine),
            may_be_ready=_may_be_ready(context, mine),
            may_propose_split=split is not None,
            split=split,
        )
    is_playing = context.phase in IN_PLAY
    legal = context.family.legal_moves(context.state, position) if is_playing else ()
    drop_points, here = None, seen.seats[position - 1]
    if rummy.Drop in map(type, legal):
        drop_points = context.game.drop_points(context.rules, here)
    return Mine(
        **_always_mine(context, mine),
        position=position,
        hand=[card.text for card in seen.hand],
        drawn=str(seen.drawn) if seen.drawn is not None else None,
        groups=_groups_still_held(context, mine, seen.hand),
        legal=[move.offer for move in legal],
        drop_points=drop_points,
        **clock_played(context, mine, here),
        wrong_show=wrong_show(context, here),
        pays_half=context.game.pays_half(context.rules, here),
    )


class AlwaysMine(TypedDict):
    seat: int | None
    invite_code: str | None
    sits_out: bool
    is_short: bool
    deals_missed: int
    next_payment: int | None


def _always_mine(context: ViewContext, mine: Seat) -> AlwaysMine:
    """Return the seat, and what its player needs to top up, sit out or come back (RB 8.1)."""
    held = _stack_of(context, mine.player_id)
    return {
        "seat": mine.number,
        "invite_code": context.table.link_code or None,
        "sits_out": mine.sits_out_since is not None,
        "is_short": held is not None and held < context.table.entry_minor,
        "deals_missed": mine.deals_missed,
        "next_payment": len(mine.stakes) + 1 if context.game.has_stacks else None,
    }


def _groups_still_held(context: ViewContext, mine: Seat, hand: Sequence[rummy.Card]) -> list[str]:
    """The player's saved grouping, without cards that have left the hand since."""
    here = context.deal.pk if context.deal else 0
    saved = (p.groups for p in context.places if p.deal_id == here and p.seat_id == mine.pk)
    held = Counter(hand)
    groups = []
    for group in rummy.parse_groups(next(saved, "")):
        kept = []
        for card in group:
            if held[card] > 0:
                held[card] -= 1
                kept.append(card)
        groups.append(rummy.format_cards(kept))
    return [group for group in groups if group]


def fairness(context: ViewContext, mine: Seat | None) -> Fairness:
    """Return the players who gave seeds for the next deal, and the last deal's revealed seed."""
    handles = {seat.pk: seat.player.handle for seat in context.seats}
    own, coming = context.client_seeds.get(mine.pk) if mine else None, context.coming
    last = context.scores[-1].deal if context.scores and mine else None
    if last is not None and mine is not None and not context.game.has_end:
        # The seed reveals every hand of the deal; only a seat that was dealt in may see it.
        dealt_in = {(place.deal_id, place.seat_id) for place in context.places}
        last = last if (last.pk, mine.pk) in dealt_in else None
    reveal = getattr(last, "reveal", None)
    return Fairness(
        deal_no=context.coming.no if context.coming else None,
        given_by=[handles[seat] for seat in context.client_seeds if seat in handles],
        my_client_seed=own.text or None if own else None,
        my_commitment=own.commitment or None if own else None,
        draw=coming.draw if coming else 0,
        can_add=own is None and _may_add_a_seed(context, mine),
        must_reveal=bool(own and not own.text and coming and coming.closed_at),
        chain=context.coming.chain if context.coming else None,
        last_deal_no=last.no if last else None,
        last_server_seed=reveal.server_seed if reveal else None,
    )
