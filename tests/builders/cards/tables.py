"""A table's deals, each bound to the one before, as history files."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rummy import PROFILES, History, Stream, bots, commitment, family_of, toss
from rummy.history.files import dumps
from rummy.notation.moves import Move

TABLE = "0b1e5c1a-8f4e-4d55-9a51-000000000042"
RULES = PROFILES["total-rummy-pool-101"]


def played_by_bots(number: int, *, before: History | None = None) -> History:
    """A deal of three, seeds given by two; the first of a table has the toss."""
    rng = random.Random(number)
    seed, clients = rng.randbytes(32), (rng.randbytes(32).hex(), f"seed of {number}")
    stream = Stream(seed, clients)
    if before is None:
        _, stream = toss(stream, 3)
    family, moves = family_of(RULES), list[Move]()
    now = family.start(RULES, players=3, stream=stream)
    while (at := family.status(now)).phase != "ended" and len(moves) < 400:
        position = at.awaited
        moves.append(bots.choose(family.view(now, position), family.legal_moves(now, position)))
        now = family.apply(now, moves[-1])
    history = History(RULES, 3, seed, clients, before is None, "", tuple(moves))
    if before is None:
        return history
    redrawn = (commitment(rng.randbytes(32)),) if number % 2 else ()
    return replace(
        history, chain_before=before.chain, head_before=before.last_head, redrawn=redrawn
    )


def table(numbers: Sequence[int] = (10, 11, 12)) -> list[History]:
    """The deals of a table; one with an odd number was drawn again once."""
    deals: list[History] = []
    for number in numbers:
        deals.append(played_by_bots(number, before=deals[-1] if deals else None))
    return deals


def noted(history: History, number: int) -> str:
    """The history file of a table's deal, with the note that names it."""
    first, _, rest = dumps(history).partition("\n")
    return f"{first}\n# table {TABLE}, deal {number}, 2026-11-28 12:00:00 UTC\n{rest}"


def heads_seen(deals: Sequence[History]) -> str:
    """What a browser saw that watched all deals and added a seed to each."""
    return "\n".join(["rummy heads 1", *(line for line in _seen(deals)), ""])


def _seen(deals: Sequence[History]) -> Iterator[str]:
    for number, history in enumerate(deals, start=1):
        *given_up, last = [*history.redrawn, history.commitment]
        for draw, committed in enumerate(given_up):
            yield f"{TABLE} {number} commitment{f'-{draw}' if draw else ''} {committed}"
        suffix = f"-{len(given_up)}" if given_up else ""
        yield f"{TABLE} {number} commitment{suffix} {last}"
        yield f"{TABLE} {number} chain{suffix} {history.chain}"
        yield f"{TABLE} {number} seed{suffix} {history.client_seeds[0]}"
        for ply, head in enumerate(history.heads):
            yield f"{TABLE} {number} {ply} {head}"
