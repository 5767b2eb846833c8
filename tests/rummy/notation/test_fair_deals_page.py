"""The worked example in docs/fair-deals.md equals the result of the code (RB 12.1)."""

import hmac
from pathlib import Path

import pytest

from rummy import PROFILES, Stream, chained, commitment, format_cards, toss
from rummy.thirteen import start

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
    numbers = ", ".join(map(str, stream.numbers([52, 51, 50])[0]))
    return {
        "server seed": SEED.hex(),
        "client seeds": ", ".join(TEXTS),
        "commitment": commitment(SEED),
        "chain": chained(commitment(SEED)),
        "message 0": message(0).hex(),
        "block 0": hmac.digest(SEED, message(0), "sha256").hex(),
        "below": f"52, 51, 50 -> {numbers}",
        "toss": format_cards(cards),
        "p1": format_cards(deal.seats[0].hand),
        "up": format_cards(deal.pile),
        "wild": str(deal.wild),
    }


@pytest.mark.parametrize("name", computed())
def test_the_page_prints_what_is_computed(name: str) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()

    (printed,) = (line for line in lines if line.startswith(f"{name:<14}"))

    assert printed[14:] == computed()[name]
