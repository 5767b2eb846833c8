"""The one place that says what of a table a viewer may see; no other code serialises hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

import rummy
from players.accounts.models import User
from tables.games import points
from tables.table.deal_models import Deal, Move
from tables.table.glance import Glance, glance
from tables.table.models import Table
from tables.table.rules import variant_of
from tables.table.seat_models import Seat
from tables.view.away import away
from tables.view.fairness import fairness
from tables.view.moment import Moment, moment_after, moment_in_play, moment_of
from tables.view.questions import net_entry, question, split_preview
from tables.view.scored import last_deal, points_by_deal, results
from tables.view.shapes import Amount, DealLine, Mine, SeatLine, Showing, TableView
from tables.view.stacks import stack_bounds

# A table that moves on between two queries is read again; busy ones settle within a few looks.
LOOKS_MAX: Final = 5

Viewer = User | AnonymousUser | None


def table_view(
    table: Table, viewer: Viewer, *, at: Move | None = None, seen: Glance | None = None
) -> TableView:
    """Return what this viewer may see of the table, now or just after the move `at`.

    Who has just made that move hands in what he has `seen` under the lock; it is not read again.
    """
    if at is not None:
        return _seen(moment_after(at, now=timezone.now(), seen=seen), viewer)
    (view,) = table_views(table, [viewer])
    return view


def table_views(table: Table, viewers: Sequence[Viewer]) -> list[TableView]:
    """Return what each of these viewers may see of the table at one and the same moment."""
    now = timezone.now()
    for _ in range(LOOKS_MAX):
        seen = glance(table.pk)
        in_play = moment_in_play(seen, now=now)
        moment = in_play or moment_of(seen.table, now=now)
        views = [_seen(moment, viewer) for viewer in viewers]
        # Stacks lie in the wallet; all else of a deal in play was seen in one statement.
        is_of_one_look = in_play is not None and not seen.table.is_open_ended
        if is_of_one_look or _version_of(table) == moment.version:
            break
    return views


def _version_of(table: Table) -> int:
    return Table.objects.values_list("version", flat=True).get(pk=table.pk)


def _seen(moment: Moment, viewer: Viewer) -> TableView:
    table, rules = moment.table, moment.rules
    mine = _own_seat(moment, viewer)
    seen = _of_rummy(moment, mine)
    return TableView(
        id=table.public_id,
        name=table.name,
        profile=str(table.profile),
        variant=variant_of(table.profile),
        version=moment.version,
        phase=moment.phase,
        currency=table.currency,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=_prize(moment),
        rake_bps=table.rake_bps,
        game=rules.game,
        limit=rules.limit,
        deals=rules.deals,
        **stack_bounds(table),
        drops_allowed=rules.drops_allowed,
        first_drop=rules.first_drop,
        middle_drop=rules.middle_drop,
        cap=rules.cap,
        server_now=moment.now,
        deadline=_deadline(moment),
        extra_deadline=_extra_deadline(moment),
        window_id=moment.window_id,
        seats_max=table.seats_max,
        seats=[_shared_line(moment, seat, seen, mine) for seat in moment.seats],
        deal=_deal_line(moment, moment.deal, seen) if moment.deal else None,
        window=question(moment, mine),
        next_commitment=moment.coming.commitment if moment.coming else None,
        fairness=fairness(moment, mine),
        me=_mine(moment, mine, seen) if mine else None,
        last_deal=last_deal(moment),
        scores=points_by_deal(moment),
        results=results(moment),
    )


def _own_seat(moment: Moment, viewer: Viewer) -> Seat | None:
    own = (s for s in moment.seats if viewer is not None and s.player_id == viewer.pk)
    return next((seat for seat in own if seat.left_at is None), None)


def _of_rummy(moment: Moment, mine: Seat | None) -> Any:
    """Return what `rummy` lets this viewer see of the deal, or None between deals."""
    if moment.state is None:
        return None
    position = moment.positions.get(mine.pk) if mine else None
    if position is None:
        return moment.family.public_view(moment.state)
    return moment.family.view(moment.state, position)


def _prize(moment: Moment) -> Amount:
    """The pot net of rake, by the entries paid so far (RB 7.5)."""
    entries = sum(seat.entries for seat in moment.seats)
    return Amount.of(entries * net_entry(moment.table), moment.table.currency)


def _deadline(moment: Moment) -> datetime | None:
    """When the phase or the turn runs out; no countdown runs at a table that waits for stacks."""
    if moment.table.is_open_ended and moment.phase == Table.Phase.WAITING:
        hold = points.hold_minor(moment.table)
        there = [s for s in moment.seats if s.left_at is None and s.sits_out_since is None]
        if sum(moment.stacks.get(seat.player_id, 0) >= hold for seat in there) < 2:
            return None
    return moment.due_at


def _extra_deadline(moment: Moment) -> datetime | None:
    if moment.phase != Table.Phase.PLAYING or moment.due_at is None:
        return None
    on_turn = moment.family.status(moment.state).to_act
    bank = moment.family.extra_ms_left(moment.state, on_turn)
    return moment.due_at + timedelta(milliseconds=bank)


def _shared_line(moment: Moment, seat: Any, seen: Any, mine: Seat | None) -> SeatLine:
    """Everybody sees the same of a seat, but for whose it is."""
    key = seat.pk, mine is not None and seat.pk == mine.pk
    if key not in moment.lines:
        moment.lines[key] = _seat_line(moment, seat, seen, is_me=key[1])
    return moment.lines[key]


def _seat_line(moment: Moment, seat: Any, seen: Any, *, is_me: bool) -> SeatLine:
    position = moment.positions.get(seat.pk)
    here = seen.seats[position - 1] if position else None
    total = moment.totals.get(seat.pk, 0)
    rules = moment.rules
    return SeatLine(
        number=seat.number,
        handle=seat.player.handle,
        is_bot=seat.player.is_bot,
        is_me=is_me,
        position=position,
        total=total,
        drops_left=rummy.pool.drops_left(total, rules) if rules.limit else 0,
        status=_seat_status(moment, seat, here),
        cards=here.cards if here else 0,
        misses=here.misses if here else 0,
        extra_ms_left=here.extra_ms_left if here else 0,
        to_act=bool(position) and _to_act(moment, seen) == position,
        dealer=_is_dealer(moment, seat),
        place=seat.result.place if moment.is_over and hasattr(seat, "result") else None,
        chips=moment.chips.get(seat.pk),
        stack=_stack(moment, seat),
    )


def _stack(moment: Moment, seat: Any) -> Amount | None:
    if not moment.table.is_open_ended:
        return None
    return Amount.of(moment.stacks.get(seat.player_id, 0), moment.table.currency)


def _seat_status(moment: Moment, seat: Any, here: Any) -> str:
    if seat.left_at is not None:
        return "left"
    if seat.is_out:
        return "out"
    if here is None and seat.sits_out_since is not None:
        return "sitting_out"
    if moment.phase == Table.Phase.WAITING:
        return "waiting"
    if here is None and moment.deal is not None:
        return "not_dealt_in"
    standing = here.standing if here else "active"
    return {
        "active": "playing",
        "won": "melded" if moment.phase == Table.Phase.SHOWING else "playing",
        "first_drop": "dropped",
        "middle_drop": "dropped",
    }.get(standing, standing)


def _to_act(moment: Moment, seen: Any) -> int | None:
    return seen.to_act if moment.phase == Table.Phase.PLAYING else None


def _is_dealer(moment: Moment, seat: Seat) -> bool:
    """The lowest of the toss deals first, then whoever led the deal before (RB 5.1)."""
    if moment.deal is None:
        return False
    if moment.deal.toss:
        return moment.positions.get(seat.pk) == len(moment.positions)
    led = (p for p in moment.places if p.deal_id != moment.deal.pk and p.position == 1)
    return any(place.seat_id == seat.pk for place in led)


def _deal_line(moment: Moment, deal: Deal, seen: Any) -> DealLine:
    showing = None
    if seen.shown is not None:
        groups = [rummy.format_cards(group) for group in seen.shown.groups]
        showing = Showing(seen.shown.position, groups, str(seen.shown.finish))
    return DealLine(
        no=deal.no,
        commitment=deal.commitment,
        wild=str(seen.wild),
        wild_rank=str(seen.wild_rank),
        stock=seen.stock,
        open_pile=[str(card) for card in seen.open_pile],
        toss=deal.toss.split(),
        to_act=_to_act(moment, seen),
        drawn=seen.has_drawn,
        showing=showing,
    )


def _mine(moment: Moment, mine: Seat, seen: Any) -> Mine:
    position = moment.positions.get(mine.pk)
    if seen is None or position is None:
        split = split_preview(moment, mine)
        return Mine(
            seat=mine.number,
            position=None,
            hand=[],
            drawn=None,
            groups=[],
            legal=[],
            drop_points=None,
            clock_played=None,
            misses_left=None,
            **_own_stack(moment, mine),
            may_propose_split=split is not None,
            split=split,
        )
    is_playing = moment.phase in (Table.Phase.PLAYING, Table.Phase.SHOWING)
    legal = moment.family.legal_moves(moment.state, position) if is_playing else ()
    return Mine(
        seat=mine.number,
        position=position,
        hand=[str(card) for card in seen.hand],
        drawn=str(seen.drawn) if seen.drawn is not None else None,
        groups=_groups_still_held(moment, mine, seen.hand),
        legal=list(legal),
        drop_points=_drop_points(moment, seen.seats[position - 1]) if "drop" in legal else None,
        **away(moment, mine, seen.seats[position - 1]),
        **_own_stack(moment, mine),
    )


def _own_stack(moment: Moment, mine: Any) -> dict[str, Any]:
    """What a player at a points table decides by: top up, sit out, come back (RB 8.1)."""
    is_open_ended = moment.table.is_open_ended
    held = moment.stacks.get(mine.player_id, 0)
    return {
        "sits_out": mine.sits_out_since is not None,
        "is_short": is_open_ended and held < points.hold_minor(moment.table),
        "deals_missed": mine.deals_missed,
        "next_payment": mine.entries + 1 if is_open_ended else None,
    }


def _drop_points(moment: Moment, here: Any) -> int:
    """A first drop until the seat has drawn in this deal, a middle drop afterwards (RB 5.4)."""
    return moment.rules.middle_drop if here.has_drawn else moment.rules.first_drop


def _groups_still_held(moment: Moment, mine: Seat, hand: Any) -> list[str]:
    """The player's saved grouping without the cards that have left the hand since."""
    here = moment.deal.pk if moment.deal else 0
    saved = (p.groups for p in moment.places if p.deal_id == here and p.seat_id == mine.pk)
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
