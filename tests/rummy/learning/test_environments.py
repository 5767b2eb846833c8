"""Deals as environments: the libraries' API tests, observations and rewards."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from rummy import PROFILES, bots, thirteen
from rummy.learning import (
    ACTIONS,
    DRAW_OPEN,
    DRAW_STOCK,
    DROP,
    SHOW,
    SIZE,
    BatchEnv,
    DealEnv,
    SeatEnv,
)
from rummy.learning.encoding import ACTIVE, BELOW, HAND, STOCK, TOP, WILD, choices, observation

# What PettingZoo says of every observation with a mask, but for those of its own games.
OF_ITS_OWN_GAMES = [
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",
]


def offered(seen: dict[str, np.ndarray]) -> list[int]:
    return [int(action) for action in np.flatnonzero(seen["action_mask"])]


def play_by_chance(env: DealEnv, chance: random.Random) -> dict[str, float]:
    """Play a deal without drops, shows as soon as they are offered; return the rewards."""
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, is_over, _, _ = env.last()
        rewards[agent] += reward
        if is_over:
            env.step(None)
            continue
        actions = [action for action in offered(seen) if action != DROP]
        env.step(SHOW if SHOW in actions else chance.choice(actions))
    return rewards


@pytest.mark.parametrize("players", [2, 6])
def test_pettingzoo_finds_nothing_wrong(players: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for expected in OF_ITS_OWN_GAMES:
            warnings.filterwarnings("ignore", message=expected)
        api_test(DealEnv(players=players), num_cycles=400)
        seed_test(lambda: DealEnv(players=players), num_cycles=40)


def test_gymnasium_finds_nothing_wrong() -> None:
    check_env(Guided(), skip_render_check=True)  # It renders what it is made of: text.


class Guided(SeatEnv):
    """Gymnasium's checker draws actions without the mask: they stand for offered ones here."""

    def step(self, action):
        choices = offered(self.deals.observe("seat_1"))
        return super().step(choices[int(action) % len(choices)])


def test_an_observation_encodes_the_view_of_its_seat() -> None:
    env = DealEnv(players=3)
    env.reset(seed=7)
    first, deal = env.agent_selection, env.deal
    position = env.possible_agents.index(first) + 1
    view = thirteen.view(deal, position)
    row = env.observe(first)["observation"]

    assert row.shape == (SIZE,)
    assert row[HAND].sum() == 13
    assert [int(at) for at in np.flatnonzero(row[TOP])] == [view.open_pile[-1].index]
    assert row[BELOW].sum() == len(view.open_pile) - 1
    assert int(np.flatnonzero(row[WILD])[0]) + 1 == view.wild_rank
    assert row[STOCK] == view.stock
    assert row[ACTIVE].tolist() == [1, 1, 1, 0, 0, 0]
    # Another's hand changes nothing: the row is made of the seat's view.
    assert (observation(view) == row).all()
    others = [agent for agent in env.agents if agent != first]
    assert all(not env.observe(agent)["action_mask"].any() for agent in others)
    assert offered(env.observe(first)) == [DRAW_STOCK, DRAW_OPEN, DROP]


@pytest.mark.extended
@pytest.mark.parametrize("name", sorted(PROFILES))
def test_rewards_are_the_points_of_the_deal_and_cancel_out(name: str) -> None:
    env = DealEnv(name, players=2)
    chance = random.Random(3)
    won = 0
    for seed in range(3):
        env.reset(seed=seed)
        rewards = play_by_chance(env, chance)
        outcome = thirteen.outcome(env.deal)
        winner = env.possible_agents[outcome.winner - 1]
        loser = next(agent for agent in env.possible_agents if agent != winner)
        points = sum(result.points for result in outcome.results)
        assert rewards == {winner: points, loser: -points}
        won += outcome.ending == "show"
    assert env.agents == []


def test_masked_action_raises_and_changes_nothing() -> None:
    env = DealEnv()
    env.reset(seed=1)
    before = env.deal

    for action in (SHOW, 0, ACTIONS, None):
        with pytest.raises(ValueError, match="not offered"):
            env.step(action)

    assert env.deal is before


