"""Kinds of tampering with the files of a table and the heads that a browser saw.

Three deals are changed in one place: plainly, or by an operator who computes all values of the
changed file again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from rummy import History, parse_move
from tests.builders.cards.tables import RULES, heads_seen, noted, played_by_bots, table

Files = dict[str, str]
Tamper = Callable[[Files], object]
ONE, TWO, THREE, SEEN = "deal-1.txt", "deal-2.txt", "deal-3.txt", "heads.txt"


@cache
def deals() -> tuple[History, ...]:
    return tuple(table())


def honest() -> Files:
    files = {f"deal-{at}.txt": noted(history, at) for at, history in enumerate(deals(), start=1)}
    return {**files, SEEN: heads_seen(deals())}


def changed(pattern: str, put: str, *, name: str = TWO) -> Tamper:
    """Change the first text that matches, in whole lines."""

    def tamper(files: Files) -> None:
        text, found = re.subn(pattern, put, files[name], count=1, flags=re.MULTILINE)
        assert found
        assert text != files[name]
        files[name] = text

    return tamper


def digit(line: str) -> Tamper:
    """Change the last hex digit of a value."""

    def tamper(files: Files) -> None:
        old = re.search(rf"^{line}: .*$", files[TWO], re.MULTILINE)
        assert old is not None
        new = old[0][:-1] + ("1" if old[0][-1] == "0" else "0")
        files[TWO] = files[TWO].replace(old[0], new)

    return tamper


def forged(at: int, **changes: object) -> Tamper:
    """Compute the whole file of another deal, which is correct by itself."""

    def tamper(files: Files) -> None:
        files[f"deal-{at}.txt"] = noted(replace(deals()[at - 1], **changes), at)  # type: ignore[arg-type]

    return tamper


def another_play(at: int) -> Tamper:
    """Let the first player drop at once, and the others, with all values computed again."""
    return forged(at, moves=tuple(parse_move(f"p{position} drop") for position in (1, 2)))


def longer(at: int) -> tuple[object, ...]:
    moves = list(deals()[at - 1].moves)
    return (*moves[:-1], replace(moves[-1], extra_ms=1))


def older_format(files: Files) -> None:
    files[TWO] = noted(replace(deals()[1], format=1, redrawn=(), head_before=""), 2)


def without_the_second(files: Files) -> None:
    del files[TWO]


def with_a_second_second(files: Files) -> None:
    files["deal-2b.txt"] = noted(played_by_bots(21, before=deals()[0]), 2)


def joined_without_the_second(files: Files) -> None:
    """Remove deal 2, and bind deal 3 to deal 1 instead."""
    del files[TWO]
    one = deals()[0]
    forged(3, chain_before=one.chain, head_before=one.last_head)(files)


def renumbered(files: Files) -> None:
    files[TWO] = files[TWO].replace(", deal 2,", ", deal 3,")
    files[THREE] = files[THREE].replace(", deal 3,", ", deal 2,")


def seen_differently(files: Files) -> None:
    files[SEEN] = heads_seen([deals()[0], played_by_bots(30, before=deals()[0]), deals()[2]])


MOVE = "p[1-3] (ds|do|x)"
PLAIN = {
    "the name of the rules": (changed("^name: .*", "name: kitchen"), "rules sha256"),
    "the version of the rules": (changed("^version: 1", "version: 2"), "rules sha256"),
    "the first drop": (changed("^first_drop: 20", "first_drop: 25"), "rules sha256"),
    "the middle drop": (changed("^middle_drop: 40", "middle_drop: 45"), "rules sha256"),
    "the cap": (changed("^cap: 80", "cap: 70"), "rules sha256"),
    "the limit": (changed("^limit: 101", "limit: 201"), "rules sha256"),
    "the jokers of a deck": (
        changed("^printed_jokers_per_deck: 1", "printed_jokers_per_deck: 2"),
        "rules sha256",
    ),
    "a rule of jokers": (
        changed("^max_jokers_per_set: none", "max_jokers_per_set: 1"),
        "rules sha256",
    ),
    "the length of a turn": (changed("^turn_seconds: 30", "turn_seconds: 5"), "rules sha256"),
    "whether players rejoin": (changed("^rejoin: yes", "rejoin: no"), "rules sha256"),
    "a rule given twice": (changed("^cap: 80", "cap: 80\ncap: 80"), "cap"),
    "an unknown rule": (changed("^cap: 80", "cap: 80\nluck: 7"), "luck"),
    "the hash of the rules": (digit("rules sha256"), "rules sha256"),
    "the server seed": (digit("server seed"), "commitment"),
    "the commitment": (digit("commitment"), "commitment"),
    "the chain before": (digit("chain before"), "chain"),
    "the head before": (digit("head before"), "chain"),
    "the chain": (digit("chain"), "chain"),
    "the commitment given up": (digit("redrawn"), "chain"),
    "a commitment given up is left out": (changed("^redrawn: .*\n", ""), "chain"),
    "a commitment given up is added": (
        changed("^chain: ", f"redrawn: {'0' * 64}\nchain: ", name=THREE),
        "chain",
    ),
    "a player's seed": (changed('"seed of 11"', '"seed of 12"'), "first head"),
    "a player's seed is left out": (changed("^client seed: .*\n", ""), "first head"),
    "a player's seed is added": (changed("^toss: ", 'client seed: "x"\ntoss: '), "first head"),
    "two seeds change places": (
        changed("^(client seed: .*\n)(client seed: .*\n)", r"\2\1"),
        "first head",
    ),
    "the toss": (changed("^toss: ..", "toss: 2C", name=ONE), "toss"),
    "the toss is left out": (changed("^toss: .*", "toss: none", name=ONE), "first head"),
    "the first head": (digit("first head"), "first head"),
    "a card of a hand": (changed("^p1: ..", "p1: QD"), "p1"),
    "the order of a hand": (changed("^p2: (..) (..)", r"p2: \2 \1"), "p2"),
    "the up-card": (changed("^up: ..", "up: 2C"), "up"),
    "the wild card": (changed("^wild: ..", "wild: 2C"), "wild"),
    "two cards of the stock": (changed("^stock: (..) (..)", r"stock: \2 \1"), "stock"),
    "a card of the stock is missing": (changed("^stock: .. ", "stock: "), "stock"),
    "a line of cards is added": (changed("^stock: .*", r"\g<0>\np4: 2C"), "p4"),
    "a discard": (changed("^p1 x ..", "p1 x PJ"), "p1 x"),
    "a draw from the other pile": (changed("^p2 ds", "p2 do"), ""),
    "the position of a move": (changed("^p1 ds", "p2 ds"), ""),
    "a move is left out": (changed("^p1 ds\n", ""), "p1 x"),
    "a move is doubled": (changed("^p1 ds\n", "p1 ds\np1 ds\n"), "p1 ds"),
    "two moves change places": (changed("^(p1 ds\n)(p1 x .*\n)", r"\2\1"), "p1 x"),
    "a drop is added": (changed("^p2 d", "p1 drop\np2 d"), ""),
    "extra time of a move": (changed("^p2 (d.)$", r"p2 \1 +900"), "last head"),
    "the groups of an answer": (changed(r"^(p. meld .*) \| ", r"\1 "), ""),
    "the finish card of a show": (changed("^(p. show .*) x ..$", r"\1 x PJ"), "p"),
    "the last head": (digit("last head"), "last head"),
    "the ending": (changed("^ending: show", "ending: exhausted"), "ending"),
    "the points of a loser": (changed("^(p.): [1-9][0-9]? ", r"\1: 2 "), "p"),
    "who has won": (changed("^(p.): 0 won", r"\1: 0 lost"), "p"),
    "a result is left out": (changed(r"^p3: \d+ \w+ .*\n", ""), ""),
    "a result is added": (changed(r"^(p3: \d+ \w+ .*)", r"\1\np4: 0 won"), "p4"),
}
# The file is correct by itself; the deal after it or the browser's heads refuse it.
COMPUTED: dict[str, tuple[Tamper, str]] = {
    "another whole play": (another_play(2), "p1 drop"),
    "another whole play of the last deal": (another_play(3), "p1 drop"),
    "another whole play of the first deal": (another_play(1), "p1 drop"),
    "a last move with other time": (forged(3, moves=longer(3)), "p"),
    "the deal breaks off": (forged(3, moves=deals()[2].moves[:-1]), "[result]"),
    "the server seed and its commitment": (
        forged(2, server_seed=bytes(32), moves=()),
        "commitment",
    ),
    "a player's seed and all cards": (forged(3, client_seeds=("mine", "yours"), moves=()), "toss"),
    "the rules and their hash": (forged(2, rules=RULES.with_(turn_seconds=5)), ""),
    "the deal is not said to be drawn again": (forged(2, redrawn=()), "commitment"),
    "an older format": (older_format, ""),
    "a deal is left out": (without_the_second, "chain before"),
    "a deal is left out and the next one bound": (joined_without_the_second, "chain"),
    "a second deal of this number": (with_a_second_second, ""),
    "two deals change numbers": (renumbered, ""),
    "a deal that nobody saw": (seen_differently, ""),
}
KINDS = PLAIN | COMPUTED
