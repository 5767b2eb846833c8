"""What leaves the server about a table: frozen values in the order the API answers them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import ceil
from uuid import UUID

from tables.games.cards import GroupRules, MeldLine, MeldRules, Showing
from wallet.ledger.amounts import Amount


@dataclass(frozen=True, slots=True)
class LobbyRow:
    """A table as the lobby offers it."""

    id: UUID
    name: str
    profile: str
    variant: str
    phase: str
    seats_taken: int
    seats_max: int
    entry: Amount
    prize: Amount
    rake_bps: int
    is_practice: bool
    # How well the bots play: "random", "greedy" or "strong"; null where none sit down.
    bot_strength: str | None
    mine: bool
    # A name in `tables.games.GAMES`: "pool", "points" or "deals".
    game: str
    # Of points tables, null elsewhere: the price of a point, and what one may sit in with (RB 8.1).
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None

    @property
    def starts_with_next(self) -> bool:
        """Whether the next player takes the last seat of a game, which starts at once."""
        return self.stack_min is None and self.seats_max - self.seats_taken == 1


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A phrase that a player has just said, in the viewer's language."""

    phrase: str
    # What is shown, a picture for an emote; and what screen readers say.
    text: str
    spoken: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What everybody sees of a seat."""

    number: int | None
    handle: str
    is_bot: bool
    is_me: bool
    position: int | None
    total: int
    # First drops that the total survives; null outside pools and where nobody can drop (RB 7.2).
    drops_left: int | None
    status: str
    cards: int
    misses: int
    extra_ms_left: int
    to_act: bool
    dealer: bool
    place: int | None
    # Deals rummy: its chips. Points tables: what it has on the table now.
    chips: int | None
    stack: Amount | None
    # Between two deals: whether it waits no longer for the next one; bots never do.
    is_ready: bool
    # What its player said in the last fifteen seconds.
    said: SaidLine | None


@dataclass(frozen=True, slots=True)
class Act:
    """One of the last two things done in the deal, as everybody saw it."""

    # The number of the move in the deal.
    ply: int
    seat: int | None
    # "stock", "open" and "throw" for cards; else the move's word: "drop", "show", "miss", ...
    kind: str
    # From the stock only its player's own card, and while it is the drawn one; else null.
    card: str | None


@dataclass(frozen=True, slots=True)
class DealLine:
    """What everybody sees of the deal on the table."""

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
    # The last two acts, the older one first.
    last_acts: list[Act]


@dataclass(frozen=True, slots=True)
class Share:
    """What a split pays one survivor."""

    seat: int
    handle: str
    total: int
    drops_left: int
    amount: Amount


@dataclass(frozen=True, slots=True)
class AskedRow:
    """What one seat is asked in a window, and what it has said: "yes", "no", or "" so far."""

    seat: int
    handle: str
    # The total it would go on with after a rejoin, or the one its share counts from.
    total: int
    # Null where nobody can drop.
    drops_left: int | None
    # What a rejoin costs, or what the split pays.
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
    """A question put between two deals: a rejoin or a split, with its figures frozen."""

    id: UUID
    # "rejoin" or "split".
    kind: str
    deadline: datetime | None
    # The seat that proposed a split.
    proposed_by: str | None
    mine: MyAnswer | None
    rows: list[AskedRow]
    # What the table plays for now, and with a rejoin of everybody who may still say yes.
    prize: Amount
    prize_after: Amount
    # The arithmetic, sentence by sentence.
    words: list[str]


@dataclass(frozen=True, slots=True)
class SplitPreview:
    """What a split would pay if it were proposed now."""

    shares: list[Share]
    words: list[str]


@dataclass(frozen=True, slots=True)
class WrongShow:
    """Why the own show did not stand (RB 3.3), and what it costs."""

    codes: list[str]
    # The same as a sentence.
    text: str
    points: int


@dataclass(frozen=True, slots=True)
class Mine:
    """What only the seat's own player sees."""

    seat: int | None
    position: int | None
    hand: list[str]
    drawn: str | None
    groups: list[str]
    legal: list[str]
    # What a drop at this moment costs; null when it is not the seat's to drop.
    drop_points: int | None
    # What the clock has played for the seat since its player acted last, and how many more misses
    # in a row are a drop; both null as long as the player is there (RB 5.8).
    clock_played: list[str] | None
    misses_left: int | None
    # Points tables only (RB 8.1).
    sits_out: bool
    # The stack does not bear another deal; it has to be topped up.
    is_short: bool
    # How many deals the seat has missed; after three it is given up.
    deals_missed: int
    # The number to send with the next top-up, so that a repetition counts once.
    next_payment: int | None
    # The code of a private table's link, to give away.
    invite_code: str | None
    wrong_show: WrongShow | None = None
    # Whether the hand would cost half if another showed now (RB 4.7).
    pays_half: bool = False
    # Whether the gap may end early, and this seat has not asked for it.
    may_be_ready: bool = False
    # Whether this seat may ask for a split in this gap, and what everybody would get (RB 7.4).
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
    # Deals rummy: the chips after this deal. Points tables: what it brought or cost.
    chips: int | None
    won: Amount | None


@dataclass(frozen=True, slots=True)
class LastDeal:
    """How the last settled deal was scored, hands laid out (RB 4.1)."""

    no: int
    ending: str
    rows: list[ScoreRow]


@dataclass(frozen=True, slots=True)
class DealPoints:
    no: int
    # By seat number; JSON has text keys only.
    points: dict[str, int]
    # The totals at which seats bought in again after this deal, by seat number (RB 7.3).
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
    """What players add to the coming deal, and what the last one was dealt from (RB 12.1)."""

    # The deal that is committed to and not dealt.
    deal_no: int | None
    # Handles of the players who have given client seeds; the texts are shown when the deal is over.
    given_by: list[str]
    my_client_seed: str | None
    can_add: bool
    # The last settled deal and its seed, for players who have a seat: it reveals all hands of it.
    last_deal_no: int | None
    last_server_seed: str | None


@dataclass(frozen=True, slots=True)
class Rematch:
    """The same game again for the players of a finished one, at a private table."""

    # Null as long as nobody has asked for it.
    table: UUID | None
    # Handles of those who sit there.
    joined: list[str]


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game its player has not finished, and whether it waits for them."""

    id: UUID
    name: str
    variant: str
    phase: str
    your_turn: bool
    deadline: datetime | None
    server_now: datetime

    @property
    def seconds_left(self) -> int:
        """The whole seconds until the deadline; 0 where there is none."""
        if self.deadline is None:
            return 0
        return max(0, ceil((self.deadline - self.server_now).total_seconds()))


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
    prize: Amount
    rake_bps: int
    # A name in `tables.games.GAMES`: "pool", "points" or "deals".
    game: str
    # Out at this total; null outside pools.
    limit: int | None
    # How many deals are played; null outside deals rummy.
    deals: int | None
    # Straight rummy: the total that ends the game, or how many deals are played.
    target: int | None
    rounds: int | None
    # Of points tables, null elsewhere: the price of a point, and the bounds of a stack (RB 8.1).
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None
    drops_allowed: bool
    first_drop: int
    middle_drop: int
    cap: int
    # Null in games without groups to show.
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
    me: Mine | None
    last_deal: LastDeal | None
    scores: list[DealPoints]
    results: list[ResultRow] | None
    # Of a finished game of several people, for those who still sit there; else null.
    rematch: Rematch | None
