"""One side of the comparison: a tree, and what its rows share, started when first needed."""

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
    """A tree with its site, tables and ledger."""

    def __init__(self, tree: Tree, seconds: float) -> None:
        self.tree, self.seconds = tree, seconds
        self.digests: dict[str, str] = {}
        self._is_warm = False

    def warm_up(self) -> None:
        """Start the tree once, so that no row measures how its modules are compiled."""
        if not self._is_warm:
            self._say("compiles its modules")
            manage(self.tree, "check")
            self._is_warm = True

    @cached_property
    def site(self) -> Site:
        self.warm_up()
        self._say("starts its demo")
        return Site(self.tree)

    @cached_property
    def games(self) -> list[Game]:
        """Return tables at which moves are made, all at once."""
        self._say(f"opens {TABLES} tables")
        return tables_of(self.site, TABLES)

    @cached_property
    def settled(self) -> dict[str, list[Game]]:
        """Return tables of each game whose deals are ended one at a time."""
        self._say("opens tables to settle")
        return {game: tables_of(self.site, SETTLED_TABLES, game) for game in ("pool", "points")}

    @cached_property
    def ledger(self) -> Ledger:
        self._say("fills a ledger")
        return Ledger(self.site)

    @cached_property
    def journal_token(self) -> str:
        return self.ledger.token()

    def forget_tables(self) -> None:
        """Let tables be opened anew, for the processes that served them have ended."""
        for name in ("games", "settled"):
            self.__dict__.pop(name, None)

    def close(self) -> None:
        if "site" in self.__dict__:
            self.site.close()

    def _say(self, text: str) -> None:
        print(f"  {self.tree.side}: {text}", file=sys.stderr, flush=True)

    @property
    def rules_script(self) -> Path:
        return Path(__file__).with_name("rules.py")
