"""What games share that are paid by an entry: nobody joins once they have begun, and they end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _
from moneyed import Money

import rummy
from players.accounts.models import User
from rummy import AnyRules
from rummy.money import payouts
from tables.exceptions import BadStack, GameNotOffered, NoSplit, NotInPlay
from tables.games.buy_ins import buy_in
from tables.games.game import AScore, Band, PlaceShown, Price, Priced, ScoreShown, SeatShown
from tables.models.deals import Deal
from tables.models.profiles import StakeMode
from tables.models.seats import Seat, SeatQuerySet
from tables.models.tables import Table
from tables.play import dealing
from tables.responsible.stopped import stopped_seats
from tables.seats import walking_out
from tables.settlement import finishing, notifying
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.locks import LockedTable
from tables.state.rules import rules_of, words_of
from wallet.audit.audit import Finding
from wallet.ledger.money import PLAY_POINTS, as_money, as_text
from wallet.stakes import stakes

EXAMPLE_ENTRY_MINOR = 100_00
EXAMPLE_RAKE_BPS = 1_000


class EntryTerms:
    """One entry for every seat; a point has no price."""

    price_field = "entry"
    has_end = True

    def price(self, rules: AnyRules, minor: int) -> Price:
        return Price(entry_minor=minor, point_value_minor=0)

    def price_minor(self, terms: Priced) -> int:
        return terms.entry_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        if price.point_value_minor:
            raise GameNotOffered(f"A point has no price in {rules.name}.")

    def stop_at(self, survivors: int) -> int:
        return 1


class EntrySitting:
    """Sit down and pay while the table waits; players who leave later forfeit the entry."""

    def is_open(self, table: Table) -> bool:
        return table.phase == Table.Phase.WAITING

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        if stack not in (None, table.entry):
            raise BadStack(
                _("A seat here costs %(entry)s.") % {"entry": as_text(table.entry)},
                least=table.entry_minor,
                most=table.entry_minor,
            )
        seat = Seat.objects.create(table=table, player=player)
        if table.stake_mode == StakeMode.CASH:
            buy_in(
                table, seat, no=1, escrow=table.escrow, amount=table.entry, rake_bps=table.rake_bps
            )
        return seat

    def follow(self, table: LockedTable, now: datetime) -> None:
        """Start the game or its countdown, and wake a bot to sit down beside a person."""
        if table.phase == Table.Phase.WAITING:
            self._follow_start(table, now)
        if table.phase == Table.Phase.WAITING:
            seated = table.seats.present()
            table.bot_due_at = None
            if table.bots_fill and seated.exists():  # Bots that wait for nobody get up.
                table.bot_due_at = phases.thought_over(now)

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        if table.phase == Table.Phase.WAITING:
            self._return_entry(table, seat)
            walking_out.mark_left(table, seat, now)
            self.follow(table, now)
            return
        walking_out.drop_cards(table, seat, now)
        walking_out.mark_left(table, seat, now)
        if table.phase in (Table.Phase.BETWEEN, Table.Phase.REJOIN, Table.Phase.SPLIT):
            self.somebody_left(table, now)

    def somebody_left(self, table: LockedTable, now: datetime) -> None:
        """Let a settlement worker see whether the game needs no more deals."""
        phases.await_step(table, now)

    def start(self, table: LockedTable, now: datetime) -> None:
        """Begin the game; who may not play any more gets their entry back, and it waits on."""
        stopped = stopped_seats(table)
        for seat in stopped:
            self._return_entry(table, seat)
            walking_out.mark_left(table, seat, now)
            notifying.notify_of_seat_given_up(table, seat, now)
        if stopped:
            self.follow(table, now)
        else:
            dealing.start_game(table, now)

    def top_up(self, table: LockedTable, seat: Seat, *, no: int, amount: Money) -> bool:
        raise NotInPlay("This seat has no stack at a points table.")

    def sit_out(self, table: LockedTable, seat: Seat, now: datetime) -> bool:
        raise NotInPlay("This seat has no stack at a points table.")

    def come_back(self, table: LockedTable, seat: Seat) -> bool:
        raise NotInPlay("This seat has no stack at a points table.")

    def seats_bots(self, table: Table) -> bool:
        return table.phase == Table.Phase.WAITING

    def bot_stack(self, table: Table) -> Money:
        return table.entry

    def short_seats(self, table: Table, seats: Sequence[Seat]) -> list[Seat]:
        return []

    def _return_entry(self, table: LockedTable, seat: Seat) -> None:
        paid = [buy_in.stake for buy_in in seat.buy_ins.select_related("stake")]
        if paid:  # At a table for chips nobody has paid anything.
            stakes.return_stakes(
                stakes=paid,
                key=f"leave:{seat.pk}",
                actor=seat.player.actor,
                memo=words_of(table),
            )

    def _follow_start(self, table: LockedTable, now: datetime) -> None:
        start_seconds = rules_of(table.profile).start_seconds
        taken = table.seats.present().count()
        if taken == table.seats_max or (taken >= table.seats_min and start_seconds == 0):
            self.start(table, now)
        elif taken < table.seats_min:
            phases.disarm(table)
        elif table.due_at is None:  # The countdown runs on when one more sits down.
            phases.arm(table, start_seconds, now)


class EntryProgress:
    """A game from its first deal to its last, with everybody who has sat down."""

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        yield from ()

    def final_shares(
        self, record: GameRecord, papers: GamePapers, order: finishing.Order
    ) -> tuple[int, ...]:
        pot = sum(stake.net_minor for stake in papers.counted_stakes)
        return payouts.equal_shares(pot, len(order.heads))

    def refuse_calling_off(self, table: Table) -> None:
        if table.starters and not table.seats.active().exists():
            raise NotInPlay("Nobody is left in this game; it ends by itself (RB 7.6).")

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """Share among everybody before the first deal, later among those still in the game."""
        self.refuse_calling_off(table)
        there = table.seats.active() if table.starters else table.seats.present()
        still_in = list(there.prefetch_related("player").in_seat_order())
        table.windows.open().update(closed_at=now, outcome=Window.Outcome.WITHDRAWN)
        coming: Deal = dealing.commit_deal(table)
        finishing.cancel_game(table, coming, now, survivors=still_in)


class NoQuestions:
    """A game in which nobody is asked anything between two deals."""

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        raise AssertionError(f"{window} is at a table whose game asks nothing")

    def window_over(self, table: LockedTable, now: datetime) -> None:
        raise AssertionError(f"a window is open at {table}, whose game asks nothing")

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        raise NoSplit("This game cannot be split now: no_split.")

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        return rummy.pool.SplitOffer(False, False, None, "no_split")

    def bot_to_propose(self, table: Table) -> Seat | None:
        return None

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        raise AssertionError(f"{window} is at a table whose game asks nothing")


class PlainTotals:
    """Totals without chips, without a limit of drops, the lowest of which leads."""

    def chips(
        self, rules: AnyRules, seats: Collection[int], scores: Sequence[ScoreShown]
    ) -> dict[int, int]:
        return {}

    def is_highest_best(self, rules: AnyRules) -> bool:
        return False

    def drops_left(self, total: int, rules: AnyRules) -> int | None:
        return None

    def bands(self, rules: AnyRules) -> tuple[Band, ...]:
        return ()


class EntryShown(PlainTotals):
    """No stacks; seats keep their numbers from the first deal to the last."""

    def stacks(self, table: Table) -> Mapping[int, int]:
        return {}

    def stack_of(self, stacks: Mapping[int, int], player_id: int) -> int | None:
        return None

    def stack_bounds(self, table: Table) -> None:
        return None

    def is_short(self, table: Table, stack: int | None) -> bool:
        return False

    def next_payment(self, entries: int) -> int | None:
        return None

    def is_counting_down(
        self, table: Table, seats: Sequence[SeatShown], stacks: Mapping[int, int]
    ) -> bool:
        return True

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Before the toss, who left was never in the game; afterwards the seat stays on show."""
        return seats.filter(number__isnull=False) if table.starters else seats.present()

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Entries paid since are no part of an earlier prize."""
        return Q(buy_ins__stake__created_at__lte=until) if until is not None else None

    def first_deal_shown(self, no: int) -> int:
        return 1

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        return scores

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        return True

    def words_of_toss(self) -> Iterator[str]:
        yield from ()

    def words_before_leaving(self) -> Iterator[str]:
        yield _("Before the first deal you may leave, and the entry comes back in full.")


def words_of_entries() -> Iterator[str]:
    """Yield what becomes of the entries of a cancelled game, and an example of the rake."""
    yield _(
        "If a game is cancelled before a deal is scored, every entry comes back in full; later "
        "those still in the game share the entries, less the rake of those already lost."
    )
    yield _(
        "Example: of an entry of %(entry)s at a rake of %(rate)s %% the house keeps "
        "%(rake)s, and %(net)s go into the prize."
    ) % {
        "entry": as_text(as_money(EXAMPLE_ENTRY_MINOR, PLAY_POINTS)),
        "rate": EXAMPLE_RAKE_BPS // 100,
        "rake": as_text(as_money(payouts.rake(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS), PLAY_POINTS)),
        "net": as_text(
            as_money(payouts.net_entry(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS), PLAY_POINTS)
        ),
    }


class EntryGame(EntryTerms, EntrySitting, EntryProgress, EntryShown):
    """The shared part of pool and deals."""
