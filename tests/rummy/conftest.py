"""What the tests of the rules share."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from rummy.command_line.cli import main


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command line in this process: exit code, output, errors."""

    def run(*words: str, lines: list[Any] | None = None) -> tuple[int, str, str]:
        if lines is not None:
            text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
            monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run
