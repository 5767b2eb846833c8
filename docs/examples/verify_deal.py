"""Verify history files of a table's deals without this project's code; needs only Python.

    python docs/examples/verify_deal.py rummy-*.txt [rummy-heads.txt]

Written from docs/fair-deals.md, for format 2; rebuild.py beside it deals the cards, plays the moves
and counts the points. This script compares commitments, chains and heads, also with those that a
browser saw.
"""

import hashlib
import hmac
import json
import sys
from itertools import accumulate
from pathlib import Path

from rebuild import Played, Wrong, compare, read_deal

SHUFFLE = (
    *("players", "rules sha256", "server seed", "commitment", "chain before", "head before"),
    *("redrawn", "chain", "client seed", "toss", "first head"),
)


def hashed(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


class Verified:
    """A deal whose commitments, chain and heads are those of its seeds, rules and moves."""

    def __init__(self, text: str) -> None:
        if not text.startswith("rummy deal 2\n"):
            raise Wrong(1, "a file of format 2 begins with 'rummy deal 2'")
        self.deal: Played = read_deal("", text, is_named=False)
        self.lines = self.deal.sections
        self.rules = "".join(f"{line}\n" for _, line in self.lines["rules"])
        self.given = {name: self.values(name) for name in SHUFFLE}
        self.seed = bytes.fromhex(self.given["server seed"][0])
        self.before = self.given["chain before"][0], self.given["head before"][0]
        self.clients = [str(json.loads(text)) for text in self.given["client seed"]]
        self.compute()

    def values(self, name: str) -> list[str]:
        shuffle = [line.partition(": ") for _, line in self.lines["shuffle"]]
        return [value for known, _, value in shuffle if known == name]

    def bound(self, message: str, framed: bytes = b"") -> str:
        whole = b"rummy moves 1\n" + message.encode() + framed
        return hmac.digest(self.seed, whole, "sha256").hex()

    def compute(self) -> None:
        rules = hashed(self.rules.encode())
        self.commitments = [*self.given["redrawn"], hashed(self.seed + bytes.fromhex(rules))]
        links = "".join([*self.before, *self.commitments]).replace("none", "")
        chain, toss = hashed(links.encode()), self.given["toss"][0]
        texts = [text.encode() for text in self.clients]
        framed = b"".join(len(text).to_bytes(4, "big") + text for text in texts)
        first = self.bound(f"{chain}\n{self.given['players'][0]}\n{toss}\n", framed)
        computed = {"rules sha256": rules, "commitment": self.commitments[-1]}
        computed |= {"chain": chain, "first head": first}
        wanted = self.given | {name: [value] for name, value in computed.items()}
        named = [(name, value) for name in SHUFFLE for value in wanted[name]]
        compare(self.lines["shuffle"], [f"{name}: {value}" for name, value in named])
        moves = [text for _, text in self.deal.moves]
        following = accumulate(
            moves, lambda head, move: self.bound(f"{head}\n{move}"), initial=first
        )
        self.heads = list(following)
        results = [" ".join(line.split()[:3]) for _, line in self.lines["result"][1:]]
        last = self.bound("\n".join([self.heads[-1], "\n".join(results)]))
        compare(self.lines["result"][:1], [f"last head: {last}"])
        self.end = chain, last

    def compare_seen(self, named: str, kept: str) -> None:
        """Compare with what a browser saw of this deal while it was played."""
        name, _, draw = named.partition("-")
        at = int(name if name.isdigit() else draw or 0)
        known = {"commitment": self.commitments[at:][:1], "chain": [kept], "seed": [kept]}
        if at == len(self.commitments) - 1:
            known |= {"chain": [self.end[0]], "seed": self.clients}
        if kept not in known.get(name, self.heads[at:][:1]):
            lines = [self.lines["shuffle"][-1], *self.deal.moves, self.lines["result"][0]]
            raise Wrong(lines[: at + 1][-1][0], f"{name} is not what the browser saw")


def main(paths: list[str]) -> None:
    texts = [Path(path).read_text(encoding="utf-8-sig") for path in paths]
    heads = [text for text in texts if text.startswith("rummy heads 1")]
    deals = [Verified(text) for text in texts if text not in heads]
    for table, no, named, kept in (
        line.split() for text in heads for line in text.splitlines()[1:]
    ):
        for one in deals:
            if (one.deal.game, one.deal.no) == (f"table:{table}", int(no)):
                one.compare_seen(named, kept)
    rules, followed = {one.end: one.rules for one in deals}, set[object]()
    for one in deals:
        start = one.before if one.before in rules else one.deal.game
        if start in followed:
            raise Wrong(one.lines["shuffle"][0][0], "another file follows the same deal, or none")
        if rules.get(one.before, one.rules) != one.rules:
            raise Wrong(one.lines["rules"][0][0], "the rules are not those of the deal before")
        followed.add(start)
    print(f"{len(deals)} deals verified")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"line {wrong.line}: {wrong}")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        sys.exit(f"line 1: the file cannot be read: {error!r}")
