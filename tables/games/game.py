"""The methods that a game must define, and defaults for others; see also `games.game_of`.

The defaults are those of a game with an entry fee: no one joins after the start, and it has an end.
A method that takes a `LockedTable` is a step: the caller saves and announces the table afterwards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple, Protocol

from django.db.models import Q
from django.utils.translation import gettext as _
from moneyed import Money

import rummy
from rummy import AnyRules
from rummy.money import payouts
from tables.exceptions import GameNotOffered, NotInPlay
from tables.games.cards import Cards
from tables.games.sitting import Sitting
from tables.integrity.moderation.models import Ruling
from tables.models.deals import Deal
from tables.models.seats import Score, Seat, SeatQuerySet
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.finishing import Order
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state.locks import LockedTable, snapshot_of
from tables.state.snapshot import TableSnapshot
from wallet.audit.audit import Finding


class Price(NamedTuple):
    """The smallest amount to sit down with, and the value of a point (0 if points have none)."""

    entry_minor: int
    point_value_minor: int


class Priced(Protocol):
    """A table or a template with its price, or a price alone."""

    @property
    def entry_minor(self) -> int: ...
    @property
    def point_value_minor(self) -> int: ...


class Questions(Protocol):
    """Windows: questions to players between two deals, about rejoins and splits."""

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        """Save a seat's first answer and take the step that follows."""

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        """Ask all players to split the prize; raise `NoSplit` if no split is possible."""

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        """Return the shares of a split at these totals, in seat order."""

    def bot_to_propose(self, snapshot: TableSnapshot) -> Seat | None:
        """Return the bot that will propose a split in this pause, if any."""

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        """Return whether a strong bot should answer yes."""

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        """Yield stored eliminations and answers that contradict the scores."""


class Terms:
    """The terms on which a table of the game is opened; by default one entry for every seat."""

    name: str
    """The game's identifier in rules, URLs and the API."""
    title: object
    """The game's name for people, translated when printed."""
    price_field = "entry"
    """The field by which staff set the price: `entry` or `point_value`."""
    has_end = True
    """Whether the game has an end, as a round of a tournament requires.

    Without one, players come and go, and seats change their numbers between deals.
    """
    has_stacks = False
    """Whether players bring stacks, top them up and sit out (`tables.games.stacks`)."""
    may_stop_early = False
    """Whether the game can stop at a tournament's number of survivors."""

    def price(self, rules: AnyRules, minor: int) -> Price:
        """Return the terms that follow from the price set by staff."""
        return Price(entry_minor=minor, point_value_minor=0)

    def price_minor(self, terms: Priced) -> int:
        """Return the price set by staff, from the terms that followed from it."""
        return terms.entry_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        """Raise `GameNotOffered` unless a table can be opened at this price."""
        if price.point_value_minor:
            raise GameNotOffered(f"{rules.name} has no price per point.")

    @abstractmethod
    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        """Return, for staff, the totals or stacks that follow from the rules."""


class Progress:
    """The steps after a scored deal, and the players of the next one."""

    def is_void(self, table: LockedTable, deal: Deal, scores: Sequence[Score]) -> bool:
        """Return whether no one survived a deal in which no one acted (RB 7.6).

        By default only players who left are out.
        """
        return not snapshot_of(table).present() and not deal.was_acted_in()

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Add the game's own results to the scores before they are saved; by default none.

        `read` returns the game so far, for games that need it.
        """

    @abstractmethod
    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Start the step after a scored deal: a window, the next deal or the end."""

    @abstractmethod
    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Start the step after a void deal."""

    @abstractmethod
    def step_between(self, table: LockedTable, now: datetime) -> object:
        """Take the step between two deals that is due after a departure, an answer or a timeout."""

    @abstractmethod
    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal the next deal to the seats that play it."""

    @abstractmethod
    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game between two deals, with the current places (RB 10.4)."""

    @abstractmethod
    def final_order(self, record: GameRecord) -> Order:
        """Return the ranking by scores, and whether the game needs no further deals."""

    def final_shares(self, record: GameRecord, papers: GamePapers, order: Order) -> Sequence[int]:
        """Return the prizes of a finished game's winners, in their order; by default equal ones."""
        pot = sum(stake.net_minor for stake in papers.counted_stakes)
        return payouts.equal_shares(pot, len(order.heads))

    @abstractmethod
    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game in this deal, as if it had not been dealt (RB 7.7)."""

    def refuse_calling_off(self, table: LockedTable) -> None:
        """Raise `NotInPlay` if no deal is played and no player is left in the game."""
        if table.starters and not snapshot_of(table).active():
            raise NotInPlay("No players are left; the game ends automatically (RB 7.6).")

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """Cancel the game while no deal is played, by RB 7.7.

        Refund all seats before the first deal, later share among those who were in the game when
        staff ruled, even if they have left since.
        """
        ruling = table.rulings.filter(kind=Ruling.Kind.CANCEL).latest("at")
        still_in = [
            seat
            for seat in snapshot_of(table).seats
            if not seat.is_out and (seat.left_at is None or seat.left_at >= ruling.at)
        ]
        table.windows.open().update(closed_at=now, outcome=Window.Outcome.WITHDRAWN)
        finishing.cancel_game(table, dealing.commit_deal(table), now, survivors=still_in)


class Shown:
    """The game's part of views, history and the rules page."""

    summary_sentences = 1
    """How many sentences of `rules_text` summarise the game."""

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Return the seats that a view shows; `dealt_in` are the seats of the last two deals.

        Before the toss a seat that was left is hidden; afterwards it stays visible.
        """
        return seats.filter(number__isnull=False) if table.starters else seats.present()

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return the filter for entries that a view of this moment counts; None counts all.

        Entries paid later are not part of an earlier prize.
        """
        return Q(buy_ins__stake__created_at__lte=until) if until is not None else None

    def is_highest_best(self, rules: AnyRules) -> bool:
        """Return whether the most chips, or the highest total, lead a game that is cut short."""
        return False

    @abstractmethod
    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        """Yield the game's own rules as sentences."""

    def summary(self, rules: AnyRules) -> str:
        """Return what the game is about: the first sentences of its rules."""
        return " ".join(islice(self.rules_text(rules), self.summary_sentences))

    def toss_text(self) -> Iterator[str]:
        """Yield the game's additional rules for the toss."""
        yield from ()

    def text_before_leaving(self) -> Iterator[str]:
        """Yield the rules for players who leave between deals."""
        yield _("If you leave before the first deal, your entry is refunded in full.")

    @abstractmethod
    def leaving_text(self) -> Iterator[str]:
        """Yield the rules for the money of players who leave during a deal."""


class Game(Terms, Sitting, Progress, Shown, Cards):
    """Everything that differs between games."""

    @property
    def questions(self) -> Questions | None:
        """Return the windows (questions to the players) between two deals, or None without any."""
        return None
