"""Committing to a seed, the toss, and dealing (RB 5.1, 5.2, 12.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter

import rummy
from tables.history.fairness import seeds
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal, DealSeat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import drains
from tables.state import phases
from tables.state.fold import begin_fold, remember
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of
from tables.state.snapshot import Place


def commit_deal(table: LockedTable) -> Deal:
    """Draw the next deal's seed and publish its commitment. Idempotent."""
    snapshot = snapshot_of(table)
    if snapshot.coming is not None:
        return snapshot.coming
    no = table.deal_no + 1
    seed = seeds.new_seed(table, no)
    deal = Deal(table=table, no=no)
    _commit(table, deal, seed)
    deal.save(force_insert=True)
    seeds.seal(deal, seed)
    snapshot.coming = deal
    return deal


def draw_again(table: LockedTable, deal: Deal, withheld: Sequence[Seat]) -> None:
    """Commit to another seed of the coming deal, because these seats withheld theirs (RB 12.1).

    All seats may add new client seeds; those revealed for the draw that is given up are not used.
    """
    snapshot = snapshot_of(table)
    deal.redrawn, deal.closed_at = f"{deal.redrawn} {deal.commitment}".strip(), None
    _commit(table, deal, seeds.seed_of(deal))
    deal.save(update_fields=["commitment", "chain", "redrawn", "closed_at"])
    for seat in withheld:
        seat.seeds_withheld += 1
        seat.save(update_fields=["seeds_withheld"])
    snapshot.client_seeds = {}
    table.version += 1


def _commit(table: LockedTable, deal: Deal, seed: bytes) -> None:
    before = snapshot_of(table).deal
    chain, head = (before.chain, _last_head(before)) if before else ("", "")
    deal.commitment = rummy.commitment(seed, table.profile.sha256)
    deal.chain = rummy.chained(deal.commitment, chain, head, deal.redrawn.split())


def _last_head(deal: Deal) -> str:
    known: Reveal | None = deal._state.fields_cache.get("reveal")
    return (known or Reveal.objects.get(table=deal.table_id, deal=deal)).head


def start_game(table: LockedTable, now: datetime) -> None:
    """Toss for seat numbers and deal the first deal; the highest card leads (RB 5.1)."""
    seats = snapshot_of(table).present()
    assert len(seats) >= table.seats_min, "the countdown is disarmed when a player leaves"
    table.starters, table.started_at = len(seats), now
    toss_and_deal(table, seats, now)


def toss_and_deal(table: LockedTable, seats: Sequence[Seat], now: datetime) -> None:
    """Toss for seat numbers, in the order in which players sat down, and deal (RB 5.1)."""
    deal = commit_deal(table)
    seats = sorted(seats, key=attrgetter("pk"))
    cards, _ = rummy.toss(_stream(table, deal, seats), len(seats))
    deal.toss = rummy.format_cards(cards)
    in_order = [seats[place] for place in rummy.toss_order(cards)]
    # Clear the numbers first: two seats cannot have the same one, even briefly.
    if any(seat.number is not None for seat in snapshot_of(table).present()):
        table.seats.present().update(number=None)
    for seat in snapshot_of(table).present():
        seat.number = None
    for number, seat in enumerate(in_order, start=1):
        seat.number = number
    Seat.objects.filter(table=table).bulk_update(in_order, ["number"])
    snapshot_of(table).sort_seats()

    state = _deal(table, deal, in_order, now)
    toss_seconds = phases.toss_seconds(table)
    if toss_seconds:
        table.phase = Table.Phase.TOSS
        phases.arm(table, toss_seconds, now)
    else:
        begin_play(table, deal, state, now)


def pause(
    table: LockedTable,
    now: datetime,
    deal_next: Callable[[LockedTable, datetime], None] | None = None,
) -> None:
    """Commit to the next deal, and start the pause before it (RB 5.10, 12.1).

    Without a pause the next deal begins at once, as the game deals or to all active seats.
    """
    commit_deal(table)
    gap_seconds = rules_of(table.profile).gap_seconds
    if gap_seconds == 0 and not drains.is_on():
        (deal_next or deal_to_all)(table, now)
        return
    table.phase, table.window_id, table.bot_due_at = Table.Phase.BETWEEN, None, None
    phases.arm(table, gap_seconds, now)


def deal_to_all(table: LockedTable, now: datetime) -> None:
    """Deal to every seat that is still in the game."""
    deal_to(table, snapshot_of(table).active(), now)


def deal_to(table: LockedTable, seats: Sequence[Seat], now: datetime) -> None:
    """Deal again: the previous leader deals, the next of these seats leads (RB 5.1)."""
    snapshot = snapshot_of(table)
    assert snapshot.deal is not None, "the first deal is dealt by the toss"
    leader = snapshot.seats_in(snapshot.deal)[0].number
    assert leader is not None, "seats are numbered before the first deal"
    numbered = {seat.number: seat for seat in seats if seat.number is not None}
    assert len(numbered) == len(seats), "seats are numbered before the first deal"
    order = rummy.turn_order(numbered, led=leader)
    deal = commit_deal(table)
    state = _deal(table, deal, [numbered[number] for number in order], now)
    begin_play(table, deal, state, now)


def begin_play(table: LockedTable, deal: Deal, state: rummy.AnyDeal, now: datetime) -> None:
    """Give the leader of the deal the first turn."""
    table.version += 1
    phases.begin_turn(table, deal, state, now)


def _deal(
    table: LockedTable, deal: Deal, in_turn_order: Sequence[Seat], now: datetime
) -> rummy.AnyDeal:
    """Deal to these seats and return the deal's first state."""
    snapshot = snapshot_of(table)
    stream = _stream(table, deal, in_turn_order)
    deal.status, deal.started_at = Deal.Status.PLAYING, now
    deal.save(update_fields=["status", "started_at", "toss"])
    places = [
        Place(deal.pk, position, seat.pk) for position, seat in enumerate(in_turn_order, start=1)
    ]
    DealSeat.objects.bulk_create(
        DealSeat(table=table, deal=deal, seat_id=place.seat_id, position=place.position)
        for place in places
    )
    before = snapshot.places_in(snapshot.deal) if snapshot.deal is not None else ()
    snapshot.deal, snapshot.coming, snapshot.latest = deal, None, ()
    snapshot.places = [*before, *places]
    table.deal_no, table.version = deal.no, table.version + 1
    table.bot_due_at = None
    fold = begin_fold(deal, stream, players=len(places))
    remember(fold)
    return fold.state


def _stream(table: LockedTable, deal: Deal, seats: Sequence[Seat]) -> rummy.Stream:
    """Return the start of the deal's own stream of random numbers.

    It derives from the deal's seed and the client seeds of these seats, in the order in which they
    sat down (RB 12.1).
    """
    given, dealt_in = snapshot_of(table).client_seeds, {seat.pk for seat in seats}
    texts = [seed.text for seat, seed in given.items() if seat in dealt_in and seed.text]
    return rummy.Stream(seeds.seed_of(deal), texts)
