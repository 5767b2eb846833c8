"""Many deals at once in NumPy arrays, with the observations of `DealEnv`."""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rummy import thirteen
from rummy.learning.encoding import (
    ACTIONS,
    ACTIVE,
    BELOW,
    CARDS,
    DRAW_OPEN,
    DRAW_STOCK,
    DRAWN,
    DROP,
    HAND,
    SHOW,
    SHUFFLED,
    SIZE,
    STOCK,
    TOP,
    WILD,
    Mask,
    Row,
)
from rummy.notation.cards import CARDS as PACK
from rummy.notation.cards import JOKER_INDEX, Card, Rank
from rummy.notation.profiles import profile
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream
from rummy.solver.arrangement import declarable, hand_points
from rummy.thirteen.endings import loss
from rummy.thirteen.state import full_deck

Games: TypeAlias = npt.NDArray[np.intp]
"""Indices of games."""
Flags: TypeAlias = npt.NDArray[np.bool_]
Rewards: TypeAlias = npt.NDArray[np.float64]
Seen: TypeAlias = dict[str, Row | Mask]


class BatchEnv:
    """Deals of one profile, played at the same time; every array has one row a game.

    `seats` are the positions to act. A game that ends is dealt anew in the same step, so all games
    always await an action. Game `i` of `reset(seed)` is the sequence of deals that `DealEnv` plays
    after `reset(seed + i)`, with equal observations, masks and rewards.
    """

    def __init__(
        self, rules: Rules | str = "total-rummy-points", *, games: int = 256, players: int = 2
    ) -> None:
        self.rules = profile(rules) if isinstance(rules, str) else rules
        self.games, self.players = games, players
        deck = len(full_deck(self.rules, players))
        self._all = np.arange(games)
        self._chances = [np.random.default_rng() for _ in range(games)]
        self._streams: list[Stream] = [Stream(bytes(32))] * games
        self._hands = np.zeros((games, players, CARDS), np.uint8)
        self._below = np.zeros((games, CARDS), np.uint8)
        self._stock = np.zeros((games, deck), np.int8)
        self._dealt = np.zeros(games, np.intp)
        self._left = np.zeros(games, np.intp)
        self._pile = np.zeros((games, deck), np.int8)
        self._height = np.zeros(games, np.intp)
        self._wild = np.zeros(games, np.intp)
        self._turn = np.zeros(games, np.intp)
        self._is_drawn = np.zeros(games, np.bool_)
        self._is_first = np.zeros(games, np.bool_)
        self._shuffled = np.zeros(games, np.intp)
        self._active = np.zeros((games, players), np.bool_)
        self._has_drawn = np.zeros((games, players), np.bool_)
        self._points = np.zeros((games, players), np.intp)
        self._mask: Mask = np.zeros((games, ACTIONS), np.int8)

    @property
    def seats(self) -> Games:
        """The position to act of each game, 1 first."""
        return self._turn + 1

    def reset(self, seed: int | None = None) -> Seen:
        """Deal all games; return their observations and masks."""
        if seed is not None:
            self._chances = [np.random.default_rng(seed + game) for game in range(self.games)]
        for game in range(self.games):
            self._deal(game)
        return self._seen()

    def step(self, actions: npt.ArrayLike) -> tuple[Seen, Rewards, Flags]:
        """Make one move in each game; raise `ValueError` for an action that a mask excludes.

        Return the observations and masks of the next positions to act, the rewards of all positions
        (0 while a deal goes on), and which deals have ended.
        """
        made = np.asarray(actions, np.intp)
        if made.shape != (self.games,) or made.min() < 0 or made.max() >= ACTIONS:
            raise ValueError(f"actions are {self.games} numbers from 0 to {ACTIONS - 1}")
        if not (is_offered := self._mask[self._all, made] == 1).all():
            game = int(np.flatnonzero(~is_offered)[0])
            raise ValueError(f"action {made[game]} is not offered in game {game} now")
        rewards, ended = np.zeros((self.games, self.players)), np.zeros(self.games, np.bool_)
        self._draw_stock(np.flatnonzero(made == DRAW_STOCK))
        self._draw_open(np.flatnonzero(made == DRAW_OPEN))
        self._discard(np.flatnonzero(made < CARDS), made[made < CARDS])
        self._drop(np.flatnonzero(made == DROP))
        over = [(int(game), "show") for game in np.flatnonzero(made == SHOW)]
        over += self._end_turns(np.flatnonzero((made < CARDS) | (made == DROP)))
        for game, ending in over:
            rewards[game], ended[game] = self._rewards(game, ending), True
            self._deal(game)
        return self._seen(), rewards, ended

    def _deal(self, game: int) -> None:
        """Start the next deal of a game."""
        seed = hashlib.sha256(self._chances[game].bytes(32)).digest()
        deal = thirteen.start(self.rules, players=self.players, stream=Stream(seed))
        for place, seat in enumerate(deal.seats):
            held = [card.index for card in seat.hand]
            self._hands[game, place] = np.bincount(held, minlength=CARDS)
        self._streams[game] = deal.stream
        self._fill_stock(game, [card.index for card in deal.stock])
        self._below[game], self._height[game] = 0, 1
        self._pile[game, 0] = deal.pile[0].index
        self._wild[game], self._turn[game], self._shuffled[game] = deal.wild_rank - 1, 0, 0
        self._is_drawn[game], self._is_first[game] = False, True
        self._active[game], self._has_drawn[game], self._points[game] = True, False, 0

    def _fill_stock(self, game: int, cards: list[int]) -> None:
        self._stock[game, : len(cards)] = cards
        self._dealt[game], self._left[game] = 0, len(cards)

    def _draw_stock(self, games: Games) -> None:
        self._take(games, self._stock[games, self._dealt[games]])
        self._dealt[games] += 1
        self._left[games] -= 1

    def _draw_open(self, games: Games) -> None:
        top = self._height[games] - 1
        self._take(games, self._pile[games, top])
        self._height[games] = top
        below, top = games[top > 0], top[top > 0]
        self._below[below, self._pile[below, top - 1]] -= 1
        self._is_first[games] = False

    def _take(self, games: Games, cards: npt.NDArray[np.int8]) -> None:
        self._hands[games, self._turn[games], cards] += 1
        self._is_drawn[games] = self._has_drawn[games, self._turn[games]] = True

    def _discard(self, games: Games, cards: Games) -> None:
        self._hands[games, self._turn[games], cards] -= 1
        height = self._height[games]
        covered = games[height > 0]
        self._below[covered, self._pile[covered, height[height > 0] - 1]] += 1
        self._pile[games, height] = cards
        self._height[games] = height + 1
        self._is_first[games] = False

    def _drop(self, games: Games) -> None:
        turn = self._turn[games]
        prices = np.array([self.rules.first_drop, self.rules.middle_drop])
        self._points[games, turn] = prices[self._has_drawn[games, turn].astype(np.intp)]
        self._active[games, turn] = False

    def _end_turns(self, games: Games) -> list[tuple[int, str]]:
        """Pass the turns on and refill empty stocks; return the deals that end, and how."""
        following = (self._turn[games, None] + 1 + np.arange(self.players)) % self.players
        is_active = self._active[games[:, None], following]
        self._turn[games] = following[np.arange(len(games)), is_active.argmax(axis=1)]
        self._is_drawn[games] = False
        is_last = is_active.sum(axis=1) == 1
        over = [(int(game), "last_standing") for game in games[is_last]]
        for game in map(int, games[~is_last & (self._left[games] == 0)]):
            if self._shuffled[game] >= self.rules.max_reshuffles or self._height[game] < 2:
                over.append((game, "exhausted"))
            else:
                self._reshuffle(game)
        return over

    def _reshuffle(self, game: int) -> None:
        height = self._height[game]
        cards, self._streams[game] = self._streams[game].shuffled(
            self._pile[game, : height - 1].tolist()
        )
        self._fill_stock(game, list(cards))
        self._pile[game, 0] = self._pile[game, height - 1]
        self._below[game], self._height[game], self._is_first[game] = 0, 1, False
        self._shuffled[game] += 1

    def _rewards(self, game: int, ending: str) -> Rewards:
        """Return the rewards of a deal that ends with the position on turn, or is exhausted."""
        winner, points = int(self._turn[game]), self._points[game].copy()
        wild = Rank(int(self._wild[game]) + 1)
        if ending != "last_standing":
            asked: list[int] = np.flatnonzero(self._active[game]).tolist()
            if ending == "show":
                asked.remove(winner)
            exact = {
                place: hand_points(_cards(self._hands[game, place]), wild=wild, rules=self.rules)
                for place in asked
            }
            if ending == "exhausted":
                winner = min(exact, key=lambda place: (exact[place], place))
            for place, cost in exact.items():
                had_turn = ending != "show" or bool(self._has_drawn[game, place])
                points[place] = loss(self.rules, cost, has_had_turn=had_turn, is_absent=False)
            points[winner] = 0
        rewards: Rewards = -points.astype(np.float64)
        rewards[winner] += points.sum()
        return rewards

    def _seen(self) -> Seen:
        """Return the observations and masks of the positions to act."""
        every, turn, height = self._all, self._turn, self._height
        hands, has_top = self._hands[every, turn], height > 0
        top = self._pile[every, height - 1]
        rows: Row = np.zeros((self.games, SIZE), np.uint8)
        rows[:, HAND], rows[:, BELOW] = hands, self._below
        rows[every[has_top], TOP.start + top[has_top]] = 1
        rows[every, WILD.start + self._wild] = 1
        rows[:, DRAWN], rows[:, STOCK] = self._is_drawn, self._left
        rows[:, SHUFFLED] = self._shuffled
        order = (turn[:, None] + np.arange(self.players)) % self.players
        rows[:, ACTIVE.start : ACTIVE.start + self.players] = self._active[every[:, None], order]
        drawn = np.flatnonzero(self._is_drawn)
        waits = ~self._is_drawn
        mask: Mask = np.zeros((self.games, ACTIONS), np.int8)
        mask[drawn, :CARDS] = hands[drawn] > 0
        mask[drawn, SHOW] = self._declares(hands[drawn], self._wild[drawn])
        mask[:, DRAW_STOCK] = waits & (self._left > 0)
        mask[:, DRAW_OPEN] = waits & has_top & self._may_take(top)
        mask[:, DROP] = waits & self.rules.drops_allowed
        self._mask = mask.copy()
        return {"observation": rows, "action_mask": mask}

    def _may_take(self, top: npt.NDArray[np.int8]) -> Flags | bool:
        """Return in which games these cards may be taken from the open pile (RB 5.3)."""
        if self.rules.open_joker == "always":
            return True
        may_take: Flags = (top != JOKER_INDEX) & (top % 13 != self._wild)
        if self.rules.open_joker == "first_only":
            may_take |= self._is_first
        return may_take

    def _declares(self, hands: Row, wild: Games) -> Flags:
        """Return which hands of 14 can be shown; most are refused without the solver."""
        shown = np.zeros(len(hands), np.bool_)
        for place in np.flatnonzero(_may_declare(hands, wild, self.rules)).tolist():
            rank = Rank(int(wild[place]) + 1)
            shown[place] = bool(declarable(_cards(hands[place]), wild=rank, rules=self.rules))
        return shown


