"""Read a pool's rows as a trace of the model: every event must be an act that it allows.

Only what the rows say is taken over: who sat down, moved, answered and left, what the hands cost.
Eliminations, offers, shares, the next leader and the end must follow in the model as in the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.db.models import Sum

from rummy import Rules
from tables.models.deals import Deal, Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.settlement.models import Window
from tables.state.rules import rules_of
from tests.model.acts import apply
from tests.model.explorer import check
from tests.model.state import Act, Refused, State, Terms, begin
from wallet.ledger.models import Entry

MANY: Final = 10**9
# Of events at one moment: what a transaction does first comes first, one window after the other.
ORDER: Final = ("join", "rule", "move", "leave", "settle", "window", "deal")
STEPS: Final = ("propose", "answer", "close")


class Difference(Exception):
    """The rows of a table are not a trace of the model."""


class Event(NamedTuple):
    at: datetime
    name: str
    row: Any
    # The key of the window that it belongs to.
    window: int = 0

    @property
    def order(self) -> tuple[datetime, int, int, int]:
        if self.name in STEPS:
            return self.at, ORDER.index("window"), self.window, STEPS.index(self.name)
        return self.at, ORDER.index(self.name), 0, 0


def is_modelled(table: Table) -> bool:
    """Return whether the table is a pool of the lobby whose rules the model knows."""
    rules = rules_of(table.profile)
    if not isinstance(rules, Rules) or rules.game != "pool" or table.owner_ref:
        return False
    unknown = (rules.rejoin_at_most, rules.auto_split_from, rules.misses_allowed_for_two)
    return unknown == (None, None, None)


def terms_of(table: Table, players: int) -> Terms:
    rules = rules_of(table.profile)
    assert isinstance(rules, Rules)
    assert rules.limit is not None
    return Terms(
        players=players,
        seats_min=table.seats_min,
        seats_max=table.seats_max,
        limit=rules.limit,
        first=rules.first_drop,
        middle=rules.middle_drop,
        cap=rules.cap,
        entry=table.entry_minor,
        bps=table.rake_bps,
        purse=MANY,
        rejoin=rules.rejoin,
        split=rules.split,
        auto_split=rules.auto_split,
        drops=rules.drops_allowed,
        misses=rules.misses_allowed,
        max_rejoins=rules.max_rejoins,
        toss=rules.toss_seconds > 0 and not table.is_lesson,
        pause=rules.gap_seconds > 0,
        start_at_once=rules.start_seconds == 0,
        turns=None,
        faults=0,
        rulings=MANY,
        sittings=MANY,
    )


def replay(table: Table) -> list[Act]:
    """Return the acts of a table's game; raise `Difference` if the model refuses one of them."""
    return Trace(table).replay()


