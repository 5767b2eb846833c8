"""What a table asks of the game played at it: one object per game, found by `games.game_of`.

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
    """What one sits down with at least, and the value of a point (0 where points have none)."""

    entry_minor: int
    point_value_minor: int


class StackBounds(NamedTuple):
    """The value of a point and what a player may bring to the table, in minor units (RB 8.1)."""

    point_value_minor: int
    least_minor: int
    most_minor: int


class Priced(Protocol):
    """A table or a template, with its price; or the price alone."""

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
    """A seat as a view knows it; of times only whether they are set counts."""

    @property
    def pk(self) -> int: ...
    @property
    def player_id(self) -> int: ...
    @property
    def left_at(self) -> object: ...
    @property
    def sits_out_since(self) -> object: ...


class PlaceShown(Protocol):
    """Where a seat sits in a deal."""

    @property
    def deal_id(self) -> int: ...
    @property
    def seat_id(self) -> int: ...


class ScoreShown(Protocol):
    """What a deal has come to for a seat."""

    @property
    def seat_id(self) -> int: ...
    @property
    def chips_after(self) -> int | None: ...


AScore = TypeVar("AScore", bound=ScoreShown)


class Terms(Protocol):
    """On which terms a table of the game is opened."""

    @property
    def name(self) -> str:
        """The game's name in rules, addresses and the API."""

    @property
    def title(self) -> object:
        """The game's name for people, translated when it is printed."""

    @property
    def price_field(self) -> str:
        """What staff set the price by: `entry` or `point_value`."""

    @property
    def has_end(self) -> bool:
        """Whether the game ends by itself, as a round of a tournament must."""

    def price(self, rules: AnyRules, minor: int) -> Price:
        """Return the terms that follow from the price staff set."""

    def price_minor(self, terms: Priced) -> int:
        """Return the price staff set, from the terms it led to."""

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        """Raise `GameNotOffered` unless a table can be opened at this price."""

    def stop_at(self, survivors: int) -> int:
        """Return with how many left the game ends where a tournament asks for so many."""

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        """Return for staff which totals or stacks the rules come to."""


class Sitting(Protocol):
    """How one sits down, pays, and gets up."""

    def is_open(self, table: Table) -> bool:
        """Return whether somebody may sit down at a table that is not over."""

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        """Seat a player who pays the entry, or brings this stack."""

    def follow(self, table: LockedTable, now: datetime) -> None:
        """Bring the countdown and the bots of a waiting table in line with who is there."""

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        """Give a seat up, with what is the player's to take (RB 5.8, 7.9, 8.1)."""

    def top_up(self, table: LockedTable, seat: Seat, *, no: int, amount: Money) -> bool:
        """Add payment `no` to the seat's stack; return False if it was made before."""

    def sit_out(self, table: LockedTable, seat: Seat, now: datetime) -> bool:
        """Deal the seat in no more; return False if that is so already."""

    def come_back(self, table: LockedTable, seat: Seat) -> bool:
        """Deal the seat in again; return False if that is so already."""

    def seats_bots(self, table: Table) -> bool:
        """Return whether bots sit down, pay and get up in the table's present phase."""

    def bot_stack(self, table: Table) -> Money:
        """Return what a bot sits down with."""

    def short_seats(self, table: Table, seats: Sequence[Seat]) -> list[Seat]:
        """Return those of the seats that must pay in before they are dealt in again."""


