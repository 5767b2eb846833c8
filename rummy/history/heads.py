"""The running hash that binds a deal's moves (RB 12.1), byte for byte as in `docs/fair-deals.md`.

Head 0 binds the deal as dealt, head n also its first n moves, the last head also the result: each
is an HMAC-SHA256 with the server seed as key, in hex. Until the seed is published a head reveals
nothing, because nobody without the seed can test a guess; afterwards anybody recomputes it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from typing import Final

from rummy.notation.house_rules import HouseRules
from rummy.notation.moves import Move
from rummy.notation.shuffle import framed

LABEL: Final = b"rummy moves 1\n"
WORDS_BOUND: Final = 3
"""The words of a line of the result that are bound: position, points and how."""


def rules_sha256(rules: HouseRules) -> str:
    """Return the SHA-256 of the rules' canonical text in hex.

    >>> from rummy import Rules
    >>> len(rules_sha256(Rules(name="kitchen")))
    64
    """
    return hashlib.sha256(rules.to_text().encode()).hexdigest()


def first_head(
    server_seed: bytes,
    *,
    chain: str,
    players: int,
    toss: str = "",
    client_seeds: Sequence[str] = (),
) -> str:
    """Return the head of a deal before its first move.

    The chain value contains the commitment, and so the seed and the rules; `toss` is the text of
    the tossed cards, empty without a toss.

    >>> len(first_head(bytes(32), chain="ab" * 32, players=2))
    64
    """
    facts = f"{chain}\n{players}\n{toss or 'none'}\n".encode()
    return hmac.digest(server_seed, LABEL + facts + framed(client_seeds), "sha256").hex()


def next_head(server_seed: bytes, head: str, move: Move) -> str:
    """Return the head after one more move.

    >>> from rummy import parse_move
    >>> next_head(bytes(32), "00" * 32, parse_move("p1 ds"))[:8]
    'e847ead1'
    """
    return hmac.digest(server_seed, LABEL + f"{head}\n{move}".encode(), "sha256").hex()


def last_head(server_seed: bytes, head: str, result: Iterable[str]) -> str:
    """Return the head that also binds the result: its lines, without the laid out cards.

    >>> last_head(bytes(32), "00" * 32, ["ending: show", "p1: 0 won 5H 6H 7H"])[:8]
    'ffe47764'
    """
    facts = "\n".join(" ".join(line.split()[:WORDS_BOUND]) for line in result)
    return hmac.digest(server_seed, LABEL + f"{head}\n{facts}".encode(), "sha256").hex()