class Trace:
    """One table's rows, and the state of the model that follows them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.seats = list(Seat.objects.filter(table=table).order_by("number", "pk"))
        players = list(dict.fromkeys(seat.player_id for seat in self.seats))
        self.number = {seat.pk: players.index(seat.player_id) for seat in self.seats}
        self.players = players
        self.terms = terms_of(table, max(len(players), 1))
        self.state, self.begun = begin(self.terms), 0
        self.acts: list[Act] = []
        self.paid_out: list[int] = []
        self.deals = list(table.deals.exclude(started_at=None).order_by("no"))
        scores = Score.objects.filter(table=table)
        self.scores = {(score.deal_id, self.number[score.seat_id]): score for score in scores}

    def replay(self) -> list[Act]:
        for event in sorted(self._events(), key=attrgetter("order")):
            try:
                getattr(self, f"_{event.name}")(event.row)
            except (Refused, AssertionError) as refused:
                raise Difference(f"{event.name} of {event.row}: {refused!r} in {self.state}") from (
                    refused
                )
        if self.table.is_over:
            self._end()
        return self.acts

    def _events(self) -> Iterator[Event]:
        started = self.deals[0].started_at if self.deals else None
        for seat in self.seats:
            # The seat's row is inserted after the time that the transaction has read.
            joined = seat.joined_at
            is_dealt = seat.number is not None and started is not None
            yield Event(min(joined, started) if is_dealt else joined, "join", seat)
            if seat.left_at is not None:
                yield Event(seat.left_at, "leave", seat)
        for deal in self.deals:
            yield Event(deal.started_at, "deal", deal)
            if deal.settled_at is not None:
                yield Event(deal.settled_at, "settle", deal)
        for move in Move.objects.filter(table=self.table).order_by("deal", "ply"):
            yield Event(move.made_at, "move", move)
        for window in self.table.windows.prefetch_related("answers"):
            if window.kind == Window.Kind.SPLIT:
                yield Event(window.opened_at, "propose", window, window.pk)
            for answer in window.answers.all():
                if answer.answered_at and answer.seat_id != window.proposed_by_id:
                    yield Event(answer.answered_at, "answer", answer, window.pk)
            if window.closed_at is not None:
                yield Event(window.closed_at, "close", window, window.pk)
        for ruling in self.table.rulings.all():
            yield Event(ruling.at, "rule", ruling)

    def _act(self, *act: Any) -> None:
        before, self.state = self.state, apply(self.terms, self.state, act)
        cards = ("toss", "playing")
        self.begun += before.phase not in cards and self.state.phase in cards
        self.acts.append(act)
        check(self.terms, self.state)
        if self.state.is_over and not before.is_over:
            both = zip(self.state.purses, before.purses, strict=True)
            self.paid_out = [after - held for after, held in both]

    def _let_time_pass(self) -> None:
        self._act("pass")
        self._act("clock")

    def _settled(self) -> None:
        """Take the step that a worker has taken by now."""
        if self.state.due:
            self._act("step")

    # Events. What is private to a phase is asserted by the model itself.

    def _join(self, seat: Seat) -> None:
        self._act("join", self.number[seat.pk])

    def _leave(self, seat: Seat) -> None:
        self._act("leave", self.number[seat.pk])  # Nothing, if a move has already shown it.

    def _deal(self, deal: Deal) -> None:
        self._settled()
        if self.begun < deal.no:
            self._let_time_pass()
        assert self.begun == deal.no, f"deal {deal.no} is number {self.begun} of the model"
        dealt = {self.number[place.seat_id]: place.position for place in deal.deal_seats.all()}
        assert set(dealt) == {n for n, seat in enumerate(self.state.seats) if seat.dealt}
        assert dealt[self.state.leader] == 1, "another seat leads (RB 5.1)"

    def _move(self, move: Move) -> None:
        if self.state.phase == "toss" and not move.text.endswith(" leave"):
            self._let_time_pass()
        no, action = self.number[move.seat_id], move.text.split()[1]
        if action == "leave":
            self._act("leave", no)
            return
        if move.origin == Move.Origin.CLOCK:
            if action == "miss" or self.state.phase == "showing":
                assert action != "miss" or self.state.turn == no, "another seat is on turn"
                self._let_time_pass()
            return
        names = {"ds": "draw", "do": "draw", "x": "discard"}
        if action == "show":
            score = self.scores.get((move.deal_id, no))
            is_wrong = score is not None and score.how == Score.How.WRONG_SHOW
            later = Move.objects.filter(table=self.table, deal=move.deal_id, ply__gt=move.ply)
            if score is None:  # Of a void deal.
                is_wrong = any(" meld" not in each.text for each in later)
            action = "wrong" if is_wrong else "show"
        self._act(names.get(action, action), no)

    def _settle(self, deal: Deal) -> None:
        if self.state.phase == "playing" and deal.ending == "exhausted":
            self._act("exhaust")
        unknown = [no for no in self.state.in_deal() if no != self.state.winner]
        points = tuple(self.scores[deal.pk, no].points for no in unknown)
        before = self.state.seats
        self._act("settle", 1, points)
        for no, seat in enumerate(self.state.seats):
            score = self.scores.get((deal.pk, no))
            if score is not None:
                expected = (seat.total - before[no].total, seat.total)
                assert (score.points, score.total_after) == expected, f"points of seat {no}"
        self._compare_offer(deal)

    def _compare_offer(self, deal: Deal) -> None:
        window = self.table.windows.filter(deal=deal, kind=Window.Kind.REJOIN).first()
        offered = {self.number[a.seat_id]: a.total for a in window.answers.all()} if window else {}
        asked = [no for no, seat in enumerate(self.state.seats) if seat.asked]
        assert offered == dict.fromkeys(asked, self.state.offer), "rejoins offered (RB 7.3)"

    def _propose(self, window: Window) -> None:
        self._settled()
        self._act("propose", self.number[window.proposed_by_id or 0])

    def _answer(self, answer: Any) -> None:
        self._act("answer", self.number[answer.seat_id], answer.said)

    def _close(self, window: Window) -> None:
        if not self.state.due:
            assert window.outcome == Window.Outcome.EXPIRED, f"closed as {window.outcome}"
            self._let_time_pass()
        self._act("step")

    def _rule(self, ruling: Any) -> None:
        self._act(ruling.kind)

    def _end(self) -> None:
        """Compare the end: the phase, every total and what the ledger has paid."""
        if not self.state.is_over:
            self._settled()
        if self.state.phase != self.table.phase:
            raise Difference(f"the table is {self.table.phase}, the model {self.state.phase}")
        keys = [f"finish:{self.table.pk}", f"cancel:{self.table.pk}"]
        players = Entry.objects.filter(transfer__key__in=keys, account__player__isnull=False)
        by_player = players.order_by().values_list("account__player").annotate(Sum("amount_minor"))
        paid = {self.players.index(player): minor for player, minor in by_player}
        expected = {no: minor for no, minor in enumerate(self.paid_out) if minor}
        if paid != expected:
            raise Difference(f"the ledger paid {paid}, the model {expected}")


def differences(tables: list[Table]) -> list[str]:
    """Return a line for each modelled table whose rows are not a trace of the model."""
    found = []
    for table in tables:
        try:
            if is_modelled(table):
                replay(table)
        except Difference as difference:
            found.append(f"{table.name}: not a trace of the model: {difference}")
    return found


__all__ = ["Difference", "State", "differences", "is_modelled", "replay", "terms_of"]
