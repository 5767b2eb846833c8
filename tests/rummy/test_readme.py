"""The examples of the README run as printed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import rummy


def test_the_examples_of_the_readme() -> None:
    readme = Path(rummy.__file__).parent / "README.md"

    failed, tried = doctest.testfile(
        str(readme), module_relative=False, optionflags=doctest.ELLIPSIS
    )

    assert tried > 20
    assert not failed


def test_ten_examples_take_ten_lines_each_at_most() -> None:
    readme = (Path(rummy.__file__).parent / "README.md").read_text(encoding="utf-8")
    jobs = readme.split("## Ten examples")[1].split("\n## ")[0]

    found = re.findall(
        r"^\*\*(\d+)\. .+?\*\*\n\n```python\n(.+?)```", jobs, re.DOTALL | re.MULTILINE
    )

    assert [int(number) for number, _ in found] == list(range(1, 11))
    for number, code in found:
        assert len(code.strip().splitlines()) <= 10, number
        assert code.startswith(">>> "), number
