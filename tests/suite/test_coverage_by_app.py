"""The figures of `make coverage`, summed by app."""

from coverage import CoverageData

from tests.coverage_by_app import by_app
from tests.planted.faults import CHECKOUT


def test_lines_and_branches_are_added_up_by_app(tmp_path):
    module = CHECKOUT / "rummy" / "money" / "chips.py"
    lines = module.read_text().splitlines()
    decides = next(n for n, line in enumerate(lines, 1) if line.startswith("    if rules.deals is"))
    data = CoverageData(str(tmp_path / "measured"))
    data.add_arcs({str(module): [(decides, decides + 1)]})
    data.write()

    figures = by_app(tmp_path / "measured")

    measured = figures["rummy"]
    assert set(figures) == {"rummy", "all"}
    assert figures["all"] == measured
    assert (measured["covered_lines"], measured["covered_branches"]) == (2, 1)
    assert measured["num_statements"] > 20
    assert measured["num_branches"] >= 10
