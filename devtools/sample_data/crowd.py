"""A crowd beside the house's regulars: every day others come, pay in, play, and take money out."""

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
# At a table of six so many play on, the others fold when they may.
PLAYING_ON: Final = 2
# One in so many asks for half of what they may withdraw.
ASKING: Final = 3
SitDown = Callable[[str, int, Sequence[User]], Table | None]


@dataclass
class Crowd:
    """People who come once; staff know each of them."""

    people: People
    staff: Staff
    cashier: Cashier
    # How many come a day.
    newcomers: int
    players: list[User] = field(default_factory=list)
    # Those of today play, those of yesterday ask for money: new deposits wait for a day.
    today: list[User] = field(default_factory=list)
    yesterday: list[User] = field(default_factory=list)

    def arrive(self) -> None:
        """Let today's newcomers sign up, show who they are, and pay in."""
        self.yesterday = self.today
        self.today = [self.people.sign_up() for _ in range(self.newcomers)]
        if not self.today:
            return
        self.people.be_known(*self.today, by=self.staff)
        for player in self.today:
            self.cashier.pay_in(player, self.cashier.house.chance.choice(SUMS))
        self.players += self.today

    def ask_for_money(self) -> list[Withdrawal]:
        """Let some of those who came yesterday ask for theirs; return what they asked for."""
        asked = [self.cashier.ask_for(player, 0.5) for player in self.yesterday[::ASKING]]
        return [withdrawal for withdrawal in asked if withdrawal is not None]

    def play(self, sit_down: SitDown) -> int:
        """Let everybody who came today play a deal of points; return how many games it took."""
        games = 0
        for place in range(0, len(self.today), SEATS):
            group = self.today[place : place + SEATS]
            table = sit_down("points-cash", 2, group)
            if table is None:
                continue
            quitters = [player.pk for player in group[PLAYING_ON:]]
            Game(self.cashier.house, table.pk, quitters=quitters).play(deals=1)
            games += 1
        return games
