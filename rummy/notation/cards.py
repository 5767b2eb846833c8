"""Cards and their text (RB 1.1): rank then suit, `7H`, `TD`, and `PJ` for a printed joker."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from rummy.errors import NotationError

RANK_LETTERS: Final = "A23456789TJQK"
SUIT_LETTERS: Final = "CDHS"
SUIT_SIGNS: Final = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
CARDS_INCARDS: Final = 52
JOKER_INDEX: Final = 52


class Rank(IntEnum):
    """A rank, ace lowest; an ace can be high in a sequence (RB 2.1)."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    def __str__(self) -> str:
        return RANK_LETTERS[self - 1]

    @property
    def points(self) -> int:
        """The points of a card of this rank in the thirteen-card family (RB 1.3).

        >>> Rank.ACE.points, Rank.SEVEN.points, Rank.KING.points
        (10, 7, 10)
        """
        return 10 if self is Rank.ACE else min(int(self), 10)


class Suit(IntEnum):
    """A suit; the order breaks ties in the toss (RB 5.1)."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3

    def __str__(self) -> str:
        return SUIT_LETTERS[self]


class Card:
    """A card; copies of different decks are equal.

    `index` is suit * 13 + rank - 1, and 52 for a printed joker: the order of an unshuffled deck
    (RB 12.1).

    >>> parse_card("10d")
    Card('TD')
    >>> str(parse_card("pj"))
    'PJ'
    """

    __slots__ = ("index", "rank", "suit", "text")

    index: int
    rank: Rank | None
    suit: Suit | None
    text: str

    def __new__(cls, index: int) -> Card:
        """Return the only instance of this index, so that comparisons are fast."""
        if index not in range(JOKER_INDEX + 1):
            raise NotationError("bad_card", f"{index!r} is not the number of a card")
        return CARDS[index]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a card does not change")

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return Card, (self.index,)

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self

    def __lt__(self, other: Card) -> bool:
        return self.index < other.index

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Card({self.text!r})"

    @property
    def is_printed_joker(self) -> bool:
        """Whether this is a printed joker, not a card of the wild rank."""
        return self.index == JOKER_INDEX

    def is_joker(self, wild: Rank) -> bool:
        """Return whether this card is a joker if `wild` is the wild rank (RB 1.4).

        >>> [card.is_joker(Rank.SEVEN) for card in parse_cards("7H 8H PJ")]
        [True, False, True]
        """
        return self.index == JOKER_INDEX or self.rank is wild

    def points(self, wild: Rank) -> int:
        """Return the points of this card left over in a hand (RB 1.3).

        >>> [card.points(Rank.SEVEN) for card in parse_cards("AH 7H 9C KD PJ")]
        [10, 0, 9, 10, 0]
        """
        return 0 if self.rank is None or self.rank is wild else self.rank.points


def _make(index: int) -> Card:
    card = object.__new__(Card)
    joker = index == JOKER_INDEX
    rank = None if joker else Rank(index % 13 + 1)
    suit = None if joker else Suit(index // 13)
    for name, value in (
        ("index", index),
        ("rank", rank),
        ("suit", suit),
        ("text", "PJ" if joker else f"{rank}{suit}"),
    ):
        object.__setattr__(card, name, value)
    return card


CARDS: Final = tuple(_make(index) for index in range(JOKER_INDEX + 1))
"""All cards by index: the 52 of a pack, then the printed joker."""
_BY_TEXT: Final = {str(card): card for card in CARDS}
PRINTED_JOKER: Final = CARDS[JOKER_INDEX]


def card_of(rank: Rank, suit: Suit) -> Card:
    """Return the card of a rank and a suit.

    >>> card_of(Rank.SEVEN, Suit.HEARTS)
    Card('7H')
    """
    return CARDS[suit * 13 + rank - 1]


def pack() -> tuple[Card, ...]:
    """Return the 52 cards of one pack in index order, without jokers.

    >>> format_cards(pack()[:3]), len(pack())
    ('AC 2C 3C', 52)
    """
    return CARDS[:CARDS_INCARDS]


def parse_rank(text: str) -> Rank:
    """Parse a rank letter or `10`.

    >>> parse_rank("q")
    <Rank.QUEEN: 12>
    """
    letter = "T" if text.strip() == "10" else text.strip().upper()
    if len(letter) != 1 or letter not in RANK_LETTERS:
        raise NotationError("bad_rank", f"{text!r} is not a rank; ranks are {RANK_LETTERS}")
    return Rank(RANK_LETTERS.index(letter) + 1)


def parse_card(text: str) -> Card:
    """Parse a card such as `7H`; lower case, `10D` and suit signs are accepted (RB 1.1).

    >>> parse_card("10♦"), parse_card("ks"), parse_card("PJ")
    (Card('TD'), Card('KS'), Card('PJ'))
    >>> parse_card("1H")
    Traceback (most recent call last):
    ...
    rummy.errors.NotationError: '1H' is not a card; a card reads 7H, TD or PJ
    """
    word = text.strip().replace("\ufe0f", "")  # Suit signs may be followed by an emoji selector.
    card = _BY_TEXT.get(word)
    if card is not None:
        return card
    if word and word[-1] in SUIT_SIGNS:
        word = word[:-1] + SUIT_SIGNS[word[-1]]
    # Upper-casing non-ASCII text may change its letters.
    word = word.upper() if word.isascii() else word
    if word.startswith("10"):
        word = "T" + word[2:]
    card = _BY_TEXT.get(word)
    if card is None:
        raise NotationError("bad_card", f"{text!r} is not a card; a card reads 7H, TD or PJ")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards separated by spaces or commas.

    >>> format_cards(parse_cards("5h, 6h 10♠"))
    '5H 6H TS'
    """
    return tuple(parse_card(word) for word in text.replace(",", " ").split())


def format_cards(cards: Iterable[Card]) -> str:
    """Return cards in canonical form, separated by single spaces.

    >>> format_cards(parse_cards("pj 10d"))
    'PJ TD'
    """
    return " ".join(map(str, cards))


def wild_rank(wild: Rank | Card | str) -> Rank:
    """Return the wild rank of a turned-up card; a printed joker makes aces wild (RB 1.4).

    `wild` may be a text with a rank or a card.

    >>> wild_rank(parse_card("PJ")), wild_rank("9"), wild_rank("TD")
    (<Rank.ACE: 1>, <Rank.NINE: 9>, <Rank.TEN: 10>)
    """
    if isinstance(wild, str):
        is_card = len(wild.strip()) > 1 and wild.strip() != "10"
        wild = parse_card(wild) if is_card else parse_rank(wild)
    if isinstance(wild, Rank):
        return wild
    if not isinstance(wild, Card):
        raise NotationError("bad_rank", f"{wild!r} is no Rank, Card or text of one")
    return Rank.ACE if wild.rank is None else wild.rank


def by_cost(card: Card) -> tuple[int, int]:
    """Return the sort key of RB 5.8: ranks A, K, Q ... 2, then clubs, diamonds, hearts, spades.

    >>> format_cards(sorted(parse_cards("2S KD AC KC PJ"), key=by_cost))
    'AC KC KD 2S PJ'
    """
    if card.rank is None or card.suit is None:
        return 14, 0
    return (0 if card.rank is Rank.ACE else 14 - card.rank), int(card.suit)
