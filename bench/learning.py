"""Deals and steps a second of the learning environment, beside RLCard's gin rummy in the same run.

    python -m bench.learning [--seconds 10]

Both are played by chance among the legal actions, by turns a second each, in processor time. RLCard
is no dependency of the project: `pip install rlcard` first, or only our own figures are printed.
Deals are short where chance may drop, so they are played without drops, too. Steps are comparable:
each hands the agent to act an observation and its legal actions.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rummy.learning import DROP, SHOW, DealEnv

ROUND_SECONDS = 1.0
Play = Callable[[], int]


class Speed(NamedTuple):
    deals: int
    steps: int
    seconds: float


def by_chance(*, drops: bool) -> Play:
    """Return what plays one deal of ours and says how many steps it took."""
    env, chance = DealEnv(), random.Random(1)
    env.reset(seed=1)

    def play() -> int:
        env.reset()
        steps = 0
        while not any(env.terminations.values()):
            seen = env.observe(env.agent_selection)
            actions = np.flatnonzero(seen["action_mask"]).tolist()
            if not drops and DROP in actions:
                actions.remove(DROP)
            env.step(SHOW if SHOW in actions else chance.choice(actions))
            steps += 1
        return steps

    return play


def reference() -> Play | None:
    """Return the same for RLCard's gin rummy, None where it is not installed."""
    if importlib.util.find_spec("rlcard") is None:
        return None
    import rlcard

    env, chance = rlcard.make("gin-rummy", config={"seed": 1}), random.Random(1)

    def play() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
        return steps

    return play


def measured(plays: dict[str, Play], seconds: float) -> dict[str, Speed]:
    """Play by turns, a second each, until each has had its seconds."""
    found = {name: Speed(0, 0, 0.0) for name in plays}
    while min(speed.seconds for speed in found.values()) < seconds:
        for name, play in plays.items():
            deals = steps = 0
            began = time.process_time()
            while (spent := time.process_time() - began) < ROUND_SECONDS:
                steps += play()
                deals += 1
            before = found[name]
            found[name] = Speed(before.deals + deals, before.steps + steps, before.seconds + spent)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.learning", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each environment")
    options = parser.parse_args()
    plays = {"drops": by_chance(drops=True), "no drops": by_chance(drops=False)}
    if (rlcard := reference()) is not None:
        plays["rlcard gin"] = rlcard
    else:
        sys.stdout.write("RLCard is not installed, so there is no ratio: pip install rlcard\n")
    found = measured(plays, options.seconds)
    base = found.get("rlcard gin")
    for name, speed in found.items():
        deals, steps = speed.deals / speed.seconds, speed.steps / speed.seconds
        line = f"{name:>10}: {deals:8,.0f} deals/s {steps:8,.0f} steps/s"
        line += f" {speed.steps / speed.deals:6.1f} steps a deal"
        if base is not None and speed is not base:
            line += f"  {deals / base.deals * base.seconds:.1f}x deals"
            line += f" {steps / base.steps * base.seconds:.2f}x steps"
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
