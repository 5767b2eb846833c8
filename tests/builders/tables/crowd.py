"""A table of people who play, drop, dawdle and walk out by chance, whatever the game."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from uuid import uuid4

from django.utils import timezone

import rummy
from tables.exceptions import AnswerGiven, NoSplit, SplitProposed, WindowClosed
from tables.models.tables import Table
from tables.play import actions, answering
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Answer, Window
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.tables.playing import deal_at, reread, run_out, seat_id_at
from wallet.exceptions import InsufficientFunds


class People:
    def __init__(self, table: Table, chance: Random, *, leaving: float = 0.02) -> None:
        self.table, self.chance, self.leaving = table, chance, leaving

    def play_on(self, most: int = 6_000) -> Table:
        """Act until the game is over; return the table as it is then."""
        for _ in range(most):
            if self.table.is_over:
                return self.table
            self.act()
            self.table = reread(self.table)
        raise AssertionError(f"the game did not end: the table is in {self.table.phase}")

    def act(self) -> None:
        """Let one of them do one thing, or the clock, or the worker that scores."""
        clock.apply_overdue(table_id=self.table.pk, now=timezone.now())
        self.table = reread(self.table)
        if self.table.phase == Table.Phase.SETTLING:
            scoring.settle_deal(deal_id=deal_at(self.table).pk)
            return
        what = self.chance.random()
        present = list(self.table.seats.present())
        if what < self.leaving and present:
            seating.leave(seat_id=self.chance.choice(present).pk)
        elif what < 0.10 and self.table.due_at is not None:
            self.wait()
        elif self.table.phase in (Table.Phase.REJOIN, Table.Phase.SPLIT):
            self.answer()
        elif self.table.phase == Table.Phase.BETWEEN and what < 0.70:
            self.propose_split()
        elif self.table.phase in (Table.Phase.PLAYING, Table.Phase.SHOWING):
            self.move()
        elif self.table.due_at is not None:
            self.wait()

    def answer(self) -> None:
        """Each player asked answers yes or no, possibly not the same as before."""
        window = Window.objects.open().get(table=self.table)
        asked = self.chance.choice(list(window.answers.all()))
        said = Answer.Said.NO if self.chance.random() < 0.3 else Answer.Said.YES
        with suppress(AnswerGiven, WindowClosed, InsufficientFunds):
            answering.answer(seat_id=asked.seat_id, window_id=window.public_id, said=said)

    def propose_split(self) -> None:
        proposer = self.chance.choice(list(self.table.seats.all()))
        with suppress(NoSplit, SplitProposed):
            answering.propose_split(seat_id=proposer.pk)
        if reread(self.table).phase == Table.Phase.BETWEEN:
            self.wait()

    def wait(self) -> None:
        run_out(self.table, seconds=60)
        clock.apply_overdue(table_id=self.table.pk, now=timezone.now())

    def move(self) -> None:
        state = fold_of(deal_at(self.table)).state
        family = rummy.family_of(state.rules)
        status = family.status(state)
        awaited = {status.to_act} if status.phase == "playing" else status.waiting
        position = min(awaited)
        legal = family.legal_moves(state, position)
        drop = rummy.Drop(position)
        is_tired = drop in legal and self.chance.random() < 0.15
        chosen = drop if is_tired else rummy.bots.choose(family.view(state, position), legal)
        actions.make_move(
            seat=seat_id_at(self.table, position),
            move_id=uuid4(),
            text=chosen.text,
            expected_version=self.table.version,
            window_id=self.table.window_id,
        )