def test_a_hand_that_declares_is_shown_and_wins() -> None:
    env = DealEnv()
    for seed in range(200):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            seen = env.observe(env.agent_selection)
            if SHOW in offered(seen):
                shower = env.agent_selection
                env.step(SHOW)
                assert env.rewards[shower] > 0
                return
            position = env.possible_agents.index(env.agent_selection) + 1
            view = thirteen.view(env.deal, position)
            env.play(bots.choose(view, thirteen.legal_moves(env.deal, position)))
    pytest.fail("in 200 deals nobody could show")


def test_one_seat_plays_against_bots_to_the_end() -> None:
    env, chance = SeatEnv(players=4, strength="greedy"), random.Random(1)
    for seed in range(5):
        seen, info = env.reset(seed=seed)
        is_over = False
        while not is_over:
            assert (info["action_mask"] == seen["action_mask"]).all()
            seen, reward, is_over, is_cut, info = env.step(chance.choice(offered(seen)))
            assert not is_cut
        assert reward == env.deals.rewards["seat_1"] != 0


def chosen(env: DealEnv, chance: random.Random, game: int) -> int:
    """Return an action: the greedy bot's in game 0, else one by chance, with drops in game 1."""
    actions = offered(env.observe(env.agent_selection))
    if SHOW in actions:
        return SHOW
    if game == 0:
        position = env.possible_agents.index(env.agent_selection) + 1
        view = thirteen.view(env.deal, position)
        move = bots.choose(view, thirteen.legal_moves(env.deal, position), chance)
        [action] = choices(view, (move,))
        return action
    may_drop = game == 1 and chance.random() < 0.05
    return chance.choice([action for action in actions if may_drop or action != DROP])


def compare_batch(rules: str, players: int, steps: int) -> dict[str, int]:
    """Play a batch beside single environments, comparing every step; count how deals ended."""
    games, endings = 4, dict.fromkeys(("show", "last_standing", "exhausted"), 0)
    batch = BatchEnv(rules, games=games, players=players)
    singles = [DealEnv(rules, players=players) for _ in range(games)]
    seen = batch.reset(5)
    for game, env in enumerate(singles):
        env.reset(seed=5 + game)
    chance = random.Random(f"{rules} {players}")
    for _ in range(steps):
        for game, env in enumerate(singles):
            agent = env.agent_selection
            assert batch.seats[game] == env.possible_agents.index(agent) + 1
            for name, row in env.observe(agent).items():
                assert (seen[name][game] == row).all()
        actions = [chosen(env, chance, game) for game, env in enumerate(singles)]
        seen, rewards, ended = batch.step(actions)
        for game, env in enumerate(singles):
            env.step(actions[game])
            assert rewards[game].tolist() == [env.rewards[agent] for agent in env.possible_agents]
            assert ended[game] == any(env.terminations.values())
            if ended[game]:
                endings[env.deal.ending] += 1
                env.reset()
    return endings


def test_batched_games_equal_single_ones() -> None:
    endings = compare_batch("total-rummy-points", 2, 600)

    assert all(endings.values()), endings


@pytest.mark.extended
@pytest.mark.parametrize("name", sorted(PROFILES))
def test_batched_games_of_every_profile_equal_single_ones(name: str) -> None:
    for players in (3, PROFILES[name].players_max):
        endings = compare_batch(name, players, 250)
        assert sum(endings.values()) > 0


def test_a_batch_refuses_actions_outside_its_masks() -> None:
    batch = BatchEnv(games=3)
    seen = batch.reset(1)
    with pytest.raises(ValueError, match=f"action {SHOW} is not offered in game 1"):
        batch.step([DRAW_STOCK, SHOW, DRAW_STOCK])
    for wrong in ([DRAW_STOCK], [ACTIONS, DRAW_STOCK, DRAW_STOCK], [-1, DRAW_STOCK, DRAW_STOCK]):
        with pytest.raises(ValueError, match="3 numbers from 0 to 56"):
            batch.step(wrong)

    seen["action_mask"][:] = 1  # The caller's copy.
    with pytest.raises(ValueError, match="not offered"):
        batch.step([SHOW] * 3)
    assert batch.seats.tolist() == [1, 1, 1]
