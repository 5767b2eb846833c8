"""The interface that every game implements; `games.game_of` returns a table's game.

A method that takes a `LockedTable` is a step: the caller saves and announces the table afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

from django.db.models import Q
from moneyed import Money

import rummy
from players.accounts.models import User
from rummy import AnyRules
from tables.games.cards import Cards
from tables.models.deals import Deal
from tables.models.seats import Score, Seat, SeatQuerySet
from tables.models.tables import Table
from tables.settlement.finishing import Order
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state.locks import LockedTable
from wallet.audit.audit import Finding


class Price(NamedTuple):
    """The smallest amount to sit down with, and the value of a point (0 if points have none)."""

    entry_minor: int
    point_value_minor: int


class StackBounds(NamedTuple):
    """The value of a point and the limits of a stack, in minor units (RB 8.1)."""

    point_value_minor: int
    least_minor: int
    most_minor: int


class Priced(Protocol):
    """A table or a template with its price, or a price alone."""

    @property
    def entry_minor(self) -> int: ...
    @property
    def point_value_minor(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Band:
    """Totals that survive the same number of first drops (RB 7.2)."""

    low: int
    high: int
    drops: int


class SeatShown(Protocol):
    """A seat as views read it; times are only tested for being set."""

    @property
    def pk(self) -> int: ...
    @property
    def player_id(self) -> int: ...
    @property
    def left_at(self) -> object: ...
    @property
    def sits_out_since(self) -> object: ...


class PlaceShown(Protocol):
    """The position of a seat in a deal."""

    @property
    def deal_id(self) -> int: ...
    @property
    def seat_id(self) -> int: ...


class ScoreShown(Protocol):
    """A seat's score of a deal."""

    @property
    def seat_id(self) -> int: ...
    @property
    def chips_after(self) -> int | None: ...


AScore = TypeVar("AScore", bound=ScoreShown)


class Terms(Protocol):
    """The terms on which a table of the game is opened."""

    @property
    def name(self) -> str:
        """The game's identifier in rules, URLs and the API."""

    @property
    def title(self) -> object:
        """The game's name for people, translated when printed."""

    @property
    def price_field(self) -> str:
        """The field by which staff set the price: `entry` or `point_value`."""

    @property
    def has_end(self) -> bool:
        """Whether the game has an end, as a round of a tournament requires."""

    def price(self, rules: AnyRules, minor: int) -> Price:
        """Return the terms that follow from the price set by staff."""

    def price_minor(self, terms: Priced) -> int:
        """Return the price set by staff, from the terms that followed from it."""

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        """Raise `GameNotOffered` unless a table can be opened at this price."""

    def stop_at(self, survivors: int) -> int:
        """Return at how many survivors the game stops, if a tournament asks for this number."""

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        """Return, for staff, the totals or stacks that follow from the rules."""


class Sitting(Protocol):
    """Sitting down, paying, and leaving."""

    def is_open(self, table: Table) -> bool:
        """Return whether a player may join a table that is not over."""

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        """Seat a player, who pays the entry or brings this stack."""

    def follow(self, table: LockedTable, now: datetime) -> None:
        """Update the countdown and the bots of a waiting table after a seat has changed."""

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        """Free a seat and return the money due to its player (RB 5.8, 7.9, 8.1)."""

    def top_up(self, table: LockedTable, seat: Seat, *, no: int, amount: Money) -> bool:
        """Add payment `no` to the seat's stack; return False if it was already made."""

    def sit_out(self, table: LockedTable, seat: Seat, now: datetime) -> bool:
        """Sit the seat out; return False if it already sits out."""

    def come_back(self, table: LockedTable, seat: Seat) -> bool:
        """Deal the seat in again; return False if it is not sitting out."""

    def seats_bots(self, table: Table) -> bool:
        """Return whether bots may join, pay and leave in the table's current phase."""

    def bot_stack(self, table: Table) -> Money:
        """Return the stack that a bot brings."""

    def short_seats(self, table: Table, seats: Sequence[Seat]) -> list[Seat]:
        """Return the seats that must top up before they are dealt in again."""


