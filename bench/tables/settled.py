"""The end of a deal to its posted scores: by a drop, and by a show with its meld window."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import uuid4

import rummy
from bench.tables.site import Game, furnish, percentile, say
from devtools import stack
from devtools.children import stop_children
from tables.models.tables import Table
from tables.play.actions import make_move
from tables.state.fold import fold_of
from tables.state.rules import family_of

PATIENCE_SECONDS: Final = 30
# More turns than bots need; a deal that is not declared by then is left out.
MOVES_AT_MOST: Final = 400


def scores(deals: int) -> None:
    """Time both ends, with the product's own worker; the first few wait for it to start."""
    dropped, shown = furnish(deals, 2), declarable(furnish(deals, 3))
    with worker():
        for name, games, end in (("drop", dropped, drop), ("show", shown, show)):
            times = sorted([posted(game, end(game)) for game in games][3:])
            say(
                f"scores: {len(times)} deals ended by a {name}, median "
                f"{percentile(times, 0.5):.0f} ms, p99 {percentile(times, 0.99):.0f} ms from the "
                "request that ends play to posted scores"
            )


@contextmanager
def worker() -> Iterator[None]:
    # It uses the servers of this run and the product's settings.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    child = stack.start_worker("settle", Path(os.devnull))
    try:
        yield
    finally:
        stop_children([child])


def posted(game: Game, moves: Sequence[tuple[int, str]]) -> float:
    """Send what ends play, thought of beforehand; return the seconds from then to the scores."""
    began = time.monotonic()
    for position, text in moves:
        _send(game, position, text)
    while not game.deal.scores.exists():
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise SystemExit("The worker did not settle within half a minute.")
        time.sleep(0.002)
    return time.monotonic() - began


def drop(game: Game) -> list[tuple[int, str]]:
    return [(1, "drop")]


def show(game: Game) -> list[tuple[int, str]]:
    """Return the declaration, and how everybody else lays their groups at once."""
    family, state = family_of(game.table.profile), fold_of(game.deal).state
    moves = [(state.to_act, _choice(game, state, state.to_act))]
    state = family.apply(state, rummy.parse_move(f"p{moves[0][0]} {moves[0][1]}"))
    return moves + [(at, _choice(game, state, at)) for at in sorted(state.waiting)]


def declarable(games: list[Game]) -> list[Game]:
    """Let greedy bots play each deal until one of them is about to declare."""
    return [game for game in games if _play_to_show(game)]


def _play_to_show(game: Game) -> bool:
    for _ in range(MOVES_AT_MOST):
        position = fold_of(game.deal).state.to_act
        if position is None:
            return False
        text = _choice(game, fold_of(game.deal).state, position)
        if text.startswith("show"):
            return True
        _send(game, position, "ds" if text == "drop" else text)
    return False


def _choice(game: Game, state: Any, position: int) -> str:
    family = family_of(game.table.profile)
    legal = family.legal_moves(state, position)
    return rummy.bots.choose(family.view(state, position), legal, Random(1)).text


def _send(game: Game, position: int, text: str) -> None:
    table = Table.objects.get(pk=game.table.pk)
    make_move(
        seat=game.seats[position - 1].pk,
        move_id=uuid4(),
        text=text,
        expected_version=None if table.window_id else table.version,
        window_id=table.window_id,
    )
