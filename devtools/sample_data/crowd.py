"""Occasional players beside the regulars: each day new ones deposit, play, and withdraw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from devtools.sample_data.cashier import SUMS, Cashier
from devtools.sample_data.games import Game
from devtools.sample_data.people import People, Staff
from players.accounts.models import User
from tables.models.tables import Table
from wallet.withdrawals.models import Withdrawal

SEATS: Final = 6
# At a table of six this many play on; the others fold when possible.
PLAYING_ON: Final = 2
# One player in this many withdraws half of the withdrawable amount.
ASKING: Final = 3
SitDown = Callable[[str, int, Sequence[User]], Table | None]


@dataclass
class Crowd:
    """Verified players who play on one day."""

    people: People
    staff: Staff
    cashier: Cashier
    # New players per day.
    newcomers: int
    players: list[User] = field(default_factory=list)
    # Today's players play; yesterday's withdraw, because new deposits are held for a day.
    today: list[User] = field(default_factory=list)
    yesterday: list[User] = field(default_factory=list)

    def arrive(self) -> None:
        """Sign up today's players, verify them, and make their deposits."""
        self.yesterday = self.today
        self.today = [self.people.sign_up() for _ in range(self.newcomers)]
        if not self.today:
            return
        self.people.be_known(*self.today, by=self.staff)
        for player in self.today:
            self.cashier.pay_in(player, self.cashier.site_clock.chance.choice(SUMS))
        self.players += self.today

    def ask_for_money(self) -> list[Withdrawal]:
        """Request withdrawals for some of yesterday's players; return the requests."""
        asked = [self.cashier.ask_for(player, 0.5) for player in self.yesterday[::ASKING]]
        return [withdrawal for withdrawal in asked if withdrawal is not None]

    def play(self, sit_down: SitDown) -> int:
        """Let today's players play one deal of points each; return the number of games."""
        games = 0
        for place in range(0, len(self.today), SEATS):
            group = self.today[place : place + SEATS]
            table = sit_down("points-cash", 2, group)
            if table is None:
                continue
            quitters = [player.pk for player in group[PLAYING_ON:]]
            Game(self.cashier.site_clock, table.pk, quitters=quitters).play(deals=1)
            games += 1
        return games