class Progress(Protocol):
    """The steps after a scored deal, and the players of the next one."""

    def is_void(self, table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
        """Return whether no one survived a deal in which no one acted (RB 7.6)."""

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Add the game's own results to the scores before they are saved.

        `read` returns the game so far, for games that need it.
        """

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Start the step after a scored deal: a window, the next deal or the end."""

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Start the step after a void deal."""

    def player_left(self, table: LockedTable, now: datetime) -> object:
        """Start the step after a seat was left between two deals."""

    def step_between(self, table: LockedTable, now: datetime) -> object:
        """Take the step between two deals that is due after a departure, an answer or a timeout."""

    def start(self, table: LockedTable, now: datetime) -> None:
        """Deal the first deal to all seats."""

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal the next deal to the seats that play it."""

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game between two deals, with the current places (RB 10.4)."""

    def final_order(self, record: GameRecord) -> Order:
        """Return the ranking by scores, and whether the game needs no further deals."""

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        """Yield stored rows of the game, except its results, that contradict its scores."""

    def final_shares(self, record: GameRecord, papers: GamePapers, order: Order) -> Sequence[int]:
        """Return the prizes of a finished game's winners, in their order."""

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game in this deal, as if it had not been dealt (RB 7.7)."""

    def refuse_calling_off(self, table: Table) -> None:
        """Raise `NotInPlay` if no deal is played and no player is left in the game."""

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """Cancel the game while no deal is played, by RB 7.7."""


class Questions(Protocol):
    """Windows: questions to players between two deals."""

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        """Save a seat's first answer and take the step that follows."""

    def window_over(self, table: LockedTable, now: datetime) -> None:
        """Close an open window that has run out."""

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        """Ask all players to split the prize; raise `NoSplit` if no split is possible."""

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        """Return the shares of a split at these totals, in seat order."""

    def bot_to_propose(self, table: Table) -> Seat | None:
        """Return the bot that will propose a split in this pause, if any."""

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        """Return whether a strong bot should answer yes."""


class Shown(Protocol):
    """The game's part of views, history and the rules page."""

    def stacks(self, table: Table) -> Mapping[int, int]:
        """Return the players' stacks by the player's key; empty if the game has none."""

    def stack_of(self, stacks: Mapping[int, int], player_id: int) -> int | None:
        """Return a player's stack, or None if the game has none."""

    def stack_bounds(self, table: Table) -> StackBounds | None:
        """Return the limits of a stack, or None if the entry is fixed."""

    def is_short(self, table: Table, stack: int | None) -> bool:
        """Return whether the stack is too small for another deal."""

    def next_payment(self, entries: int) -> int | None:
        """Return the number of a seat's next top-up, or None if the game has none."""

    def is_counting_down(
        self, table: Table, seats: Sequence[SeatShown], stacks: Mapping[int, int]
    ) -> bool:
        """Return whether the clock of a waiting table starts a deal."""

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Return the seats that a view shows; `dealt_in` are the seats of the last two deals."""

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return the filter for entries that a view of this moment counts; None counts all."""

    def first_deal_shown(self, no: int) -> int:
        """Return the number of the first deal whose scores a view of deal `no` includes."""

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        """Return the scores that the score sheet of all deals by seat number includes."""

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        """Return whether a seat may see the seed of a settled deal."""

    def chips(
        self, rules: AnyRules, seats: Collection[int], scores: Sequence[ScoreShown]
    ) -> dict[int, int]:
        """Return the chips by the seat's key; empty if the game has none (RB 6)."""

    def is_highest_best(self, rules: AnyRules) -> bool:
        """Return whether the most chips, or the highest total, lead a game that is cut short."""

    def drops_left(self, total: int, rules: AnyRules) -> int | None:
        """Return how many first drops a total survives, or None if totals do not eliminate."""

    def bands(self, rules: AnyRules) -> tuple[Band, ...]:
        """Return the bands of totals with equal drops left, lowest first (RB 7.2)."""

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        """Yield the game's own rules as sentences."""

    def toss_text(self) -> Iterator[str]:
        """Yield the game's additional rules for the toss."""

    def text_before_leaving(self) -> Iterator[str]:
        """Yield the rules for players who leave between deals."""

    def leaving_text(self) -> Iterator[str]:
        """Yield the rules for the money of players who leave during a deal."""


class Game(Terms, Sitting, Progress, Questions, Shown, Cards, Protocol):
    """Everything that differs between games."""
