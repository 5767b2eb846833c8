"""Whole deals as questions and answers: dealt by practice players, replayed, verified."""

from __future__ import annotations

import secrets
from typing import Final

from rummy import bots
from rummy.command_line.questions import (
    Answer,
    Query,
    list_of,
    number_of,
    refuse_others,
    rules_of,
    text_of,
)
from rummy.errors import HistoryError, NotationError
from rummy.history.files import History, dumps, load, loads
from rummy.notation.moves import Move
from rummy.notation.profiles import PROFILES
from rummy.notation.rules import Rules
from rummy.notation.shuffle import SEED_BYTES, Stream, toss
from rummy.thirteen import apply, legal_moves, outcome, start, status, view
from rummy.thirteen.position import format_position

LONGEST_DEAL: Final = 2_000
LONGEST_CLIENT_SEED: Final = 1_000
"""Much longer ones would make files that no reader takes."""
PLAYERS: Final = 2


def deal(query: Query) -> Answer:
    """Deal from a seed, let practice players finish the deal, and return its history file.

    `profile`, `rules`, `players` (two), `seed` in hex (a fresh one) and `client_seeds` may be left
    out; the same seeds give the same file.

    >>> text = deal({"seed": "00" * 32, "players": 3})["history"]
    >>> text.splitlines()[0], deal({"seed": "00" * 32, "players": 3})["history"] == text
    ('rummy deal 1', True)
    """
    refuse_others(query, {"profile", "rules", "players", "seed", "client_seeds"})
    rules = rules_of(query)
    players = number_of(query, "players") if "players" in query else PLAYERS
    rules.refuse_players(players)
    seed = _seed(text_of(query, "seed")) if "seed" in query else secrets.token_bytes(SEED_BYTES)
    asked = list_of(query, "client_seeds") if "client_seeds" in query else []
    seeds = tuple(text_of({"client_seeds": text}, "client_seeds") for text in asked)
    if len(seeds) > players:
        raise NotationError("bad_seed", f"{players} seats give no {len(seeds)} client seeds")
    if any(len(text) > LONGEST_CLIENT_SEED for text in seeds):
        sentence = f"a client seed has at most {LONGEST_CLIENT_SEED} characters here"
        raise NotationError("bad_seed", sentence)
    _, stream = toss(Stream(seed, seeds), players)
    now = start(rules, players=players, stream=stream)
    moves: list[Move] = []
    while status(now).phase != "ended" and len(moves) < LONGEST_DEAL:
        at = status(now)
        position = at.to_act or min(at.waiting)
        moves.append(bots.choose(view(now, position), legal_moves(now, position)))
        now = apply(now, moves[-1])
    return {"history": dumps(History(rules, players, seed, seeds, True, "", tuple(moves)))}


def replay(query: Query) -> Answer:
    """Return every position of a history file (`file`, or its text as `history`), with its move.

    >>> text = deal({"seed": "00" * 32})["history"]
    >>> positions = replay({"history": text})["positions"]
    >>> positions[0]["move"], positions[0]["position"][:18]
    ('', 'total-rummy-points')
    """
    history = _history(query)
    return {
        "positions": [
            {"move": move, "position": format_position(now)}
            for move, now in zip(("", *map(str, history.moves)), history, strict=True)
        ]
    }


def verify(query: Query) -> Answer:
    """Compute a history file again: commitment, chain, toss, shuffle, every move and score.

    It is `file`, or its text as `history`; a deal that was not finished has nothing to verify. The
    answer's `rules` are those that differ from the named profile's: nothing in a file binds them.

    >>> text = deal({"seed": "00" * 32})["history"]
    >>> verify({"history": text})["verified"]
    True
    >>> verify({"history": text.replace("players: 2", "players: 3")})
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: line 52: 'toss: 6D 7S' should read 'toss: 6D 7S 5H'
    """
    history = _history(query)
    ended = outcome(history.end)
    if ended is None:
        raise HistoryError("unfinished_deal", "the deal breaks off: it has no result to verify")
    return {
        "verified": True,
        "profile": history.rules.name,
        "rules": _changed(history.rules),
        "commitment": history.commitment,
        "chain": history.chain,
        "players": history.players,
        "moves": len(history.moves),
        "ending": ended.ending,
        "winner": ended.winner,
        "points": [result.points for result in ended.results],
    }


def _history(query: Query) -> History:
    refuse_others(query, {"file", "history"})
    if "file" in query and "history" in query:
        raise NotationError("unknown_field", "a question has 'file' or 'history', not both")
    return loads(text_of(query, "history")) if "history" in query else load(text_of(query, "file"))


def _changed(rules: Rules) -> dict[str, str | int | bool | None]:
    """Return the rules by which a house differs from the profile it is called after."""
    named = PROFILES[rules.name].to_dict() if rules.name in PROFILES else {}
    return {name: value for name, value in rules.to_dict().items() if named.get(name, "") != value}


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(text) != 2 * SEED_BYTES or len(seed) != SEED_BYTES:  # Blanks between digits are none.
        raise NotationError("bad_seed", f"a seed is {2 * SEED_BYTES} hex digits")
    return seed
