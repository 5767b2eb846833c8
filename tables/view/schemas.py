"""Types of a table's data in the API: frozen values in the order of the response."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from uuid import UUID

from tables.games.cards import GroupRules, MeldLine, MeldRules, Showing
from wallet.ledger.amounts import Amount


@dataclass(frozen=True, slots=True)
class LobbyRow:
    """A table as offered in the lobby."""

    id: UUID
    # The kind of table; empty for tables that the lobby does not replace.
    kind: str
    name: str
    profile: str
    variant: str
    phase: str
    seats_taken: int
    seats_min: int
    seats_max: int
    entry: Amount
    # Net of rake; of a full table before the start, with `prize_is_most` if fewer may start.
    prize: Amount
    prize_is_most: bool
    rake_bps: int
    is_practice: bool
    # How well the bots play: "random", "greedy" or "strong"; null if no bots join.
    bot_strength: str | None
    mine: bool
    # A name in `tables.games.GAMES`: "pool", "points" or "deals".
    game: str
    # Points tables: the price of a point, and the limits of a stack (RB 8.1); else null.
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None
    # Waiting tables: when the first of the waiting players sat down, and the end of the countdown.
    waiting_since: datetime | None
    starts_at: datetime | None
    # The mean shown rating of the people who wait here; null if there is none, or for practice.
    rating: int | None

    @property
    def seats_free(self) -> int:
        return self.seats_max - self.seats_taken


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A phrase that a player has just sent, in the viewer's language."""

    phrase: str
    # The text to show (a picture for an emote), and the text for screen readers.
    text: str
    spoken: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SeatLine:
    """The public data of a seat."""

    number: int | None
    handle: str
    # A name in `players.accounts.avatars`.
    avatar: str
    is_bot: bool
    is_me: bool
    position: int | None
    total: int
    # First drops that the total survives; null outside pools, without drops, and in a last deal
    # (RB 7.2).
    drops_left: int | None
    status: str
    cards: int
    misses: int
    extra_ms_left: int
    to_act: bool
    dealer: bool
    place: int | None
    # Deals rummy: the seat's chips. Points tables: its current stack.
    chips: int | None
    stack: Amount | None
    # Between two deals: whether the player is ready for the next one; null for bots.
    is_ready: bool
    # The player's phrase of the last fifteen seconds.
    said: SaidLine | None


@dataclass(frozen=True, slots=True)
class Act:
    """One of the deal's last two moves, as all players saw it."""

    # The number of the move in the deal.
    ply: int
    seat: int | None
    # "stock", "open" and "throw" for cards; else the move's name: "drop", "show", "miss", ...
    kind: str
    # From the stock only the viewer's own card, while it is the drawn one; else null.
    card: str | None


@dataclass(frozen=True, slots=True)
class DealLine:
    """The public data of the current deal."""

    no: int
    commitment: str
    # Empty in games without a wild card.
    wild: str
    wild_rank: str
    stock: int
    open_pile: list[str]
    toss: list[str]
    to_act: int | None
    drawn: bool
    showing: Showing | None
    # Straight rummy: the melds of all seats, and the card taken from the open pile in this turn.
    melds: list[MeldLine]
    taken: str | None
    # The last two moves, the older one first.
    last_acts: list[Act]
    # The moves so far, and the hash that binds them (RB 12.1).
    ply: int
    head: str


@dataclass(frozen=True, slots=True)
class Share:
    """A survivor's share in a split."""

    seat: int
    handle: str
    total: int
    drops_left: int
    amount: Amount


@dataclass(frozen=True, slots=True)
class AskedRow:
    """One seat's question in a window, and its answer: "yes", "no", or "" if none yet."""

    seat: int
    handle: str
    # The total after a rejoin, or the total on which the share is based.
    total: int
    # Null without drops.
    drops_left: int | None
    # The price of a rejoin, or the share in a split.
    amount: Amount
    said: str


@dataclass(frozen=True, slots=True)
class MyAnswer:
    """The viewer's own part in a window."""

    amount: Amount
    can_answer: bool
    said: str


@dataclass(frozen=True, slots=True)
class WindowLine:
    """A question between two deals: a rejoin or a split, with fixed figures."""

    id: UUID
    # "rejoin" or "split".
    kind: str
    deadline: datetime | None
    # The seat that proposed a split.
    proposed_by: str | None
    mine: MyAnswer | None
    rows: list[AskedRow]
    # The current prize, and the prize if everyone who may still rejoin does.
    prize: Amount
    prize_after: Amount
    # The calculation, one sentence each.
    sentences: list[str]


@dataclass(frozen=True, slots=True)
class SplitPreview:
    """The shares of a split if it were proposed now."""

    # The deal that was played last: the proposal names it.
    after_deal: int
    shares: list[Share]
    sentences: list[str]


@dataclass(frozen=True, slots=True)
class WrongShow:
    """The faults of the viewer's own show (RB 3.3), and its penalty."""

    codes: list[str]
    # The same as one sentence.
    text: str
    points: int