def _cards(counts: Row) -> list[Card]:
    """Return the cards of a row of counts by index."""
    return [PACK[index] for index in np.flatnonzero(counts) for _ in range(counts[index])]


def _may_declare(hands: Row, wild: Games, rules: Rules) -> Flags:
    """Return whether hands have a pure sequence, and jokers enough for cards that fit no other.

    A card with none of its suit within two ranks and none of its rank needs two jokers, except the
    finish card.
    """
    held = hands[:, :JOKER_INDEX].reshape(-1, 4, 13)
    there = held > 0
    line = np.concatenate([there, there[:, :, :1]], axis=2)
    pure = (line[:, :, 2:] & line[:, :, 1:-1] & line[:, :, :-2]).any(axis=(1, 2))
    near = there.sum(axis=1, keepdims=True) > 1
    for step in (-2, -1, 1, 2):
        near = near | np.roll(there, step, axis=2)
    if rules.identical_triples:
        pure |= (held > 2).any(axis=(1, 2))
        near |= held > 2
    every = np.arange(len(hands))
    jokers = hands[:, JOKER_INDEX] + held[every, :, wild].sum(axis=1, dtype=np.intp)
    alone = np.where(near, 0, held)
    alone[every, :, wild] = 0
    may_declare: Flags = pure & (2 * alone.sum(axis=(1, 2), dtype=np.intp) <= jokers + 2)
    return may_declare
