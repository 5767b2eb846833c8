"""Gymnasium's environment: one seat, the others played by the package's bots."""

from __future__ import annotations

import random
from typing import Any

import gymnasium

from rummy import bots, thirteen
from rummy.bots.choice import Strength
from rummy.learning.deals import DealEnv, Seen
from rummy.notation.rules import Rules

OWN = "seat_1"


class SeatEnv(gymnasium.Env[Any, Any]):
    """A deal for the agent in the first seat against bots of a strength.

    The observation holds the action mask, as in `DealEnv`; `info["action_mask"]` repeats it for
    libraries that look there. An action that is not offered raises `ValueError`.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # Gymnasium declares it of instances.

    def __init__(
        self,
        rules: Rules | str = "total-rummy-points",
        *,
        players: int = 2,
        strength: Strength = "greedy",
        render_mode: str | None = None,
    ) -> None:
        self.deals = DealEnv(rules, players=players)
        self.strength: Strength = strength
        self.render_mode = render_mode
        self.observation_space = self.deals.observation_space(OWN)
        self.action_space = self.deals.action_space(OWN)
        self._chance = random.Random()  # noqa: S311  # Bots deceive nobody.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Deal and play until the agent's turn; deal again if the bots end the deal before it."""
        super().reset(seed=seed)
        if seed is not None:
            self._chance = random.Random(seed)  # noqa: S311
        self.deals.reset(seed=seed)
        self._let_bots_play()
        while self.deals.terminations[OWN]:
            self.deals.reset()
            self._let_bots_play()
        return self._seen()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        self.deals.step(int(action))
        self._let_bots_play()
        seen, info = self._seen()
        return seen, self.deals.rewards[OWN], self.deals.terminations[OWN], False, info

    def render(self) -> str:
        return self.deals.render()

    def _let_bots_play(self) -> None:
        deals = self.deals
        while deals.agent_selection != OWN and not deals.terminations[OWN]:
            position = deals.possible_agents.index(deals.agent_selection) + 1
            view = thirteen.view(deals.deal, position)
            legal = thirteen.legal_moves(deals.deal, position)
            move = bots.choose(view, legal, self._chance, strength=self.strength)
            deals.play(move)

    def _seen(self) -> tuple[Seen, dict[str, Any]]:
        seen = self.deals.observe(OWN)
        return seen, {"action_mask": seen["action_mask"]}
