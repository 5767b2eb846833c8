"""Verify history files of a table's deals without this project's code; needs only Python.

    python docs/examples/verify_deal.py rummy-*.txt [rummy-heads.txt]

Written from docs/fair-deals.md, for format 2 and the thirteen-card family. It compares rules,
commitments, chain, toss, cards, heads and what a browser saw, and follows every card. It counts no
points: the last head binds those that were published.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

PACK = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
Line = tuple[int, str]


def refuse(line: Line, reason: str) -> NoReturn:
    sys.exit(f"line {line[0]}: {line[1]!r} {reason}")


def stream(seed: bytes, framed: bytes) -> Iterator[int]:
    """Yield the deal's random numbers of 32 bits."""
    block = 0
    while True:
        message = b"rummy stream 1\n" + block.to_bytes(8, "big") + framed
        yield from struct.unpack(">8I", hmac.digest(seed, message, "sha256"))
        block += 1


def shuffled(words: Iterator[int], cards: list[str]) -> list[str]:
    for last in range(len(cards) - 1, 0, -1):
        fair = 2**32 - 2**32 % (last + 1)
        other = next(word for word in words if word < fair) % (last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


class File:
    """A file's sections as numbered lines, and the lines `name: value` by section and name."""

    def __init__(self, path: str, text: str) -> None:
        note = re.search(r"^# table ([0-9a-f-]{36}), deal (\d+),", text, re.MULTILINE)
        self.path, self.deal = path, note.groups() if note else None
        self.parts: dict[str, list[Line]] = {}
        lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1)]
        lines = [line for line in lines if line[1] and not line[1].startswith("#")]
        if lines[0][1] != "rummy deal 2":
            refuse(lines[0], "is not the first line of format 2")
        for line in lines[1:]:
            if line[1].startswith("["):
                part = self.parts.setdefault(line[1], [])
            else:
                part.append(line)

    def lines(self, part: str, name: str) -> list[Line]:
        return [line for line in self.parts[part] if line[1].startswith(f"{name}: ")]

    def value(self, name: str, part: str = "[shuffle]") -> str:
        found = self.lines(part, name)
        if len(found) != 1:
            refuse(found[-1] if found else (0, part), f"has {len(found)} lines {name!r}")
        return found[0][1].partition(": ")[2].replace("none", "")

    def same(self, name: str, wanted: str, part: str = "[shuffle]") -> None:
        if self.value(name, part) != wanted:
            refuse(self.lines(part, name)[0], f"should have the value {wanted!r}")

    def number(self, name: str) -> int:
        return int(self.value(name, "[rules]") or 0)

    def verify(self) -> None:
        """Compare all values with those computed from the seeds, rules and moves."""
        self.rules = "".join(f"{line}\n" for _, line in self.parts["[rules]"])
        rules = hashlib.sha256(self.rules.encode()).hexdigest()
        self.same("rules sha256", rules)
        self.seed = bytes.fromhex(self.value("server seed"))
        self.same("commitment", hashlib.sha256(self.seed + bytes.fromhex(rules)).hexdigest())
        self.before = self.value("chain before"), self.value("head before")
        self.redrawn = [row[1].split()[1] for row in self.lines("[shuffle]", "redrawn")]
        links = "".join([*self.before, *self.redrawn, self.value("commitment")])
        self.same("chain", hashlib.sha256(links.encode()).hexdigest())
        clients = [line.partition(": ")[2] for _, line in self.lines("[shuffle]", "client seed")]
        self.clients = [json.loads(text) for text in clients]
        texts = [text.encode() for text in self.clients]
        framed = b"".join(len(text).to_bytes(4, "big") + text for text in texts)
        words, players = stream(self.seed, framed), int(self.value("players"))
        if self.value("toss"):
            self.same("toss", " ".join(shuffled(words, list(PACK))[:players]))
        first = f"{self.value('chain')}\n{players}\n{self.value('toss') or 'none'}\n"
        self.heads = [self.bound(first.encode() + framed)]
        self.same("first head", self.heads[0])
        self.follow(*self.dealt(words, players), words)
        for _, move in self.parts["[moves]"]:
            self.heads.append(self.bound(f"{self.heads[-1]}\n{move}".encode()))
        result = [" ".join(line.split()[:3]) for _, line in self.parts["[result]"][1:]]
        last = self.bound("\n".join([self.heads[-1], "\n".join(result)]).encode())
        self.same("last head", last, "[result]")
        self.end = self.value("chain"), last

    def bound(self, message: bytes) -> str:
        return hmac.digest(self.seed, b"rummy moves 1\n" + message, "sha256").hex()

    def dealt(self, words: Iterator[int], players: int) -> tuple[list[list[str]], list[str]]:
        """Compare the dealt cards; return the hands, and the up-card before the stock."""
        decks = 3 if 0 < self.number("three_decks_from") <= players else self.number("decks")
        deck = (PACK + ["PJ"] * self.number("printed_jokers_per_deck")) * decks
        deck = shuffled(words, deck)
        hands = [deck[at : 13 * players : players] for at in range(players)]
        up, wild, *stock = deck[13 * players :]
        names = [f"p{at}" for at in range(1, players + 1)]
        for name, cards in zip(
            [*names, "up", "wild", "stock"], [*hands, [up], [wild], stock], strict=True
        ):
            self.same(name, " ".join(cards), "[cards]")
        if len(self.parts["[cards]"]) > players + 3:
            refuse(self.parts["[cards]"][-1], "is one line too many")
        return hands, [up, *stock]

    def follow(self, hands: list[list[str]], rest: list[str], words: Iterator[int]) -> None:
        """Follow every card: what is played must have been dealt or drawn."""
        pile, stock, drawn, drawer = rest[:1], rest[1:], "", ""
        for line in self.parts["[moves]"]:
            seat, action, text = re.findall(r"p(\d) (\w+)([^+]*)", line[1])[0]
            hand = hands[int(seat) - 1]
            if (action in ("x", "show")) > (drawer == seat) or (action in ("ds", "do") and drawer):
                refuse(line, "does not follow the move before")
            if action in ("ds", "do"):
                drawer, drawn = seat, stock.pop(0) if action == "ds" else pile.pop()
                hand.append(drawn)
                continue
            played = re.findall(r"[A2-9TJQK][CDHS]|PJ", text)
            if action == "miss" and drawer == seat:
                played = [drawn]
            held = list(hand)
            for card in played:
                if card not in held:
                    refuse(line, f"plays {card}, which is not in the hand")
                held.remove(card)
            if action in ("x", "miss") and played:
                hand.remove(played[0])
                pile.append(played[0])
            if drawer == seat:
                drawer = ""
                if not stock and len(pile) > 1:
                    stock, pile = shuffled(words, pile[:-1]), pile[-1:]

    def compare(self, seen: dict[str, str]) -> None:
        """Compare with what a browser saw of this deal while it was played."""
        lines = [*self.lines("[shuffle]", "first head"), *self.parts["[moves]"]]
        for named, kept in seen.items():
            name, _, draw = named.partition("-")
            commitments = [*self.redrawn, self.value("commitment")]
            is_last = int(draw or 0) == len(self.redrawn)
            if name == "commitment" and kept not in commitments[int(draw or 0) :][:1]:
                refuse(self.lines("[shuffle]", name)[0], "is not what the browser saw")
            elif name == "chain" and is_last:
                self.same(name, kept)
            elif name == "seed" and is_last and kept not in self.clients:
                refuse(self.lines("[shuffle]", "toss")[0], "follows no seed of this browser")
            elif name.isdigit() and kept not in self.heads[int(name) : int(name) + 1]:
                last = self.lines("[result]", "last head")[0]
                refuse([*lines, last][min(int(name), len(lines))], "is not what the browser saw")


