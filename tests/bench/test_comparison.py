"""The comparison of two trees: turns, resumption, the table and the names that differ."""

from __future__ import annotations

import doctest
import re
import shutil
import sys
from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.against import __main__ as against
from bench.against import adapter, figures, ledger, trees
from bench.against.bots import Match
from bench.against.figures import Figure, Record, Records, Row, table
from bench.against.rows import BY_NAME, ROWS
from bench.against.side import Side
from bench.against.trees import CannotCompare, Tree

RATE = Figure("moves", "/s", more_is_better=True)
LOOP = Figure("a loop", "s", is_reference=True)


def trees_of(tmp_path: Path, now: str = "bbb") -> list[Tree]:
    return [
        Tree(side, tmp_path, tmp_path / "bin" / "python", identity)
        for side, identity in (("then", "aaa"), ("now", now))
    ]


class Scripted:
    """A row with given measurements that records the sides it was asked to measure."""

    def __init__(self, **values: list[float]) -> None:
        self.values, self.asked = values, list[str]()

    def __call__(self, side: Side) -> dict[str, float]:
        self.asked.append(side.tree.side)
        return {"rate": self.values[side.tree.side].pop(0)}

    @property
    def row(self) -> Row:
        return Row("scripted", {"rate": RATE}, self, turns=3)


def compared(row: Row, both: list[Tree], records: Records, turns: int | None = None) -> str:
    return against.compare([row], both, records, Namespace(turns=turns, seconds=1.0))


def test_sides_are_measured_in_alternating_order_and_compared_by_medians(tmp_path: Path) -> None:
    scripted = Scripted(then=[10, 20, 30], now=[20, 10, 60])

    printed = compared(scripted.row, trees_of(tmp_path), Records(tmp_path / "lines"))

    assert scripted.asked == ["then", "now", "now", "then", "then", "now"]
    line = "| moves | 20 /s | 20 /s | 1.00 | 0.50 to 2.00 | more | 3 |"
    assert line in printed.splitlines()


def test_second_run_measures_nothing_that_is_on_record(tmp_path: Path) -> None:
    first = Scripted(then=[10, 20, 30], now=[20, 40, 60])
    printed = compared(first.row, trees_of(tmp_path), Records(tmp_path / "lines"))
    second = Scripted()

    again = compared(second.row, trees_of(tmp_path), Records(tmp_path / "lines"))

    assert second.asked == []
    assert again.split("\n\n")[0] == printed.split("\n\n")[0]


def test_interrupted_run_resumes_with_the_turn_it_lost(tmp_path: Path) -> None:
    first = Scripted(then=[10, 20], now=[20, 40, 60])
    with pytest.raises(IndexError):
        compared(first.row, trees_of(tmp_path), Records(tmp_path / "lines"))
    with (tmp_path / "lines").open("a") as lines:
        lines.write('{"row": "scrip')  # The line being written when the machine stopped.
    second = Scripted(then=[30], now=[60])

    printed = compared(second.row, trees_of(tmp_path), Records(tmp_path / "lines"))

    assert second.asked == ["then", "now"]
    assert "| moves | 20 /s | 40 /s | 2.00 | 2.00 to 2.00 | more | 3 |" in printed


def test_results_of_a_changed_checkout_are_measured_again(tmp_path: Path) -> None:
    first = Scripted(then=[10], now=[20])
    compared(first.row, trees_of(tmp_path), Records(tmp_path / "lines"), turns=1)
    second = Scripted(now=[30])

    printed = compared(second.row, trees_of(tmp_path, "ccc"), Records(tmp_path / "lines"), turns=1)

    assert second.asked == ["now"]
    assert "| moves | 10 /s | 30 /s | 3.00 | 3.00 to 3.00 | more | 1 |" in printed


def test_turn_that_only_one_side_has_is_left_out_of_the_table() -> None:
    row = Row("loop", {"loop": LOOP, "other": RATE}, lambda side: {})
    records = [
        Record("loop", 0, "then", "aaa", 1.0, {"loop": 2.0}),
        Record("loop", 0, "now", "bbb", 1.0, {"loop": 1.0}),
        Record("loop", 1, "now", "bbb", 1.0, {"loop": 9.0}),
    ]

    lines = table([row], lambda name: records).splitlines()

    assert lines[2:] == ["| a loop | 2 s | 1 s | 0.50 | 0.50 to 0.50 | reference | 1 |"]


def match_of(then: Path, closes: ExitStack) -> Match:
    both = zip(("then", "now"), (then, trees.HERE), strict=True)
    return Match([Tree(side, path, Path(sys.executable), side) for side, path in both], closes)


