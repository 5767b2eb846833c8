"""The example clients of the API's documentation, run against the product."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.builders.processes.product import CHECKOUT
from tests.builders.processes.tokens import made_token

EXAMPLES = CHECKOUT / "docs" / "examples"
CLIENT = EXAMPLES / "bot_client.py"
# The example with the library of rules.
BETTER = EXAMPLES / "better_bot.py"

pytestmark = [pytest.mark.process, pytest.mark.timeout(280)]


def client(
    site: Any, token: str, *more: str, program: Path = CLIENT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(program), site.url, token, *more],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.extended
@pytest.mark.parametrize(
    ("program", "news"),
    [
        pytest.param(CLIENT, [], id="socket"),
        pytest.param(BETTER, ["--stream"], id="stream"),
    ],
)
@pytest.mark.soak
def test_the_example_clients_play_a_whole_pool_to_the_payout(
    site: Any, program: Path, news: list[str]
) -> None:
    token = made_token(site.url, "ravi@example.com", site.player.password)

    played = client(site, token, "--table", "Practice duel 101", *news, program=program)

    assert played.returncode == 0, played.stderr
    # A socket message that is older than an answer is ignored.
    assert "stale_version" not in played.stderr
    lines = played.stdout.splitlines()
    assert lines[0].startswith("Practice duel 101, entry ")
    assert "deal 1, wild card " in played.stdout
    results = [line for line in lines if line[:1].isdigit()]
    assert len(results) == 2
    assert any(line.split()[1] == "ravi:" for line in results)
    assert results[0].startswith("1. ")
    prizes = [prize[1] for row in results if (prize := re.search(r"([\d.]+) PTS", row))]
    # Two entries of 50.00, and one more for each rejoin.
    pot = sum(map(Decimal, prizes))
    assert pot >= 100
    assert pot % 50 == 0


@pytest.mark.extended
def test_example_client_reports_a_wrong_token(site: Any) -> None:
    refused = client(site, "rummy_none")

    assert refused.returncode == 1
    assert "bad_token" in refused.stderr