def main(paths: list[str]) -> None:
    texts = {path: Path(path).read_text(encoding="utf-8-sig") for path in paths}
    seen: dict[tuple[str, ...], dict[str, str]] = {}
    for text in texts.values():
        if text.startswith("rummy heads 1"):
            for table, deal, name, value in map(str.split, text.splitlines()[1:]):
                seen.setdefault((table, deal), {})[name] = value
    files = [File(*row) for row in texts.items() if not row[1].startswith("rummy heads 1")]
    for file in files:
        file.verify()
        file.compare(seen.get(file.deal or (), {}))
    ends, followed, tables = {file.end: file for file in files}, set[object](), set[object]()
    for file in files:
        line, table = file.lines("[shuffle]", "chain before")[0], (file.deal or ("",))[0]
        if file.before in followed:
            refuse(line, "is the end of a deal that another file continues")
        if file.before not in ends and table in tables:
            refuse(line, "is the end of no deal given")
        if file.before in ends and ends[file.before].rules != file.rules:
            refuse(file.parts["[rules]"][0], "begins other rules than those of the deal before")
        (followed if file.before in ends else tables).add(
            file.before if file.before in ends else table
        )
    print(f"{len(files)} deals verified; points are not counted")


if __name__ == "__main__":
    main(sys.argv[1:])