def test_equal_bots_share_deals_and_pools_equally() -> None:
    with ExitStack() as closes:
        match = match_of(trees.HERE, closes)
        deal = match.deal_pair("total-rummy-points", 2, 1)
        pool = match.pool_pair("total-rummy-pool-61", 2, 1)

    assert (deal.won, deal.gained, deal.taken) == (1, 0, deal.lost)
    assert (pool.won, pool.gained, pool.taken) == (1, 0, pool.lost)


def test_bot_of_each_tree_plays_for_its_own_side(tmp_path: Path) -> None:
    shutil.copytree(trees.HERE / "rummy", tmp_path / "rummy")
    strong = tmp_path / "rummy" / "bots" / "strong.py"
    always = strong.read_text().replace("if _gives_up(situation(view), totals)", "if True")
    strong.write_text(always)

    with ExitStack() as closes:
        match = match_of(tmp_path, closes)
        deal = match.deal_pair("total-rummy-points", 2, 1)
        pool = match.pool_pair("total-rummy-pool-61", 2, 1)

    assert (deal.won, deal.gained, deal.lost) == (2, 20, 0)
    assert (pool.won, pool.lost) == (2, 0)


def test_trees_with_different_rules_are_not_compared(tmp_path: Path) -> None:
    shutil.copytree(trees.HERE / "rummy", tmp_path / "rummy")
    rules = tmp_path / "rummy" / "notation" / "rules.py"
    rules.write_text(rules.read_text().replace("cap: int = 80", "cap: int = 60"))

    with ExitStack() as closes:
        match = match_of(tmp_path, closes)
        with pytest.raises(CannotCompare, match="rules of the trees differ"):
            [match.deal_pair("total-rummy-points", 2, number) for number in range(20)]


def test_every_row_names_its_figures_once_and_one_is_a_reference() -> None:
    keys = [key for row in ROWS for key in row.figures]

    assert len(BY_NAME) == len(ROWS) >= 10
    assert len(keys) == len(set(keys)) >= 20
    assert [key for row in ROWS for key, figure in row.figures.items() if figure.is_reference] == [
        "python",
        "pgbench",
    ]


@pytest.mark.parametrize("module", [adapter, figures, ledger])
def test_worked_examples_of_the_comparison_hold(module: object) -> None:
    results = doctest.testmod(module)  # type: ignore[arg-type]

    assert results.attempted > 0
    assert results.failed == 0


def test_function_with_a_new_required_argument_is_refused_by_its_name() -> None:
    with pytest.raises(CannotCompare, match="p_new"):
        adapter.function_call("ledger_post", ["p_key", "p_new"], 2, {"key": "'k'"})


def test_measurement_is_refused_if_the_audit_has_differences() -> None:
    with pytest.raises(CannotCompare, match="lost"):
        adapter.audit_figures({"ok": False, "seconds": 1, "entries": 2, "findings": ["lost"]})


def test_unknown_revision_is_refused_before_anything_is_made() -> None:
    with pytest.raises(CannotCompare, match="no-such-revision"):
        trees.commit_of("no-such-revision")


def test_servers_of_the_caller_are_not_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://somewhere/else")
    [then, _] = trees_of(tmp_path)

    environment = then.environment(ADDED="1")

    assert "DATABASE_URL" not in environment
    assert environment["PYTHONPATH"] == str(tmp_path)
    assert environment["ADDED"] == "1"


def test_unknown_row_is_refused_with_the_names_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        against.main(["HEAD", "--rows", "movez"])

    said = capsys.readouterr().err
    assert "no row named movez" in said
    assert "moves" in said


@pytest.mark.extended
@pytest.mark.timeout(600)
def test_this_revision_against_itself_prints_a_ratio_for_each_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "declarations,check"
    results = tmp_path / "results"

    code = against.main(
        ["HEAD", "--rows", rows, "--turns", "1", "--seconds", "0.5", "--results", str(results)]
    )

    printed = capsys.readouterr().out
    assert code == 0
    figures_of_both = [each for name in rows.split(",") for each in BY_NAME[name].figures.values()]
    assert len(figures_of_both) == 3
    for figure in figures_of_both:
        [line] = [line for line in printed.splitlines() if line.startswith(f"| {figure.title} |")]
        ratio = re.fullmatch(r"\d+\.\d\d", line.split("|")[4].strip())
        assert ratio is not None
        assert 0.1 < float(ratio[0]) < 10
    assert len(results.read_text().splitlines()) == 4
