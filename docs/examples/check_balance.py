"""Check the proof that a balance is part of a published total; needs only Python.

    python docs/examples/check_balance.py balance-2026-11-27-INR.txt [ROOT [TOTAL]]

docs/solvency.md explains the tree. ROOT and TOTAL are the published ones of that day, the total as
the page shows it; keep your own list of them, so that a later change is noticed.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

# A whole text has one meaning only. Its first six lines are the hashed text of the leaf.
PROOF = re.compile(
    r"(?P<leaf>rummy balance 1\n(?P<day>\d{4}-\d\d-\d\d)\n(?P<currency>[A-Z]{3})\n"
    r"(?P<holder>[0-9a-z:-]{1,80})\n[0-9a-f]{32}\n(?P<balance>0|[1-9]\d{0,17})\n)"
    r"root (?P<root>[0-9a-f]{64}) (?P<total>0|[1-9]\d{0,17})\n"
    r"(?P<path>(?:(?:left|right) [0-9a-f]{64} (?:0|[1-9]\d{0,17})\n){0,40})",
    re.ASCII,
)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def root_of(proof: dict[str, str]) -> tuple[str, str]:
    """Return the root's hash and sum that follow from a proof."""
    node, total = sha256(proof["leaf"]), int(proof["balance"])
    for step in proof["path"].splitlines():
        side, beside = step.split(" ", 1)
        here = f"{node} {total}"
        left, right = (beside, here) if side == "left" else (here, beside)
        node = sha256(f"rummy sum 1\n{left}\n{right}\n")
        total += int(beside.split()[1])
    return node, str(total)


def check(text: str, root: str = "", total: int | None = None) -> dict[str, str]:
    """Return the proof if it is correct, for this root and total; else raise `ValueError`."""
    found = PROOF.fullmatch(text.strip() + "\n")
    if found is None:
        raise ValueError("this is not the text of a proof")
    proof = found.groupdict()
    if root_of(proof) != (proof["root"], proof["total"]):
        raise ValueError("the balance is not part of this total and root")
    if root not in ("", proof["root"]) or total not in (None, int(proof["total"])):
        raise ValueError("another root or total was published")
    return proof


def amount(minor: str) -> str:
    return f"{int(minor) // 100}.{int(minor) % 100:02}"


def minor_units(text: str) -> int:
    """Return an amount such as `₹1,23,456.50` or `123456.5` in minor units."""
    found = re.fullmatch(r"(\d+)(?:\.(\d\d?))?", re.sub(r"[₹,\s]|PTS|INR", "", text), re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not an amount")
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0"))


def main() -> int:
    if not 2 <= len(sys.argv) <= 4:
        print(__doc__)
        return 2
    file, *published = sys.argv[1:]
    try:
        total = minor_units(published[1]) if published[1:] else None
        text = Path(file).read_text(encoding="utf-8")
        proof = check(text, "".join(published[:1]).lower(), total)
    except OSError as error:
        print(f"The file cannot be read: {error}.")
        return 2
    except ValueError as error:
        print(f"The proof is wrong: {error}.")
        return 1
    shown = proof | {name: amount(proof[name]) for name in ("balance", "total")}
    print("Correct: {balance} of {total} {currency}, {day}.".format(**shown))
    print("Account: {holder}\nRoot:    {root}".format(**proof))
    if not published:
        print("Compare the root and the total with the published ones of that day.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
