"""Private tables for two players, opened and played over HTTP by the moves their views offer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

from bench.against import adapter
from bench.against.client import API, Client, Refused
from bench.against.site import Site, wait
from bench.tables.lines import Line

CLIENTS: Final = 8
SIGN_UPS_AT_ONCE: Final = 2
DEAL_SECONDS: Final = 60.0


class Game:
    """A table with its two players; `view` is the last view of the player `to_act`."""

    def __init__(self, players: Sequence[Client], game: str = "pool") -> None:
        self.players, self.game = players, game
        self.lines: dict[int, Line] = {}
        self.open()

    def open(self) -> None:
        """Open a table of the same kind, for the same players, who take their seats."""
        host = self.players[0]
        kinds = host.get("private-tables/")["results"]
        kind = adapter.private_kind(kinds, self.game)
        opened = host.post("private-tables/", {"kind": kind})
        self.table, self.code, self.stack = adapter.private_table(opened)
        self._sit_down()

    def _sit_down(self) -> None:
        """Let the players who have no seat take one."""
        body: dict[str, Any] = {"code": self.code}
        if self.stack is not None:
            body["amount_minor"] = self.stack
        for player in self.players:
            try:
                player.post(f"tables/{self.table}/seats/", body)
            except Refused as refused:
                if refused.code != "already_seated":
                    raise

    def _reopen(self) -> None:
        """Sit down again if the table still takes players, else leave it and open another.

        The number of tables that a player may have open is limited.
        """
        try:
            self._sit_down()
        except Refused:
            for player in self.players:
                with suppress(Refused):  # Without a seat there is nothing to leave.
                    player.call("DELETE", f"tables/{self.table}/seats/mine/")
            self.open()

    def refresh(self) -> None:
        """Wait until a player can move; if the game is over, open another table."""
        wait(self._is_playing, DEAL_SECONDS, "a deal")

    def _is_playing(self) -> bool:
        for turn, player in enumerate(self.players):
            try:
                view = player.get(f"tables/{self.table}/")
            except Refused as refused:
                if refused.status != 404:
                    raise
                view = None  # Its player has left, or the table is gone.
            if view is None or view["results"] is not None:
                self._reopen()
                return False
            if view["me"] and view["me"]["legal"]:
                self.view, self.turn = view, turn
                return True
        return False

    @property
    def to_act(self) -> Client:
        return self.players[self.turn]

    def follow(self, view: dict[str, Any]) -> None:
        """Take up the view that answered the player to act; the turn may be the other's now."""
        self.view = view
        if not view["me"]["legal"]:
            self.turn = 1 - self.turn

    @property
    def is_playing(self) -> bool:
        deal = self.view["deal"]
        return bool(self.view["phase"] == "playing" and deal and deal["to_act"])

    def move(self) -> str:
        """Return the text of a move that keeps the deal going: draw from the stock, throw it.

        A view without moves is of a player who waits: the other one begins their turn.
        """
        me = self.view["me"]
        return f"x {me['drawn']}" if me["legal"] and me["drawn"] else "ds"

    def body(self, move: str) -> dict[str, Any]:
        return {
            "move_id": str(uuid4()),
            "move": move,
            "expected_version": self.view["version"],
        }

    def step(self) -> None:
        """Make the next move over HTTP, by the site that the players signed in to."""
        move = self.body(self.move())
        self.follow(self.to_act.post(f"tables/{self.table}/moves/", move))

    def drop(self) -> Any:
        """Let the player to act drop; return the view that answers."""
        if "drop" not in self.view["me"]["legal"]:  # A card was drawn before.
            self.step()
        return self.to_act.post(f"tables/{self.table}/moves/", self.body("drop"))


def tables_of(site: Site, tables: int, game: str = "pool", port: int = 0) -> list[Game]:
    """Sign up two players for each table and open it."""
    with ThreadPoolExecutor(SIGN_UPS_AT_ONCE) as workers:
        players = list(workers.map(lambda _: site.signed_up(port), range(2 * tables)))
    return [Game(players[2 * number : 2 * number + 2], game) for number in range(tables)]


def refresh(games: Sequence[Game]) -> None:
    with ThreadPoolExecutor(CLIENTS) as workers:
        list(workers.map(Game.refresh, games))


def play(port: int, games: Sequence[Game], seconds: float) -> list[float]:
    """Make moves at all tables in turn for so many seconds; return the duration of each answer."""
    for game in games:
        game.lines.clear()  # They belong to a loop that is over.
    return asyncio.run(_play(port, games, seconds))


async def _play(port: int, games: Sequence[Game], seconds: float) -> list[float]:
    times: list[float] = []
    until = time.monotonic() + seconds

    async def work(client: int) -> None:
        mine = list(games[client::CLIENTS])
        turn = 0
        while time.monotonic() < until and mine:
            game = mine[turn % len(mine)]
            turn += 1
            sent = time.monotonic()
            if await _post(port, game):
                times.append(time.monotonic() - sent)
            if not game.is_playing:
                mine.remove(game)

    await asyncio.gather(*(work(number) for number in range(CLIENTS)))
    return times


async def _post(port: int, game: Game) -> bool:
    """Send the next move and follow the answer; return whether the move was made."""
    client = game.to_act
    line = game.lines.get(game.turn)
    if line is None:  # Each player keeps a connection, as a browser does.
        line = game.lines[game.turn] = await Line().open(port)
    body = json.dumps(game.body(game.move())).encode()
    head = (
        f"POST {API}tables/{game.table}/moves/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Cookie: {client.cookie}\r\nX-CSRFToken: {client.cookies['csrftoken']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    status, text = await line.ask(head + body)
    answer = json.loads(text)
    if status == 409 and answer.get("view"):  # The clock was faster.
        game.follow(answer["view"])
        return False
    if status != 200:
        raise Refused("POST", f"tables/{game.table}/moves/", status, answer)
    game.follow(answer)
    return True