class Progress(Protocol):
    """What follows a scored deal, and who plays the next one."""

    def is_void(self, table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
        """Return whether nobody survived a deal in which nobody acted (RB 7.6)."""

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Add what the game keeps beside the points, before the scores are written.

        `read` returns the game so far, where the game needs it.
        """

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Begin what follows a scored deal: a window, the next deal or the end."""

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Begin what follows a deal that counts for nothing."""

    def somebody_left(self, table: LockedTable, now: datetime) -> object:
        """Begin what follows when a seat is given up between two deals."""

    def step_between(self, table: LockedTable, now: datetime) -> object:
        """Take the step that a leaver, an answer or the clock has made due between two deals."""

    def start(self, table: LockedTable, now: datetime) -> None:
        """Deal the first deal to everybody who has sat down."""

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal the next deal to everybody who plays it."""

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game between two deals, with the places as they are (RB 10.4)."""

    def final_order(self, record: GameRecord) -> Order:
        """Return who is ahead by the scores, and whether the game needs no more deals."""

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        """Yield what is stored of the game, its results apart, that its scores do not lead to."""

    def final_shares(self, record: GameRecord, papers: GamePapers, order: Order) -> Sequence[int]:
        """Return what the heads of a finished game are paid out of the pot, in their order."""

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """End the game in this deal, as if it had not been dealt (RB 7.7)."""

    def refuse_calling_off(self, table: Table) -> None:
        """Raise `NotInPlay` while no deal is played if nobody is left in the game."""

    def call_off_between(self, table: LockedTable, now: datetime) -> None:
        """End the game while no deal is played, by RB 7.7."""


class Questions(Protocol):
    """What players are asked between two deals, in a window."""

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        """Write a seat's first answer down and do what follows from it."""

    def window_over(self, table: LockedTable, now: datetime) -> None:
        """Close the open window whose time is over."""

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        """Ask everybody in the game to split the prize; raise `NoSplit` where nobody may."""

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        """Return what a split would pay seats of these totals, in seat order."""

    def bot_to_propose(self, table: Table) -> Seat | None:
        """Return the bot that will propose a split in this gap, if there is one."""

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        """Return whether a yes is worth more than its price to a strong bot."""


class Shown(Protocol):
    """The game's part of the view, of the history and of the page of rules."""

    def stacks(self, table: Table) -> Mapping[int, int]:
        """Return the players' stacks, by the player's key; empty where there are none."""

    def stack_of(self, stacks: Mapping[int, int], player_id: int) -> int | None:
        """Return a player's stack, or None where there are none."""

    def stack_bounds(self, table: Table) -> StackBounds | None:
        """Return what a player may bring to the table; None where the entry is fixed."""

    def is_short(self, table: Table, stack: int | None) -> bool:
        """Return whether the stack does not bear another deal."""

    def next_payment(self, entries: int) -> int | None:
        """Return the number of a seat's next top-up; None where nobody tops up."""

    def is_counting_down(
        self, table: Table, seats: Sequence[SeatShown], stacks: Mapping[int, int]
    ) -> bool:
        """Return whether the clock of a waiting table leads to a deal."""

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Return the seats a view shows; `dealt_in` are those of the last two deals."""

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return which entries of a seat count in a view of this moment; None means all."""

    def first_deal_shown(self, no: int) -> int:
        """Return the number of the first deal whose scores a view of deal `no` shows."""

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        """Return the scores a table of all deals by seat number is made of."""

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        """Return whether a seat at the table may see the seed of a settled deal."""

    def chips(
        self, rules: AnyRules, seats: Collection[int], scores: Sequence[ScoreShown]
    ) -> dict[int, int]:
        """Return the chips by the seat's key; empty where none are played with (RB 6)."""

    def is_highest_best(self, rules: AnyRules) -> bool:
        """Return whether most chips, or the highest total, come first in a game cut short."""

    def drops_left(self, total: int, rules: AnyRules) -> int | None:
        """Return how many first drops a total survives; None where totals put nobody out."""

    def bands(self, rules: AnyRules) -> tuple[Band, ...]:
        """Return totals in bands of equal drops left, lowest first (RB 7.2)."""

    def words(self, rules: AnyRules) -> Iterator[str]:
        """Yield the game's own rules as sentences."""

    def words_of_toss(self) -> Iterator[str]:
        """Yield what the game adds to the rules of the toss."""

    def words_before_leaving(self) -> Iterator[str]:
        """Yield what a player who gets up between deals takes along."""

    def words_of_leaving(self) -> Iterator[str]:
        """Yield what becomes of the money of a player who leaves in a deal."""


class Game(Terms, Sitting, Progress, Questions, Shown, Cards, Protocol):
    """Everything that differs between games."""
