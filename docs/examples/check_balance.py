"""Check the proof that a balance is part of a published total; needs only Python.

    python docs/examples/check_balance.py balance-2026-11-27-INR.json [ROOT [TOTAL]]

docs/solvency.md explains the tree. ROOT and TOTAL are the published ones of that day, the total as
the page shows it; keep your own list of them, so that a later change is noticed.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

FIELDS = {
    "format": str,
    "day": str,
    "currency": str,
    "holder": str,
    "nonce": str,
    "balance_minor": int,
    "index": int,
    "path": list,
    "total_minor": int,
    "root": str,
}
STEP = re.compile(r"([0-9a-f]{64}):(0|[1-9][0-9]*)", re.ASCII)
# No value of a leaf contains a line feed, so that a leaf has one meaning only.
TEXTS = {
    "day": re.compile(r"\d{4}-\d\d-\d\d", re.ASCII),
    "currency": re.compile(r"[A-Z]{3}", re.ASCII),
    "holder": re.compile(r"[0-9a-z:-]{1,80}", re.ASCII),
    "nonce": re.compile(r"[0-9a-f]{32}", re.ASCII),
}
LONGEST_PATH = 40
MOST = 2**63


def sha256(*lines: object) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) != len(dict(pairs)):
        raise ValueError("a field is repeated")
    return dict(pairs)


def read(text: str) -> dict[str, Any]:
    """Parse a proof; raise `ValueError` for a text that is none."""
    try:
        proof = json.loads(text, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ValueError("this is not the text of a proof") from None
    if not isinstance(proof, dict) or proof.keys() != FIELDS.keys():
        raise ValueError("these are not the fields of a proof")
    if any(type(proof[name]) is not kind for name, kind in FIELDS.items()):
        raise ValueError("a field is of another type")
    if proof["format"] != "rummy balance 1":
        raise ValueError("this is another format")
    for name, form in TEXTS.items():
        if not form.fullmatch(proof[name]):
            raise ValueError(f"{proof[name]!r} is not a {name}")
    if not 0 <= proof["balance_minor"] <= proof["total_minor"] < MOST:
        raise ValueError("the balance is not between 0 and the total")
    if len(proof["path"]) > LONGEST_PATH or not 0 <= proof["index"] < 2 ** len(proof["path"]):
        raise ValueError("the place of the balance is outside the tree")
    return proof


def root_of(proof: dict[str, Any]) -> tuple[str, int]:
    """Return the root's hash and sum that follow from a proof; raise `ValueError`."""
    leaf = ("format", "day", "currency", "holder", "nonce", "balance_minor")
    here = sha256(*(proof[name] for name in leaf)), proof["balance_minor"]
    index = proof["index"]
    for step in proof["path"]:
        found = STEP.fullmatch(step) if isinstance(step, str) else None
        if found is None or int(found[2]) >= MOST:
            raise ValueError(f"{step!r} is not a hash and a sum")
        beside = found[1], int(found[2])
        left, right = (beside, here) if index % 2 else (here, beside)
        here = sha256("rummy sum 1", *left, *right), left[1] + right[1]
        index //= 2
    return here


def check(text: str, root: str = "", total: int | None = None) -> dict[str, Any]:
    """Return the proof if it is correct, for this root and total; else raise `ValueError`."""
    proof = read(text)
    if root_of(proof) != (proof["root"], proof["total_minor"]):
        raise ValueError("the balance is not part of this total and root")
    if root not in ("", proof["root"]) or total not in (None, proof["total_minor"]):
        raise ValueError("another root or total was published")
    return proof


def amount(minor: int) -> str:
    return f"{minor // 100}.{minor % 100:02}"


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
    shown = proof | {name: amount(proof[name]) for name in ("balance_minor", "total_minor")}
    print("Correct: {balance_minor} of {total_minor} {currency}, {day}.".format(**shown))
    print("Account: {holder}\nRoot:    {root}".format(**proof))
    if not published:
        print("Compare the root and the total with the published ones of that day.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
