"""Steps a second of the learning environments, beside RLCard's gin rummy in the same run.

    python -m bench.learning [--seconds 3]

All play by chance among the offered actions, ours without drops, in alternation, in processor time.
RLCard is not a dependency of the project: without it only our own figures are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
from collections.abc import Iterator
from typing import Final

import numpy as np

from bench.against.rules import TOGETHER, learned
from rummy.learning import DROP, SHOW, DealEnv

ROUNDS: Final = 5


def batched() -> Iterator[int]:
    """Yield numbers of steps of `BatchEnv`."""
    work = learned(sys.maxsize)
    next(work)
    yield from work


def single() -> Iterator[int]:
    """Yield numbers of steps of `DealEnv`."""
    env, chance = DealEnv(), random.Random(1)
    env.reset(seed=1)
    while True:
        for _ in range(TOGETHER):
            actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
            plain = [action for action in actions if action != DROP]
            env.step(SHOW if SHOW in actions else chance.choice(plain))
            if any(env.terminations.values()):
                env.reset()
        yield TOGETHER


def reference() -> Iterator[int]:
    """Yield numbers of steps of RLCard's gin rummy."""
    import rlcard

    env, chance = rlcard.make("gin-rummy", config={"seed": 1}), random.Random(1)
    while True:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
        yield steps


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.learning", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each of five turns")
    seconds = parser.parse_args().seconds
    plays = {"BatchEnv": batched(), "DealEnv": single()}
    if importlib.util.find_spec("rlcard") is not None:
        plays["RLCard gin"] = reference()
    rates: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(ROUNDS):
        for name, play in plays.items():
            steps, began = 0, time.process_time()
            while (spent := time.process_time() - began) < seconds:
                steps += next(play)
            rates[name].append(steps / spent)
    for name, found in rates.items():
        median = sorted(found)[ROUNDS // 2]
        base = sorted(rates.get("RLCard gin", found))[ROUNDS // 2]
        sys.stdout.write(f"{name:>10}: {median:9,.0f} steps/s {median / base:6.2f}x\n")


if __name__ == "__main__":
    main()
