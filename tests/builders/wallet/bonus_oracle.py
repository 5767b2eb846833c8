"""A model of bonuses in plain Python, to compare with the database."""

from __future__ import annotations

from dataclasses import dataclass, field

CAP = 10  # A bonus pays at most a tenth of an entry, and a tenth of one is released.


@dataclass
class Lot:
    player: int
    mode: str
    left: int
    end: int


@dataclass
class Paid:
    """A stake: what each lot and the deposit paid of it."""

    player: int
    parts: list[tuple[int | None, int]]
    status: str = "live"

    @property
    def entry(self) -> int:
        return sum(minor for _, minor in self.parts)


@dataclass
class BonusOracle:
    """Players with endless deposits, lots by their number, and games of several stakes."""

    today: int = 0
    lots: list[Lot] = field(default_factory=list)
    games: list[list[Paid]] = field(default_factory=list)
    deposit: dict[int, int] = field(default_factory=dict)
    winnings: dict[int, int] = field(default_factory=dict)
    promotions: int = 0

    def grant(self, player: int, mode: str, amount: int, days: int) -> None:
        self.lots.append(Lot(player, mode, amount, self.today + days))
        self.promotions -= amount

    def join(self, game: int, player: int, entry: int) -> None:
        missing, limit, parts = entry, entry // CAP, []
        for number in self._live(player, "spend"):
            if minor := min(self.lots[number].left, limit):
                self.lots[number].left -= minor
                limit, missing = limit - minor, missing - minor
                parts.append((number, minor))
        parts.append((None, missing))
        self.deposit[player] = self.deposit.get(player, 0) - missing
        self.games[game].append(Paid(player, parts))

    def leave(self, game: int, place: int) -> None:
        self._give_back(self.games[game][place])

    def lose(self, game: int, place: int) -> None:
        self.games[game][place].status = "lost"

    def cancel(self, game: int) -> None:
        for paid in self.playing(game):
            self._give_back(paid)

    def settle(self, game: int, winner: int) -> None:
        playing = self.playing(game)
        self._win(winner, sum(paid.entry for paid in playing))
        for paid in playing:
            paid.status = "settled"
            rest = paid.entry
            for number in self._live(paid.player, "release"):
                lot = self.lots[number]
                share = min(lot.left, rest // CAP)
                used_up = share == lot.left
                lot.left -= share
                self._win(paid.player, share)
                if not used_up:
                    break
                rest -= share * CAP

    def sweep(self) -> None:
        for lot in self.lots:
            if lot.end <= self.today:
                self._expire(lot)

    def playing(self, game: int) -> list[Paid]:
        return [paid for paid in self.games[game] if paid.status in {"live", "lost"}]

    def held(self, player: int, mode: str) -> int:
        """Return what the bucket of a mode holds: of lots past their end too, until a sweep."""
        return sum(lot.left for lot in self.lots if (lot.player, lot.mode) == (player, mode))

    def _live(self, player: int, mode: str) -> list[int]:
        mine = [
            (lot.end, number)
            for number, lot in enumerate(self.lots)
            if (lot.player, lot.mode) == (player, mode) and lot.left and lot.end > self.today
        ]
        return [number for _, number in sorted(mine)]

    def _give_back(self, paid: Paid) -> None:
        paid.status = "refunded"
        for number, minor in paid.parts:
            if number is None:
                self.deposit[paid.player] += minor
                continue
            self.lots[number].left += minor
            if self.lots[number].end <= self.today:
                self._expire(self.lots[number])

    def _expire(self, lot: Lot) -> None:
        self.promotions += lot.left
        lot.left = 0

    def _win(self, player: int, minor: int) -> None:
        self.winnings[player] = self.winnings.get(player, 0) + minor
