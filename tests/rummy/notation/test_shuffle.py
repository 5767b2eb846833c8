"""RB 12.1: the stream, the toss, the commitment."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from pathlib import Path

import pytest

from rummy import (
    PROFILES,
    History,
    RummyError,
    Stream,
    chained,
    commitment,
    format_cards,
    parse_cards,
    parse_move,
    toss,
    toss_order,
)
from rummy.notation.cards import pack
from rummy.thirteen import start

SEED = bytes(range(32))


def by_the_book(seed: bytes, clients: list[str], words: int) -> list[int]:
    """The words of the stream, written again from its description."""
    out: list[int] = []
    block = 0
    while len(out) < words:
        message = b"rummy stream 1\n" + block.to_bytes(8, "big")
        for client in clients:
            data = client.encode("utf-8")
            message += len(data).to_bytes(4, "big") + data
        digest = hmac.new(seed, message, hashlib.sha256).digest()
        out += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
        block += 1
    return out[:words]


@pytest.mark.parametrize("clients", [[], ["a"], ["é", "", "lucky 7"]])
def test_the_stream_is_the_published_one(clients: list[str]) -> None:
    numbers, after = Stream(SEED, clients).numbers([2**32] * 20)

    assert numbers == by_the_book(SEED, clients, 20)
    assert after.word == 20


def test_words_above_the_last_multiple_are_thrown_away() -> None:
    bound = 2**31 + 1
    words = by_the_book(SEED, [], 40)
    kept = [word for word in words if word < bound]

    numbers, _ = Stream(SEED).numbers([bound] * 5)

    assert numbers == kept[:5]
    assert kept[:5] != words[:5]


def test_the_shuffle_is_fisher_yates_from_the_end() -> None:
    words = iter(by_the_book(SEED, [], 60))
    order = list(pack())
    for place in range(51, 0, -1):
        other = next(words) % (place + 1)
        order[place], order[other] = order[other], order[place]

    assert Stream(SEED).shuffled(pack())[0] == tuple(order)


def test_client_seeds_split_differently_give_different_numbers() -> None:
    assert Stream(SEED, ["ab", "c"]).below(2**32)[0] != Stream(SEED, ["a", "bc"]).below(2**32)[0]


def test_every_place_is_as_likely() -> None:
    seen: Counter[tuple[str, int]] = Counter()
    stream = Stream(SEED)
    rounds = 6_000
    for _ in range(rounds):
        order, stream = stream.shuffled("abcd")
        seen.update((letter, place) for place, letter in enumerate(order))

    expected = rounds / 4
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    assert len(seen) == 16
    assert chi_square < 21.67  # Nine degrees of freedom, one per cent; the seed is fixed.


def test_the_toss_turns_different_cards_and_orders_them() -> None:
    cards, after = toss(Stream(SEED), 6)

    assert len(set(cards)) == 6
    assert after.word >= 51
    assert toss_order(parse_cards("KH AC KS 2S TD KD")) == (1, 2, 0, 5, 4, 3)


def test_the_commitment_is_the_plain_hash_and_the_chain_follows_it() -> None:
    shown = commitment(SEED)

    assert shown == hashlib.sha256(SEED).hexdigest()
    assert chained(shown) == hashlib.sha256(shown.encode()).hexdigest()
    assert chained(shown, "ff" * 32) == hashlib.sha256(b"ff" * 32 + shown.encode()).hexdigest()


def test_a_short_seed_or_an_empty_range_is_refused() -> None:
    for refused in (
        lambda: Stream(b"short"),
        lambda: commitment(b""),
        lambda: Stream(SEED).below(0),
        lambda: Stream(SEED).below(2**32 + 1),
        lambda: toss_order(parse_cards("PJ 2C")),
        lambda: toss(Stream(SEED), 0),
        lambda: toss(Stream(SEED), 53),
        lambda: Stream(SEED, ["half a \ud800 pair"]),
        lambda: chained("é" * 64),
        lambda: chained(commitment(SEED), "none"),
    ):
        with pytest.raises(RummyError):
            refused()


PAGE = Path(__file__).parents[3] / "docs" / "fair-deals.md"
SEED = bytes(range(32))
TEXTS = ("marigold", "♠")


def message(block: int) -> bytes:
    """As the page says it, and not by the code that is tested."""
    seeds = [text.encode() for text in TEXTS]
    parts = [len(seed).to_bytes(4, "big") + seed for seed in seeds]
    return b"rummy stream 1\n" + block.to_bytes(8, "big") + b"".join(parts)


def computed() -> dict[str, str]:
    stream = Stream(SEED, TEXTS)
    cards, after = toss(stream, 3)
    deal = start(PROFILES["total-rummy-pool-101"], players=3, stream=after)
    drops = tuple(map(parse_move, ("p1 drop", "p2 drop")))
    history = History(PROFILES["total-rummy-pool-101"], 3, SEED, TEXTS, True, "", drops)
    numbers = ", ".join(map(str, stream.numbers([52, 51, 50])[0]))
    return {
        "server seed": SEED.hex(),
        "client seeds": ", ".join(TEXTS),
        "rules sha256": history.rules_sha256,
        "commitment": history.commitment,
        "chain": history.chain,
        "message 0": message(0).hex(),
        "block 0": hmac.digest(SEED, message(0), "sha256").hex(),
        "below": f"52, 51, 50 -> {numbers}",
        "toss": format_cards(cards),
        "p1": format_cards(deal.seats[0].hand),
        "up": format_cards(deal.pile),
        "wild": str(deal.wild),
        "first head": history.heads[0],
        "p1 drop": history.heads[1],
        "p2 drop": history.heads[2],
        "last head": history.last_head,
    }


@pytest.mark.parametrize("name", computed())
def test_the_page_prints_what_is_computed(name: str) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()

    (printed,) = (line for line in lines if line.startswith(f"{name:<14}"))

    assert printed[14:] == computed()[name]
