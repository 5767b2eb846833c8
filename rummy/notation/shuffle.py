"""The fair shuffle (RB 12.1): a stream of random numbers that anybody can recompute.

The stream is a chain of 32-byte blocks. Block `i`, counted from 0, is

    HMAC-SHA256(key = server seed, message = b"rummy stream 1\\n" + i as 8 bytes, big-endian
                + for every client seed, in the order of sitting down: its length in UTF-8 bytes as
                  4 bytes, big-endian, then those bytes)

and is read as eight words of 4 bytes, big-endian. `below(n)` takes the next word; words at or
above the largest multiple of n that fits into 2**32 are skipped, so all numbers are equally likely.
Shuffling a list of k cards swaps, for i = k - 1 down to 1, places i and below(i + 1).

The order in which a deal draws from its stream: the toss (deal 1 of a table, or new seats), the
shuffle of the whole deck, then each reshuffle of the open pile.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from rummy.errors import RummyError
from rummy.notation.cards import Card, pack

SEED_BYTES: Final = 32
WORDS_IN_BLOCK: Final = 8
WORDS: Final = struct.Struct(f">{WORDS_IN_BLOCK}I")
WORD_SPAN: Final = 2**32
HASH: Final = re.compile(r"[0-9a-f]{64}")
LABEL: Final = b"rummy stream 1\n"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stream:
    """A position in a deal's stream of numbers; taking a number returns the next position.

    `repr` leaves out the seed, because it may be logged.

    >>> stream = Stream(bytes(32))
    >>> number, after = stream.below(10)
    >>> stream.below(10) == (number, after)
    True
    >>> stream
    Stream(word=0)
    """

    server_seed: bytes = field(repr=False)
    client_seeds: Sequence[str] = field(default=(), repr=False)
    word: int = 0

    def __post_init__(self) -> None:
        if len(self.server_seed) != SEED_BYTES:
            raise RummyError("bad_seed", f"a server seed has {SEED_BYTES} bytes")
        object.__setattr__(self, "client_seeds", tuple(self.client_seeds))
        try:
            framed(self.client_seeds)
        except UnicodeEncodeError:
            sentence = "a client seed is a text that UTF-8 can write"
            raise RummyError("bad_seed", sentence) from None

    def _words(self, block: int) -> tuple[int, ...]:
        message = LABEL + block.to_bytes(8, "big") + framed(self.client_seeds)
        return WORDS.unpack(hmac.digest(self.server_seed, message, "sha256"))

    def numbers(self, bounds: Sequence[int]) -> tuple[list[int], Stream]:
        """Return one number below each bound, and the next stream.

        >>> Stream(bytes(32)).numbers([6, 6, 6])[0] == [
        ...     (six := Stream(bytes(32)).below(6))[0],
        ...     (next_six := six[1].below(6))[0],
        ...     next_six[1].below(6)[0],
        ... ]
        True
        """
        word, block = self.word, -1
        words: tuple[int, ...] = ()
        taken: list[int] = []
        for bound in bounds:
            if not 0 < bound <= WORD_SPAN:
                raise RummyError("bad_bound", f"no number lies below {bound}")
            fair = WORD_SPAN - WORD_SPAN % bound
            while True:
                if word // WORDS_IN_BLOCK != block:
                    block = word // WORDS_IN_BLOCK
                    words = self._words(block)
                drawn = words[word % WORDS_IN_BLOCK]
                word += 1
                if drawn < fair:
                    break
            taken.append(drawn % bound)
        return taken, Stream(self.server_seed, self.client_seeds, word)

    def below(self, n: int) -> tuple[int, Stream]:
        """Return a uniformly distributed number in 0 .. n - 1, and the next stream.

        >>> 0 <= Stream(bytes(32)).below(6)[0] < 6
        True
        """
        numbers, after = self.numbers((n,))
        return numbers[0], after

    def shuffled(self, items: Sequence[T]) -> tuple[tuple[T, ...], Stream]:
        """Return the items in shuffled order (Fisher-Yates), and the next stream.

        >>> sorted(Stream(bytes(32)).shuffled("abc")[0])
        ['a', 'b', 'c']
        """
        order = list(items)
        places = range(len(order) - 1, 0, -1)
        numbers, after = self.numbers([place + 1 for place in places])
        for place, other in zip(places, numbers, strict=True):
            order[place], order[other] = order[other], order[place]
        return tuple(order), after


def framed(client_seeds: Iterable[str]) -> bytes:
    """Return each text's length in UTF-8 bytes, as 4 bytes, and those bytes.

    >>> framed(["ab"])
    b'\\x00\\x00\\x00\\x02ab'
    """
    texts = [seed.encode() for seed in client_seeds]
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)


def toss(stream: Stream, players: int) -> tuple[tuple[Card, ...], Stream]:
    """Return one card for each player from a shuffled pack of 52 (RB 5.1), and the next stream.

    The whole pack is shuffled, so that the toss is verified like any other shuffle.

    >>> cards, _ = toss(Stream(bytes(32)), 3)
    >>> len(set(cards))
    3
    """
    if not 0 < players <= len(pack()):
        raise RummyError("bad_toss", f"a pack has no {players} cards to toss")
    shuffled, after = stream.shuffled(pack())
    return shuffled[:players], after


def toss_order(cards: Sequence[Card]) -> tuple[int, ...]:
    """Return the indices of the tossed cards, highest card first, ace high (RB 5.1).

    >>> from rummy.notation.cards import parse_cards
    >>> toss_order(parse_cards("KH AC KS"))
    (1, 2, 0)
    """

    def height(place: int) -> tuple[int, int]:
        card = cards[place]
        if card.rank is None or card.suit is None:
            raise RummyError("bad_toss", "a printed joker takes no part in the toss")
        return (14 if card.rank == 1 else int(card.rank)), int(card.suit)

    return tuple(sorted(range(len(cards)), key=height, reverse=True))


def turn_order(seats: Iterable[int], *, led: int) -> tuple[int, ...]:
    """Return the seat numbers of a deal in turn order; seat `led` led the deal before (RB 5.1).

    The next higher number leads, even if seat `led` is out of the game. `led` is 0 before the first
    deal, which seat 1 leads.

    >>> turn_order([1, 2, 4], led=2), turn_order([1, 2, 3, 4], led=2)
    ((4, 1, 2), (3, 4, 1, 2))
    """
    return tuple(sorted(seats, key=lambda seat: (seat <= led, seat)))


def commitment(server_seed: bytes, rules_sha256: str = "") -> str:
    """Return the SHA-256 of the seed and of the rules' hash in hex, published before the toss.

    Without rules it commits to the seed alone, as in draws and in older files (RB 12.1).

    >>> commitment(bytes(32))[:16], commitment(bytes(32), "00" * 32)[:16]
    ('66687aadf862bd77', 'f5a5fd42d16a2030')
    """
    if len(server_seed) != SEED_BYTES:
        raise RummyError("bad_seed", f"a server seed has {SEED_BYTES} bytes")
    return hashlib.sha256(server_seed + bytes.fromhex(rules_sha256)).hexdigest()


def chained(this: str, previous: str = "", head: str = "", redrawn: Sequence[str] = ()) -> str:
    """Return the table's chain value, the SHA-256 of hex texts.

    They are the previous deal's chain value, its last head (`rummy.history.heads`), which binds
    its moves, commitments to this deal that were given up, and this one. The first deal of a table
    has no previous one. Published with the commitment, it prevents replacing, removing or
    inserting deals or moves later without changing all following values.

    >>> chained(commitment(bytes(32)))[:16]
    '4bafe5ea6278f2ca'
    """
    if not all(HASH.fullmatch(each or this) for each in (this, previous, head, *redrawn)):
        raise RummyError("bad_hash", "commitments, chain values and heads are 64 hex digits each")
    return hashlib.sha256("".join((previous, head, *redrawn, this)).encode("ascii")).hexdigest()
