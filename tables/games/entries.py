"""Shared parts of games with an entry fee: no one joins after the start, and they have an end."""

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
from tables.responsible.verdicts import stopped_seats
from tables.seats import walking_out
from tables.settlement import finishing, notifying
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.locks import LockedTable
from tables.state.rules import rules_of, table_label
from wallet.audit.audit import Finding
from wallet.ledger.money import PLAY_POINTS, as_money, as_text
from wallet.stakes import stakes

EXAMPLE_ENTRY_MINOR = 100_00
EXAMPLE_RAKE_BPS = 1_000


class EntryTerms:
    """One entry fee for every seat; points have no price."""

    price_field = "entry"
    has_end = True

    def price(self, rules: AnyRules, minor: int) -> Price:
        return Price(entry_minor=minor, point_value_minor=0)

    def price_minor(self, terms: Priced) -> int:
        return terms.entry_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        if price.point_value_minor:
            raise GameNotOffered(f"{rules.name} has no price per point.")

    def stop_at(self, survivors: int) -> int:
        return 1


class EntrySitting:
    """Sit down and pay while the table waits; players who leave later forfeit their entry."""

    def is_open(self, table: Table) -> bool:
        return table.phase == Table.Phase.WAITING

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        if stack not in (None, table.entry):
            raise BadStack(
                _("The entry at this table is %(entry)s.") % {"entry": as_text(table.entry)},
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
        """Start the game or its countdown, and schedule bots to join people at the table."""
        if table.phase == Table.Phase.WAITING:
            self._follow_start(table, now)
        if table.phase == Table.Phase.WAITING:
            seated = table.seats.present()
            table.bot_due_at = None
            if table.bots_fill and seated.exists():  # Without people, the bots leave.
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
            self.player_left(table, now)

    def player_left(self, table: LockedTable, now: datetime) -> None:
        """Leave it to a settlement worker whether the game needs no further deals."""
        phases.await_step(table, now)

    def start(self, table: LockedTable, now: datetime) -> None:
        """Start the game; refund players who may no longer play, and wait if too few are left."""
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
        raise NotInPlay("You have no stack at this table.")

    def sit_out(self, table: LockedTable, seat: Seat, now: datetime) -> bool:
        raise NotInPlay("You have no stack at this table.")

    def come_back(self, table: LockedTable, seat: Seat) -> bool:
        raise NotInPlay("You have no stack at this table.")

    def seats_bots(self, table: Table) -> bool:
        return table.phase == Table.Phase.WAITING

    def bot_stack(self, table: Table) -> Money:
        return table.entry

    def short_seats(self, table: Table, seats: Sequence[Seat]) -> list[Seat]:
        return []

    def _return_entry(self, table: LockedTable, seat: Seat) -> None:
        paid = [buy_in.stake for buy_in in seat.buy_ins.select_related("stake")]
        if paid:  # At a table for chips there is no payment.
            stakes.return_stakes(
                stakes=paid,
                key=f"leave:{seat.pk}",
                actor=seat.player.actor,
                memo=table_label(table),
            )

    def _follow_start(self, table: LockedTable, now: datetime) -> None:
        start_seconds = rules_of(table.profile).start_seconds
        taken = table.seats.present().count()
        if taken == table.seats_max or (taken >= table.seats_min and start_seconds == 0):
            self.start(table, now)
        elif taken < table.seats_min:
            phases.disarm(table)
        elif table.due_at is None:  # A running countdown is not restarted.
            phases.arm(table, start_seconds, now)


class EntryProgress:
    """A game from its first deal to its last; no one joins in between."""

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        yield from ()

    def final_shares(
        self, record: GameRecord, papers: GamePapers, order: finishing.Order
    ) -> tuple[int, ...]:
        pot = sum(stake.net_minor for stake in papers.counted_stakes)
        return payouts.equal_shares(pot, len(order.heads))

    def refuse_calling_off(self, table: Table) -> None:
        if table.starters and not table.seats.active().exists():
            raise NotInPlay("No players are left; the game ends automatically (RB 7.6).")

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """Refund all seats before the first deal, later share among those still in the game."""
        self.refuse_calling_off(table)
        there = table.seats.active() if table.starters else table.seats.present()
        still_in = list(there.prefetch_related("player").in_seat_order())
        table.windows.open().update(closed_at=now, outcome=Window.Outcome.WITHDRAWN)
        coming: Deal = dealing.commit_deal(table)
        finishing.cancel_game(table, coming, now, survivors=still_in)


class NoQuestions:
    """A game without windows between deals."""

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        raise AssertionError(f"{window} is at a table whose game has no windows")

    def window_over(self, table: LockedTable, now: datetime) -> None:
        raise AssertionError(f"a window is open at {table}, whose game has none")

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        raise NoSplit("This game cannot be split now: no_split.")

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        return rummy.pool.SplitOffer(False, False, None, "no_split")

    def bot_to_propose(self, table: Table) -> Seat | None:
        return None

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        raise AssertionError(f"{window} is at a table whose game has no windows")


class PlainTotals:
    """Totals without chips and without a limit; the lowest total leads."""

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
    """No stacks; seats keep their numbers throughout the game."""

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
        """Before the toss a seat that was left is hidden; afterwards it stays visible."""
        return seats.filter(number__isnull=False) if table.starters else seats.present()

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Entries paid later are not part of an earlier prize."""
        return Q(buy_ins__stake__created_at__lte=until) if until is not None else None

    def first_deal_shown(self, no: int) -> int:
        return 1

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        return scores

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        return True

    def toss_text(self) -> Iterator[str]:
        yield from ()

    def text_before_leaving(self) -> Iterator[str]:
        yield _("If you leave before the first deal, your entry is refunded in full.")


def entries_text() -> Iterator[str]:
    """Yield the rules for entries of cancelled games, and an example of the rake."""
    yield _(
        "If a game is cancelled before a deal is scored, every entry is refunded in full; later "
        "the players still in the game share the entries, less the rake of those already lost."
    )
    yield _(
        "Example: of an entry of %(entry)s at a rake of %(rate)s %%, the operator keeps "
        "%(rake)s and %(net)s go into the prize."
    ) % {
        "entry": as_text(as_money(EXAMPLE_ENTRY_MINOR, PLAY_POINTS)),
        "rate": EXAMPLE_RAKE_BPS // 100,
        "rake": as_text(as_money(payouts.rake(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS), PLAY_POINTS)),
        "net": as_text(
            as_money(payouts.net_entry(EXAMPLE_ENTRY_MINOR, EXAMPLE_RAKE_BPS), PLAY_POINTS)
        ),
    }


class EntryGame(EntryTerms, EntrySitting, EntryProgress, EntryShown):
    """The shared part of games with an entry fee."""
