"""PettingZoo's environment: one deal, every seat an agent."""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from rummy import thirteen
from rummy.bots import closing
from rummy.learning.encoding import ACTIONS, SIZE, Choices, Mask, Row, choices, mask, observation
from rummy.notation.moves import Move
from rummy.notation.profiles import profile
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream
from rummy.thirteen.deal import Deal

Seen: TypeAlias = dict[str, Row | Mask]
BIGGEST: Final = 255


class DealEnv(AECEnv[str, Seen, int]):  # type: ignore[misc]  # PettingZoo is not typed everywhere.
    """A deal by house rules; agents are `seat_1` and so on, in turn order.

    The solver answers a show for the agents. A deal ends for all agents at once: the winner's
    reward is the sum of the others' points, a loser's is the negative of the own points.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "rummy_deal_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Rules | str = "total-rummy-points",
        *,
        players: int = 2,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = profile(rules) if isinstance(rules, str) else rules
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{position}" for position in range(1, players + 1)]
        self._positions = {agent: at for at, agent in enumerate(self.possible_agents, start=1)}
        self.observation_spaces = {agent: _seen_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}
        self._chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Dict[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new deal; the same seed gives the same sequence of deals."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        stream = Stream(hashlib.sha256(self._chance.bytes(32)).digest())
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on(thirteen.start(self.rules, players=len(self.agents), stream=stream))

    def step(self, action: int | None) -> None:
        """Make the agent's move; raise `ValueError` for an action that its mask excludes."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        move = self._offered.get(int(action)) if action is not None else None
        if move is None:
            raise ValueError(f"action {action} is not offered to {agent} now")
        self.play(move)

    def play(self, move: Move) -> None:
        """Make a move chosen by a bot for the agent whose turn it is."""
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._go_on(thirteen.apply(self.deal, move))
        self._accumulate_rewards()

    def observe(self, agent: str) -> Seen:
        """Return the agent's observation and mask; the mask is 0 outside the agent's turn."""
        is_asked = agent == self.agent_selection and not self.terminations.get(agent, True)
        view = self._view if is_asked else thirteen.view(self.deal, self._positions[agent])
        return {
            "observation": observation(view),
            "action_mask": mask(self._offered if is_asked else {}),
        }

    def render(self) -> str:
        """Return the deal as one line with all cards, for people and not for agents."""
        return thirteen.format_position(self.deal)

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""

    def _go_on(self, deal: Deal) -> None:
        """Answer shows, then select the next agent, or set the rewards at the end."""
        while deal.waiting:
            deal = thirteen.apply(deal, closing.meld(thirteen.view(deal, min(deal.waiting))))
        self.deal = deal
        self._offered: Choices = {}
        if deal.to_act is not None and deal.phase == "playing":
            self.agent_selection = self.possible_agents[deal.to_act - 1]
            self._view = thirteen.view(deal, deal.to_act)
            self._offered = choices(self._view, thirteen.legal_moves(deal, deal.to_act))
            return
        outcome = thirteen.outcome(deal)
        assert outcome is not None, "a deal nobody is asked in is over"
        for result in outcome.results:
            agent = self.possible_agents[result.position - 1]
            self.rewards[agent] = float(-result.points)
            self.terminations[agent] = True
        won = sum(result.points for result in outcome.results)
        self.rewards[self.possible_agents[outcome.winner - 1]] += won


def _seen_space() -> spaces.Dict[Any]:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, BIGGEST, shape=(SIZE,), dtype=np.uint8),
            "action_mask": spaces.Box(0, 1, shape=(ACTIONS,), dtype=np.int8),
        }
    )
