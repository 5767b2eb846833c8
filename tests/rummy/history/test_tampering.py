"""RB 12.1, 12.2: no changed file of a table is accepted, and the refusal names its line.

The library and the second verifier of the documentation judge the same files.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rummy import HistoryError, parse_move
from rummy.command_line.records import verify
from tests.builders.cards.tables import noted
from tests.builders.cards.tampering import COMPUTED, KINDS, SEEN, Files, deals, honest
from tests.builders.processes.product import CHECKOUT


def in_folder(files: Files, folder: Path) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def second_verifier(paths: list[str]) -> tuple[int, str]:
    script = str(CHECKOUT / "docs/examples/verify_deal.py")
    ran = subprocess.run(
        [sys.executable, script, *paths], capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stderr


def test_sixty_kinds_of_tampering_are_known() -> None:
    assert len(KINDS) >= 60


@pytest.mark.parametrize("kind", KINDS)
def test_tampering_is_refused_and_named_by_its_line(kind: str, tmp_path: Path) -> None:
    tamper, start = KINDS[kind]
    files = honest()
    tamper(files)
    paths = in_folder(files, tmp_path)

    with pytest.raises(HistoryError) as refusal:
        verify({"files": paths})

    assert names_a_line(refusal.value.message, files, start), refusal.value.message
    code, said = second_verifier(paths)
    assert code == 1
    assert said.startswith("line "), said


BOUND_BY_THE_CHAIN = [
    "another whole play",
    "another whole play of the first deal",
    "the server seed and its commitment",
    "the rules and their hash",
    "the deal is not said to be drawn again",
    "an older format",
    "a deal is left out",
    "a second deal of this number",
]


@pytest.mark.parametrize("kind", BOUND_BY_THE_CHAIN)
def test_later_deals_bind_earlier_ones_without_any_browser(kind: str, tmp_path: Path) -> None:
    files = honest()
    COMPUTED[kind][0](files)
    del files[SEEN]
    paths = in_folder(files, tmp_path)

    with pytest.raises(HistoryError, match="line "):
        verify({"files": paths})
    assert second_verifier(paths)[0] == 1


def names_a_line(message: str, files: Files, start: str) -> bool:
    """Whether the message names a file and a line of it that begins as expected."""
    found = re.search(r"([\w-]+\.txt): line (\d+)", message)
    if found is None:
        return False
    line = files[found[1]].splitlines()[int(found[2]) - 1]
    return line.startswith(start)


def test_honest_tables_and_heads_are_accepted_by_both_verifiers(tmp_path: Path) -> None:
    paths = in_folder(honest(), tmp_path)

    answer = verify({"files": paths})

    assert {name: answer[name] for name in ("deals", "chains", "moves_bound")} == {
        "deals": 3,
        "chains": 1,
        "moves_bound": True,
    }
    assert answer["heads_compared"] == sum(
        len(deal.heads) + len(deal.redrawn) + 3 for deal in deals()
    )
    assert second_verifier(paths) == (0, "")


def test_files_of_the_older_format_are_verified_but_bind_no_moves(tmp_path: Path) -> None:
    old = replace(deals()[0], format=1)
    forged = replace(old, moves=tuple(map(parse_move, ("p1 drop", "p2 drop"))))

    answers = [verify({"history": noted(each, 1)}) for each in (old, forged)]

    assert [(each["verified"], each["moves_bound"]) for each in answers] == [(True, False)] * 2
    assert old.commitment != deals()[0].commitment
