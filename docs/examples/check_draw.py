"""Repeat the draw of a tournament from the published data; needs only Python.

    python docs/examples/check_draw.py http://127.0.0.1:8000/api/v1/tournaments/ID/draw/

docs/fair-deals.md explains how the numbers are made. Compare the SHA-256 it prints with the one the
tournament's page showed before the start.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any


def words(seed: bytes, client_seed: bytes = b"draw") -> Iterator[int]:
    """Yield the random stream of the seed as 32-bit numbers."""
    block = 0
    while True:
        message = b"rummy stream 1\n" + block.to_bytes(8, "big")
        message += len(client_seed).to_bytes(4, "big") + client_seed
        digest = hmac.digest(seed, message, "sha256")
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def shuffled(seed: bytes, ids: list[str]) -> list[str]:
    """Return the sorted ids in the order in which this seed draws them."""
    drawn, stream = sorted(ids), words(seed)
    for last in range(len(drawn) - 1, 0, -1):
        bound = last + 1
        fair = 2**32 - 2**32 % bound
        number = next(word for word in stream if word < fair) % bound
        drawn[last], drawn[number] = drawn[number], drawn[last]
    return drawn


def faults(draw: dict[str, Any]) -> list[str]:
    """Return the faults of a draw in the format of `GET tournaments/ID/draw/`."""
    seed, order = bytes.fromhex(draw["seed"]), [entry["entry"] for entry in draw["order"]]
    found = []
    if hashlib.sha256(seed).hexdigest() != draw["commitment"]:
        found.append("The seed is not the one committed to.")
    if shuffled(seed, order) != order:
        found.append("This seed draws another order.")
    return found


def main() -> int:
    with urllib.request.urlopen(sys.argv[1]) as answer:
        draw = json.load(answer)
    found = faults(draw)
    print("\n".join(found) or f"{len(draw['order'])} entries, drawn as the seed draws them.")
    print(f"SHA-256 of the seed: {draw['commitment']}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
