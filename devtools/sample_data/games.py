"""Whole games of people and bots, played by calling the services."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

import rummy
from devtools.sample_data.fake_clock import FakeClock
from rummy.solver.arrangement import best_arrangement
from rummy.thirteen.views import View
from tables.bots import bots
from tables.exceptions import NoSplit, NotInPlay, SplitProposed, StaleVersion, WindowClosed
from tables.models.tables import Table
from tables.play import answering
from tables.play.actions import make_move
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Answer, Window
from tables.state import clock
from tables.state.fold import Fold, fold_after, fold_of
from tables.state.rules import family_of
from wallet.exceptions import InsufficientFunds

Phase = Table.Phase
# Shares of the hands that are dropped on the first turn and later; a strong hand is kept.
FIRST_DROPS: Final = 0.18
MIDDLE_DROPS: Final = 0.08
# Probabilities of a wrong show on a turn with a hand that is nearly complete, and of a missed turn.
WRONG_SHOWS: Final = 0.03
MISSES: Final = 0.003
# Deadwood up to which players take a hand for complete, in points.
NEARLY: Final = 12
# Probabilities of a rejoin and a proposal to split, where they are possible.
REJOINS: Final = 0.4
SPLITS: Final = 0.3
STEPS_MAX: Final = 2_000
# The longest time before a move by default, in seconds; less than any turn.
THINKS_MAX: Final = 14.0


@dataclass
class Game:
    """A table's game and its players, until the game is over."""

    site_clock: FakeClock
    table_id: int
    # Keys of players who drop whenever they can, to lose on purpose.
    quitters: Collection[int] = ()
    until: datetime | None = None
    thinks_max: float = THINKS_MAX
    # The turns left until a position drops a deal, by the deal's number and the position.
    _drops_in: dict[tuple[int, int], int] = field(default_factory=dict)

    def play(self, *, deals: int | None = None, until: datetime | None = None) -> Table:
        """Play to the end, or until a time; at a table without an end leave after `deals` deals."""
        self.until = until
        for _ in range(STEPS_MAX):
            table = self._table()
            is_empty = not table.settlement_due and not table.seats.present().exists()
            if table.is_over or is_empty or self._is_time():
                return table
            if deals is not None and table.deal_no >= deals and table.phase == Phase.BETWEEN:
                self._go_home(table)
            else:
                self.step(table)
        raise AssertionError(f"{table} does not end")

    def play_deal(self) -> None:
        """Play until the next deal is scored, or the game is over."""
        for _ in range(STEPS_MAX):
            table = self._table()
            if table.is_over:
                return
            self.step(table)
            if table.phase == Phase.SETTLING:
                return
        raise AssertionError(f"{table} deals no more")

    def step(self, table: Table) -> None:
        """Do the table's next step: moves of a deal, scoring, an answer, or a timeout."""
        if table.settlement_due:
            scoring.settle_table(table_id=table.pk)
        elif table.phase in (Phase.PLAYING, Phase.SHOWING):
            self._play_deal(table)
        elif table.phase == Phase.SETTLING:
            self.site_clock.think(3)
            scoring.settle_deal(deal_id=table.deals.get(no=table.deal_no).pk)
        elif table.phase in (Phase.REJOIN, Phase.SPLIT):
            self._answer(table)
        elif table.phase == Phase.BETWEEN and self.site_clock.chance.random() < SPLITS:
            self._propose_split(table)
            self._wait(self._table())
        else:
            self._wait(table)

    def _is_time(self) -> bool:
        return self.until is not None and self.site_clock.now >= self.until

    def _table(self) -> Table:
        return Table.objects.select_related("profile").get(pk=self.table_id)

    def _play_deal(self, table: Table) -> None:
        """Make all moves of a deal without reading the table again after each."""
        deal = table.deals.get(no=table.deal_no)
        deal.table = table
        family, fold, version = family_of(table.profile), fold_of(deal), table.version
        places = deal.deal_seats.values_list("position", "seat", "seat__player")
        seats = {position: (seat, player or 0) for position, seat, player in places}
        while True:
            status = family.status(fold.state)
            if status.phase != "playing":
                table = self._table()
                if table.phase != Phase.SHOWING:
                    return
                version = table.version
            position = status.on_turn if status.phase == "playing" else min(status.waiting)
            seat, player = seats[position]
            if status.phase == "playing" and self._happens(MISSES):
                self._wait(self._table())
                return
            if self._is_time():
                return
            thought = self.site_clock.chance.lognormvariate(1.3, 0.6)
            self.site_clock.think(min(thought, self.thinks_max))
            try:
                accepted = make_move(
                    seat=seat,
                    move_id=UUID(int=self.site_clock.chance.getrandbits(128), version=4),
                    text=self._choice(table, fold, position, player).text,
                    expected_version=version,
                    window_id=table.window_id,
                )
            except (StaleVersion, WindowClosed):  # Its time ended while other tables were played.
                return
            fold, version = fold_after(accepted.move), accepted.move.version

    def _choice(self, table: Table, fold: Fold, position: int, player: int) -> rummy.Move:
        family = family_of(table.profile)
        legal = family.legal_moves(fold.state, position)
        drop = rummy.Drop(position)
        if drop in legal:
            key = (table.deal_no, position)
            self._drops_in[key] = self._drops_in.get(key, self._plan(player)) - 1
            if player in self.quitters or self._drops_in[key] == 0:
                return drop
            # The bots have a judgement of their own; drops here have the shares of people.
            legal = tuple(move for move in legal if move != drop)
        view = family.view(fold.state, position)
        move = rummy.bots.choose(view, legal, self.site_clock.chance)
        if (
            isinstance(move, rummy.Discard)
            and isinstance(view, View)
            and self._happens(WRONG_SHOWS)
        ):
            return _wrong_show(view, move) or move
        return move

    def _plan(self, player: int) -> int:
        """Return the turn on which a player with this key drops the hand just dealt, or 0."""
        drawn = self.site_clock.chance.random()
        if drawn < FIRST_DROPS:
            return 1
        return self.site_clock.chance.randint(2, 6) if drawn < FIRST_DROPS + MIDDLE_DROPS else 0

    def _happens(self, probability: float) -> bool:
        return self.site_clock.chance.random() < probability

    def _wait(self, table: Table) -> None:
        """Advance the clock to the table's deadline and apply it."""
        if table.bot_due_at is not None and table.phase in (Phase.WAITING, Phase.BETWEEN):
            self.site_clock.move_to(table.bot_due_at)
            bots.play_bots(table_id=table.pk)
            table = self._table()
        if table.due_at is None:
            self._go_home(table)
            return
        self.site_clock.move_to(table.due_at)
        clock.apply_overdue(table_id=table.pk, now=self.site_clock.now)

    def _answer(self, table: Table) -> None:
        self.site_clock.think(self.site_clock.chance.uniform(2, 5))
        window = Window.objects.open().get(table=table)
        asked = window.answers.awaited().first()
        if asked is None:
            self._wait(table)
            return
        agrees = window.kind == Window.Kind.SPLIT or self.site_clock.chance.random() < REJOINS
        said = Answer.Said.YES if agrees else Answer.Said.NO
        answer = partial(answering.answer, seat_id=asked.seat_id, window_id=window.public_id)
        try:
            answer(said=said)
        except InsufficientFunds:
            answer(said=Answer.Said.NO)

    def _propose_split(self, table: Table) -> None:
        seat = table.seats.active().filter(player__is_bot=False).first()
        if seat is not None:
            with suppress(NoSplit, SplitProposed):
                answering.propose_split(seat_id=seat.pk)

    def _go_home(self, table: Table) -> None:
        self.site_clock.agree()
        for seat in table.seats.present():
            with suppress(NotInPlay):  # The table closed when another player left.
                seating.leave(seat_id=seat.pk)


def _wrong_show(view: View, instead: rummy.Discard) -> rummy.Show | None:
    """Return a show of a hand that is nearly complete, or None if the hand is far from it."""
    held = list(view.hand)
    held.remove(instead.card)
    best = best_arrangement(held, wild=view.wild, rules=view.rules)
    if not 0 < best.raw_points <= NEARLY:
        return None
    groups = tuple(group.cards for group in best.groups)
    return rummy.Show(instead.position, groups, best.deadwood, finish=instead.card)
