"""Answers about whole deals: dealing, replaying, verifying, counting."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
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
from rummy.families import ALL_PROFILES, AnyDeal, AnyFamily, AnyRules, family_of
from rummy.history import chains, heads
from rummy.history.chains import HEADS_LINE
from rummy.history.files import History, dumps, load, loads, read_text
from rummy.notation.moves import Move
from rummy.notation.shuffle import SEED_BYTES, Stream, toss

LONGEST_DEAL: Final = 2_000
LONGEST_CLIENT_SEED: Final = 1_000
"""The longest client seed; longer ones would exceed the size limit of history files."""
PLAYERS: Final = 2
MOST_LINES: Final = 100_000


def deal(query: Query) -> Answer:
    """Deal from a seed, let bots play the deal, and return its history file.

    All fields are optional: `profile`, `rules`, `players` (default 2), `seed` in hex (default
    random) and `client_seeds`. The same seeds give the same file.

    >>> text = deal({"seed": "00" * 32, "players": 3})["history"]
    >>> text.splitlines()[0], deal({"seed": "00" * 32, "players": 3})["history"] == text
    ('rummy deal 2', True)
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
    family = family_of(rules)
    now = family.start(rules, players=players, stream=stream)
    moves: list[Move] = []
    while (at := family.status(now)).phase != "ended" and len(moves) < LONGEST_DEAL:
        position = at.awaited
        moves.append(bots.choose(family.view(now, position), family.legal_moves(now, position)))
        now = family.apply(now, moves[-1])
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
            {"move": move, "position": history.family.format_position(now)}
            for move, now in zip(("", *map(str, history.moves)), history, strict=True)
        ]
    }


def verify(query: Query) -> Answer:
    """Verify history files: commitment, chain, toss, shuffle, every move and score.

    One file is given as path `file` or text `history`, several as the paths `files`: the deals of
    tables, whose chains are followed, and files of heads, which are compared. An unfinished single
    deal is refused. The answer's `rules` are those that differ from the named profile.

    >>> text = deal({"seed": "00" * 32})["history"]
    >>> verify({"history": text})["verified"]
    True
    >>> verify({"history": text.replace("players: 2", "players: 3")})
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: line ...: 'toss: 6D 7S' should read 'toss: 6D 7S 5H'
    """
    if "files" in query:
        refuse_others(query, {"files"})
        return _verify_all([text_of({"files": path}, "files") for path in list_of(query, "files")])
    history = _history(query)
    ended = history.family.outcome(history.end)
    if ended is None:
        raise HistoryError("unfinished_deal", "the deal breaks off: it has no result to verify")
    return {
        "verified": True,
        **_rules(history),
        "commitment": history.commitment,
        "chain": history.chain,
        "moves_bound": history.is_bound,
        "last_head": history.last_head,
        "players": history.players,
        "moves": len(history.moves),
        "ending": ended.ending,
        "winner": ended.winner,
        "points": [result.points for result in ended.results],
    }


def _verify_all(paths: Sequence[str]) -> Answer:
    """Verify files of one or more tables and compare the files of heads among them."""
    texts = {path: read_text(path) for path in paths}
    kept = {path for path, text in texts.items() if text.lstrip("\ufeff").startswith(HEADS_LINE)}
    files = [chains.read(path, text) for path, text in texts.items() if path not in kept]
    if not files:
        raise HistoryError("no_file", "no history file is given")
    compared = 0
    for path in kept:
        seen = chains.read_heads(path, texts[path])
        compared += sum(chains.compare(file, seen) for file in files)
    if kept and not compared:
        raise HistoryError("seen_differs", "the files of heads have no value of these deals")
    ordered = chains.in_order(files)
    whole = [not chain[0].history.chain_before for chain in ordered]
    return {
        "verified": True,
        **_rules(ordered[0][0].history),
        "deals": len(files),
        "unfinished": sum(not file.history.end.ending for file in files),
        "chains": len(ordered),
        "chains_from_deal_1": sum(whole),
        "moves_bound": all(file.history.is_bound for file in files),
        "heads_compared": compared,
    }


def perft(query: Query) -> Answer:
    """Count the sequences of legal moves from a deal, one number per depth, like chess programs.

    Fields are `profile`, `rules`, `players`, `seed` (hex digits, padded with leading zeros) and
    `depth`. A deal that ends early counts as one sequence; a show without groups is one move.

    >>> perft({"profile": "straight", "seed": "7", "depth": 3})["lines"]
    [2, 23, 52]
    """
    refuse_others(query, {"profile", "rules", "players", "seed", "depth"})
    rules, depth = rules_of(query), number_of(query, "depth")
    players = number_of(query, "players") if "players" in query else PLAYERS
    seed = _seed(text_of(query, "seed").rjust(2 * SEED_BYTES, "0"))
    family = family_of(rules)
    row = [family.start(rules, players=players, stream=Stream(seed))]
    lines: list[int] = []
    for _ in range(depth):
        if lines:
            row = [after for now in row for after in _followers(family, now)]
        lines.append(sum(len(_legal(family, now)) or 1 for now in row))
        if lines[-1] > MOST_LINES:
            raise NotationError("too_many_lines", f"more than {MOST_LINES} lines are not counted")
    return {"profile": rules.name, "players": players, "lines": lines}


def _legal(family: AnyFamily, now: AnyDeal) -> tuple[Move, ...]:
    at = family.status(now)
    return () if at.phase == "ended" else family.legal_moves(now, at.awaited)


def _followers(family: AnyFamily, now: AnyDeal) -> list[AnyDeal]:
    return [family.apply(now, move) for move in _legal(family, now)] or [now]


def _history(query: Query) -> History:
    refuse_others(query, {"file", "history"})
    if "file" in query and "history" in query:
        raise NotationError("unknown_field", "a question has 'file' or 'history', not both")
    return loads(text_of(query, "history")) if "history" in query else load(text_of(query, "file"))


def _rules(history: History) -> Answer:
    """Return the nearest named profile, and the rules that differ from it."""
    rules = history.rules.to_dict()
    named = rules["name"]

    def differing(profile: AnyRules) -> dict[str, str | int | bool | None]:
        other = profile.to_dict()
        return {name: value for name, value in rules.items() if other.get(name, "") != value}

    known = ALL_PROFILES.get(str(named)) or min(
        (each for each in ALL_PROFILES.values() if each.game == history.rules.game),
        key=lambda each: len(differing(each)),
    )
    return {
        "profile": known.name,
        "rules": differing(known),
        "rules_sha256": heads.rules_sha256(history.rules),
    }


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    # Python's int() would accept blanks between digits.
    if len(text) != 2 * SEED_BYTES or len(seed) != SEED_BYTES:
        raise NotationError("bad_seed", f"a seed is {2 * SEED_BYTES} hex digits")
    return seed