@dataclass(frozen=True, slots=True)
class Mine:
    """Data that only the seat's own player sees."""

    seat: int | None
    position: int | None
    hand: list[str]
    drawn: str | None
    groups: list[str]
    legal: list[str]
    # The penalty of a drop now; null if the seat may not drop.
    drop_points: int | None
    # The clock's moves for the seat since its player's own last one, and how many more misses in a
    # row count as a drop; both null while the player is present (RB 5.8).
    clock_played: list[str] | None
    misses_left: int | None
    # Points tables only (RB 8.1).
    sits_out: bool
    # The stack is too small for another deal; it must be topped up.
    is_short: bool
    # How many deals the seat has missed; after three it is freed.
    deals_missed: int
    # The number to send with the next top-up, which makes it idempotent.
    next_payment: int | None
    # The code of a private table's link, for sharing.
    invite_code: str | None
    wrong_show: WrongShow | None = None
    # Whether the hand would cost half if another player showed now (RB 4.7).
    pays_half: bool = False
    # Whether the pause may end early and this seat is not yet ready.
    may_be_ready: bool = False
    # Whether this seat may propose a split in this pause, and the shares (RB 7.4).
    may_propose_split: bool = False
    split: SplitPreview | None = None


@dataclass(frozen=True, slots=True)
class ScoreRow:
    seat: int
    handle: str
    points: int
    how: str
    total: int
    arrangement: str
    # Deals rummy: the chips after this deal. Points tables: the amount won or lost.
    chips: int | None
    won: Amount | None


@dataclass(frozen=True, slots=True)
class LastDeal:
    """The scores of the last settled deal, with all hands arranged (RB 4.1)."""

    no: int
    ending: str
    rows: list[ScoreRow]


@dataclass(frozen=True, slots=True)
class DealPoints:
    no: int
    # By seat number; JSON has text keys only.
    points: dict[str, int]
    # The totals at which seats rejoined after this deal, by seat number (RB 7.3).
    rejoined: dict[str, int]


@dataclass(frozen=True, slots=True)
class ResultRow:
    seat: int
    handle: str
    place: int
    total: int
    prize: Amount
    # Deals rummy: the chips that decided the place.
    chips: int | None


@dataclass(frozen=True, slots=True)
class Fairness:
    """Client seeds for the next deal, and the seed of the last one (RB 12.1)."""

    # The deal that is committed to but not dealt.
    deal_no: int | None
    # Handles of the players who gave client seeds; the texts are published after the deal.
    given_by: list[str]
    my_client_seed: str | None
    # The hash of a text that the viewer has committed to; `must_reveal` when it is to be given.
    my_commitment: str | None
    must_reveal: bool
    can_add: bool
    # How often the deal was drawn again, because a seat withheld its text.
    draw: int
    # Binds the next deal's commitment, and all deals of the table before it with their moves.
    chain: str | None
    # The last settled deal and its seed, for seated players only: it reveals all hands.
    last_deal_no: int | None
    last_server_seed: str | None


@dataclass(frozen=True, slots=True)
class Rematch:
    """A private table with the same terms, for the players of a finished game."""

    # Null until a player has asked for it.
    table: UUID | None
    # Handles of the players seated there.
    joined: list[str]


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A player's game that is not over, and whether it awaits the player."""

    id: UUID
    name: str
    variant: str
    phase: str
    your_turn: bool
    deadline: datetime | None
    server_now: datetime

    @property
    def seconds_left(self) -> int:
        """The whole seconds until the deadline; 0 if there is none."""
        if self.deadline is None:
            return 0
        return max(0, ceil((self.deadline - self.server_now).total_seconds()))


@dataclass(frozen=True, slots=True)
class OpenHands:
    """Whether spectators see the hands of the next deal once it has ended; who agrees to it."""

    shown: bool
    needs_consent: bool
    agreed: int
    players: int
    mine: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """One table as one viewer may see it."""

    id: UUID
    name: str
    profile: str
    variant: str
    version: int
    phase: str
    currency: str
    entry: Amount
    # Net of rake: of a tournament at its tables; of a full table before the start.
    prize: Amount
    # Whether fewer players may start, who would play for less.
    prize_is_most: bool
    rake_bps: int
    # A name in `tables.games.GAMES`: "pool", "points" or "deals".
    game: str
    # The total at which players are out; null outside pools.
    limit: int | None
    # The number of deals; null outside deals rummy.
    deals: int | None
    # Straight rummy: the total that ends the game, or the number of deals.
    target: int | None
    rounds: int | None
    # Points tables: the price of a point, and the limits of a stack (RB 8.1); else null.
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None
    drops_allowed: bool
    first_drop: int
    middle_drop: int
    cap: int
    # Null in games that end without showing groups.
    group_rules: GroupRules | None
    # Null in games without melds on the table.
    meld_rules: MeldRules | None
    server_now: datetime
    deadline: datetime | None
    extra_deadline: datetime | None
    window_id: UUID | None
    seats_max: int
    seats: list[SeatLine]
    deal: DealLine | None
    window: WindowLine | None
    next_commitment: str | None
    fairness: Fairness
    open_hands: OpenHands
    me: Mine | None
    last_deal: LastDeal | None
    scores: list[DealPoints]
    results: list[ResultRow] | None
    # For players still seated at a finished game of several people; else null.
    rematch: Rematch | None
