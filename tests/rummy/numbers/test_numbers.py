"""Measured numbers: equal files from any number of workers, and intervals that hold."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from math import hypot
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import rummy
from rummy.command_line.cli import main
from rummy.notation.profiles import profile
from rummy.notation.shuffle import Stream
from rummy.numbers import counted, files, first_drops, lookup
from rummy.numbers.catalogue import TABLES
from rummy.numbers.dealt import TABLE as DEALT
from rummy.numbers.dealt import hand_values
from rummy.numbers.files import Rows
from rummy.numbers.running import ROUNDS, run
from rummy.numbers.table import Cell, Column, Estimate, Observation, Rule, Ruled, Table
from rummy.numbers.tally import Tally, Z
from rummy.thirteen import start
from tests.builders.processes.product import CHECKOUT, descendants, wait_until_gone
from tests.builders.processes.waiting import until

FAMILY = 0.01
"""The chance that a comparison of a whole table fails although nothing changed."""
ENOUGH = 100
"""Samples of a group below which its interval, which assumes a normal sum, is too narrow."""


def die(sides: int, rng: random.Random) -> Iterator[Observation]:
    pips = rng.randint(1, sides)
    yield "all", {"pips": pips, "six": pips == 6, f"pips={pips}": 1}


def interrupted(rng: random.Random) -> Iterator[Observation]:
    raise KeyboardInterrupt


DICE = Table(
    name="dice",
    about="",
    unit="a throw",
    batch=7,
    columns=(
        Column("pips", "mean", ""),
        Column("six", "share", ""),
        Column("pips", "distribution", ""),
    ),
    cells=tuple(Cell(f"{sides} sides", partial(die, sides)) for sides in (6, 12)),
)


def measured(folder: Path, *tables: Table, hands: int = 60, workers: int = 1) -> dict[str, bytes]:
    run(tables, hands=hands, workers=workers, seed=5, version="1", folder=folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_equal_to_the_byte_with_one_and_two_workers(tmp_path: Path) -> None:
    tables = [DICE, *(table for table in TABLES if table.name in {"counted", "straight"})]

    one = measured(tmp_path / "one", *tables)
    two = measured(tmp_path / "two", *tables, workers=2)

    assert one == two
    assert set(one) == {"dice.csv", "counted.csv", "straight.csv", "manifest.json"}


def test_interrupted_run_continues_with_the_cell_that_was_not_written(tmp_path: Path) -> None:
    first, second = DICE.cells
    broken = Table(
        name="dice",
        about="",
        unit="a throw",
        batch=7,
        columns=DICE.columns,
        cells=(first, Cell(second.name, interrupted)),
    )
    messages: list[str] = []

    with pytest.raises(KeyboardInterrupt):
        measured(tmp_path / "resumed", broken)
    rows_before = files.read_rows(tmp_path / "resumed", DICE)
    run(
        [DICE],
        hands=60,
        workers=1,
        seed=5,
        version="1",
        folder=tmp_path / "resumed",
        progress=messages.append,
    )

    assert {row[0] for row in rows_before} == {first.name}
    assert "dice 6 sides: already measured" in messages
    assert measured(tmp_path / "resumed", DICE) == measured(tmp_path / "whole", DICE)


@pytest.mark.extended
def test_workers_of_a_killed_run_end(tmp_path: Path) -> None:
    several = ["--table", "pools", "--workers", "2", "--folder", str(tmp_path)]
    command = [sys.executable, "-m", "rummy", "numbers", "run", *several]
    with subprocess.Popen(command, cwd=CHECKOUT) as it:
        until(lambda: len(descendants(it.pid)) == 2)
        workers = descendants(it.pid)
        it.kill()

    assert wait_until_gone(workers) == set()


def test_command_measures_one_cell_and_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--table", "counted", "--folder", str(tmp_path)]

    code_of_run = main(["numbers", "run", "--cell", "total-rummy", *where])
    code_of_show = main(["numbers", "show", *where])
    shown = capsys.readouterr().out

    assert (code_of_run, code_of_show) == (0, 0)
    assert re.search(r"pure +0\.3660$", shown, re.MULTILINE)
    assert "not measured: rummycentral, vengala-2-decks, vengala-3-decks" in shown


def test_unknown_cell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["numbers", "run", "--cell", "no such cell"])

    assert refused.value.code == 2
    assert "invalid choice: 'no such cell'" in capsys.readouterr().err


def threshold(rule: Rule, rng: random.Random) -> Iterator[Observation]:
    """Of ten positions one more is worse than dropping with each that drops already."""
    for at in range(10):
        net = 10 - 20 * (at <= len(rule)) + rng.choice((-1, 1))
        yield f"position {at}, 0 jokers", {"net": net}


def flips(lines: Iterable[Estimate], rule: Rule) -> Rule:
    return frozenset() if rule else frozenset({"position 1"})


@pytest.mark.parametrize(
    ("following", "rounds", "changed", "drops"),
    [
        pytest.param(partial(first_drops.following, "net", 0), 8, 1, 7, id="grows to the end"),
        pytest.param(partial(first_drops.following, "net", -30), 2, 0, 0, id="settles"),
        pytest.param(flips, ROUNDS, 1, 1, id="never settles"),
    ],
)
def test_rule_is_measured_until_it_no_longer_changes(
    tmp_path: Path, following: Any, rounds: int, changed: int, drops: int
) -> None:
    columns = (Column("net", "mean", ""),)
    cell = Cell("one", ruled=Ruled(threshold, following))
    table = Table(name="ruled", about="", unit="", batch=50, columns=columns, cells=(cell,))

    measured(tmp_path, table, hands=200)

    found = {(row[1], row[2]): row[5] for row in files.read_rows(tmp_path, table)}
    assert float(found["rule", "rounds"]) == rounds
    assert float(found["rule", "changed"]) == changed
    assert sum(measure == "drops" for _, measure in found) == drops


def test_cells_that_another_run_writes_meanwhile_are_kept(tmp_path: Path) -> None:
    line = Estimate("all", "pips", 1, 1, 1.0, None, None)
    first, second = (cell.name for cell in DICE.cells)

    def lines() -> Iterator[Estimate]:
        files.write_cell(tmp_path, DICE, first, [line], {})
        yield line

    files.write_cell(tmp_path, DICE, second, lines(), {})

    assert [row[0] for row in files.read_rows(tmp_path, DICE)] == [first, second]
    assert list(files.read_manifest(tmp_path)["dice"]) == sorted([first, second])


def test_equal_samples_are_added_at_once() -> None:
    one, many = Tally(), Tally()
    sample = [("seat", {"points": 10}), ("seat", {"points": 30}), ("deal", {"turns=3": 1})]

    for _ in range(3):
        one.add(sample)
    many.add(sample, 3)

    assert one == many


def test_measured_first_drops_are_read_back() -> None:
    rows = files.read_rows(files.FOLDER, first_drops.POINTS)
    name, group = "total-rummy-points, 6 seats, drop 20", "position 6, 0 jokers, no pure"
    known = {row[2]: row[5:8] for row in rows if row[:2] == [name, group]}
    hand = {"jokers": 0, "pure": False, "gate": False}
    seat = {"players": 6, "position": 6}

    cost = lookup.expected_cost("total-rummy-pool-101", **seat, points=80, **hand)
    net = lookup.expected_net("total-rummy-points", **seat, **hand)

    assert cost is not None
    assert net is not None
    assert list(cost[:3]) == [float(text) for text in known["points"]]
    assert list(net[:3]) == [float(text) for text in known["net"]]
    assert lookup.expected_cost("unknown", **seat, points=80, **hand) is None


def test_another_size_is_measured_again(tmp_path: Path) -> None:
    measured(tmp_path, DICE, hands=60)

    measured(tmp_path, DICE, hands=90)

    assert {row[3] for row in files.read_rows(tmp_path, DICE)} == {"90"}


def test_intervals_contain_the_true_value_about_19_times_of_20() -> None:
    hits = 0
    for seed in range(400):
        rng, tally = random.Random(seed), Tally()
        for _ in range(40):
            # Three throws that depend on each other, as the seats of a deal do.
            same = rng.randint(1, 6)
            tally.add(("all", {"six": pips == 6}) for pips in (same, same, rng.randint(1, 6)))
        (line,) = tally.estimates([Column("six", "share", "")])
        hits += line.low <= 1 / 6 <= line.high

    assert 0.91 <= hits / 400 <= 0.985


@pytest.mark.parametrize("deal", counted.DEALS, ids=str)
def test_counted_chances_agree_with_dealt_hands(deal: str) -> None:
    name, players = counted.DEALS[deal]
    rules, hands = profile(name), 600
    pure = jokers = 0
    for number in range(hands):
        dealt = start(rules, players=players, stream=Stream(number.to_bytes(32, "big")))
        pure += hand_values(dealt.seats[0].hand, dealt.wild_rank, rules)["pure"]
        jokers += sum(card.is_joker(dealt.wild_rank) for card in dealt.seats[0].hand)
    chances = counted.joker_chances(rules, players)

    assert abs(pure / hands - counted.pure_chance(rules, players)) < 0.08
    assert abs(jokers / hands - sum(held * one for held, one in enumerate(chances))) < 0.16
    assert 0.999 < sum(chances) <= 1


def as_published(cell: Cell, rows: Rows) -> Cell:
    """Return the cell, with its published rule where it has one."""
    if cell.ruled is None:
        return cell
    rule = {row[1] for row in rows if (row[0], row[2]) == (cell.name, "drops")}
    return Cell(cell.name, partial(cell.ruled.sample, frozenset(rule)))


@pytest.mark.extended
@pytest.mark.timeout(900)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_small_run_agrees_with_the_published_intervals(table: Table, tmp_path: Path) -> None:
    rows = files.read_rows(files.FOLDER, table)
    published = {tuple(row[:3]): row for row in rows}
    manifest = files.read_manifest(files.FOLDER).get(table.name, {})
    cells = [as_published(cell, rows) for cell in table.cells if cell.name in manifest]
    first = replace(table, cells=tuple(cells[:2]))

    hands = max(20_000, 200 * table.cost)
    run([first], hands=hands, workers=1, seed=99, version="1", folder=tmp_path)

    apart = []
    for row in files.read_rows(tmp_path, first):
        known = published.get(tuple(row[:3]))
        if "=" in row[2] or known is None or 0 < min(int(row[3]), int(known[3])) < ENOUGH:
            continue
        value, low, high = map(float, row[5:8])
        true, least, most = map(float, known[5:8])
        widths = max(high - value, value - low), max(most - true, true - least)
        errors = abs(value - true) / (hypot(*widths) / Z) if any(widths) else float(value != true)
        apart.append((errors, row, known))
    assert len(apart) >= 3
    # The figures of a table are many and depend on each other: Bonferroni's bound holds anyway.
    bound = NormalDist().inv_cdf(1 - FAMILY / 2 / len(apart))
    assert max(apart)[0] <= bound, max(apart)


def test_published_files_are_those_of_the_manifest() -> None:
    manifest = files.read_manifest(files.FOLDER)

    for table in TABLES:
        cells = [row[0] for row in files.read_rows(files.FOLDER, table)]
        assert list(dict.fromkeys(cells)) == [
            cell.name for cell in table.cells if cell.name in manifest.get(table.name, {})
        ]
    assert manifest["dealt"].keys() == {cell.name for cell in DEALT.cells}


def test_every_interval_of_the_document_is_a_published_one() -> None:
    document = (Path(rummy.__file__).parents[1] / "docs" / "numbers.md").read_text(encoding="utf-8")
    number = r"(-?\d+\.\d+)"
    published = set()
    for table in TABLES:
        for row in files.read_rows(files.FOLDER, table):
            # Shares are shown in %, the shares of a prize in 1/100 of that.
            for factor in (1, 100, 0.01):
                scaled = [factor * float(text) for text in row[5:8] if text]
                published |= {tuple(f"{one:.{d}f}" for one in scaled) for d in (1, 2, 3)}

    shown = set(re.findall(rf"{number} \({number} to {number}\)", document))

    assert len(shown) > 150
    assert shown <= published


def test_every_measured_number_of_the_document_says_how_often() -> None:
    document = (Path(rummy.__file__).parents[1] / "docs" / "numbers.md").read_text(encoding="utf-8")
    sizes = {
        f"{how['samples']:,}"
        for cells in files.read_manifest(files.FOLDER).values()
        for how in cells.values()
        if how["samples"]
    }

    assert all(size in document for size in sizes)
