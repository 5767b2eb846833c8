"""One side of the comparison: a checkout with its site, tables and ledger, started on first use."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path

from bench.against.games import Game, tables_of
from bench.against.ledger import Ledger
from bench.against.site import Site, manage
from bench.against.trees import Tree

TABLES = 8
SETTLED_TABLES = 3


class Side:
    """A checkout with its site, tables and ledger, shared by all measurements of this side."""

    def __init__(self, tree: Tree, seconds: float) -> None:
        self.tree, self.seconds = tree, seconds
        self.digests: dict[str, str] = {}
        self._is_warm = False

    def warm_up(self) -> None:
        """Run a command once, so that no measurement includes the compilation of modules."""
        if not self._is_warm:
            self._print("compiling modules")
            manage(self.tree, "check")
            self._is_warm = True

    @cached_property
    def site(self) -> Site:
        self.warm_up()
        self._print("starting the demo")
        return Site(self.tree)

    @cached_property
    def games(self) -> list[Game]:
        """Return the tables for measuring moves, which are played concurrently."""
        self._print(f"opening {TABLES} tables")
        return tables_of(self.site, TABLES)

    @cached_property
    def settled(self) -> dict[str, list[Game]]:
        """Return, by game, the tables for measuring settlements, whose deals end one at a time."""
        self._print("opening tables to settle")
        return {game: tables_of(self.site, SETTLED_TABLES, game) for game in ("pool", "points")}

    @cached_property
    def waiting(self) -> Game:
        """Return a table of one player, which waits for another."""
        [player, _] = self.settled["pool"][0].players
        game = Game([player])
        player.call("DELETE", f"tables/{game.table}/seats/mine/")
        return game

    @cached_property
    def ledger(self) -> Ledger:
        self._print("filling a ledger")
        return Ledger(self.site)

    @cached_property
    def journal_token(self) -> str:
        return self.ledger.token()

    def forget_tables(self) -> None:
        """Drop the cached tables, whose processes have ended; the next use opens new ones."""
        for name in ("games", "settled", "waiting"):
            self.__dict__.pop(name, None)

    def close(self) -> None:
        if "site" in self.__dict__:
            self.site.close()

    def _print(self, text: str) -> None:
        print(f"  {self.tree.side}: {text}", file=sys.stderr, flush=True)

    @property
    def rules_script(self) -> Path:
        return Path(__file__).with_name("rules.py")
