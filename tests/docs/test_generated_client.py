"""A public generator writes a client from the API's description; the client plays a pool."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest

from tests.builders.processes.tokens import made_token

NAME = "pool_rummy"
# What the generator takes for a file, and for text, is named in its own setting.
OPTIONS = """
content_type_overrides:
  application/zip: application/octet-stream
  application/x-ndjson: text/plain
"""
ENDED_WITHIN_SECONDS = 200.0

pytestmark = [pytest.mark.extended, pytest.mark.process, pytest.mark.timeout(280)]


@pytest.fixture(scope="module")
def generated(site: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Generate the package from the running site's description; return what was said about it."""
    folder = tmp_path_factory.mktemp("client")
    options = folder / "options.yml"
    options.write_text(OPTIONS)
    command = [
        *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
        *("--url", f"{site.url}/api/schema/?format=json", "--config", str(options)),
        *("--output-path", str(folder / NAME), "--fail-on-warning"),
    ]
    # It lets ruff put what it has written in order.
    found = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    made = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PATH": found},
    )
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    return str(folder / NAME)


class Bot:
    """A player by the generated client alone: its functions, its models."""

    def __init__(self, url: str, token: str) -> None:
        self.client = import_module(f"{NAME}.client").AuthenticatedClient(url, token)
        self.models: ModuleType = import_module(f"{NAME}.models")

    def call(self, tag: str, operation: str, *path: Any, **more: Any) -> Any:
        module = import_module(f"{NAME}.api.{tag}.{operation}")
        return module.sync(*path, client=self.client, **more)

    def play(self, name: str, *, moves: int | None = None) -> Any:
        """Sit down at the practice table of this name, play, and return the last view.

        That is the one after so many moves of its own, or of the finished game.
        """
        rows = self.call("tables", "tables").results
        table = next(row for row in rows if row.is_practice and row.name == name).id
        view = self.call("tables", "take_seat", table, body=self.models.SeatRequest())
        end, made = time.monotonic() + ENDED_WITHIN_SECONDS, 0
        while view.results is None and made != moves:
            assert time.monotonic() < end, f"the pool is in {view.phase}"
            if (answer := self.act(view)) is None:
                time.sleep(0.05)
            elif isinstance(answer, self.models.TableView):
                view, made = answer, made + 1
                continue
            view = self.call("tables", "table", table)
        return view

    def act(self, view: Any) -> Any:
        """Make the move that the view expects of this seat; return None if there is none."""
        asked = view.window
        if asked and asked.mine and asked.mine.can_answer:
            said = "yes" if asked.kind == "split" else "no"
            body = self.models.AnswerRequest(answer=self.models.AnswerEnum(said))
            return self.call("tables", "answer_window", view.id, asked.id, body=body)
        legal = view.me.legal if view.me else []
        if not legal:
            return None
        if "meld" in legal:
            body = self.models.MoveRequest(move_id=uuid4(), move="meld", window_id=view.window_id)
            return self.call("tables", "make_move", view.id, body=body)
        # The first legal move but giving up: draw, or throw any card.
        move = next((one for one in legal if one[:1] in "dx" and one != "drop"), legal[0])
        body = self.models.MoveRequest(move_id=uuid4(), move=move, expected_version=view.version)
        return self.call("tables", "make_move", view.id, body=body)


@pytest.fixture
def bot(site: Any, generated: str) -> Iterator[Bot]:
    token = made_token(site.url, "ravi@example.com", site.player.password)
    made = Bot(site.url, token)
    yield made
    made.client.get_httpx_client().close()


def test_a_generated_client_sits_down_draws_throws_and_leaves(bot: Bot) -> None:
    view = bot.play("Practice duel 101", moves=4)

    left = bot.call("tables", "leave_seat", view.id)

    assert view.me.legal is not None
    assert left is None, left


@pytest.mark.soak
def test_a_generated_client_plays_a_whole_pool_to_the_payout(bot: Bot) -> None:
    view = bot.play("Practice duel 101")

    assert [result.place for result in view.results] == [1, 2]
    assert sum(result.prize.minor for result in view.results) > 0
    assert {result.prize.currency for result in view.results} == {"PTS"}


def test_the_generated_client_reads_refusals_lists_and_files(bot: Bot) -> None:
    refused = bot.call("tables", "table", uuid4())
    rules = bot.call("rules", "rules", "pool-101")

    assert isinstance(refused, bot.models.Problem)
    assert (refused.status, refused.code) == (404, "not_found")
    assert rules is not None
    assert bot.call("games", "games").next_ is None


def test_every_operation_has_a_name_that_says_what_it_does(generated: str) -> None:
    names = {path.stem for path in Path(generated).glob("api/*/*.py")}

    assert {"make_move", "take_seat", "leave_seat", "answer_window", "statement"} <= names
    generic = ("_retrieve", "_create", "_update", "_destroy", "_list", "_200")
    assert [name for name in names if name.endswith(generic)] == []
