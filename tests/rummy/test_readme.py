"""The README cannot lie: its examples run."""

from __future__ import annotations

import doctest
from pathlib import Path

import rummy


def test_the_examples_of_the_readme() -> None:
    readme = Path(rummy.__file__).parent / "README.md"

    failed, tried = doctest.testfile(
        str(readme), module_relative=False, optionflags=doctest.ELLIPSIS
    )

    assert tried > 20
    assert not failed
