#!/bin/sh
# RLCard 1.2.0's gin rummy is no zero-sum game: in none of 150 random games do the payoffs add up to 0.
#
# Guess before: the payoffs of two players at gin rummy add up to 0.
# Behaviour: a player who neither knocks nor goes gin gets minus their deadwood over 100, in dead hands
# both do: the mean of a game's sum is about -1.1.
# Why it matters: an agent trained by self-play is rewarded for low deadwood and not for winning, and
# figures that compare agents by "points won" cannot be read as one player's gain of the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet rlcard==1.2.0 'numpy<3'
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import numpy
import rlcard
from rlcard.agents import RandomAgent

print("rlcard", version("rlcard"))
numpy.random.seed(1)
game = rlcard.make("gin-rummy", config={"seed": 1})
game.set_agents([RandomAgent(game.num_actions) for _ in range(2)])
sums = [float(sum(game.run(is_training=False)[1])) for _ in range(150)]
print(f"{len(sums)} games: sums from {min(sums):.2f} to {max(sums):.2f}, mean {numpy.mean(sums):.2f}")
assert min(abs(each) for each in sums) > 0.005, "changed: a game whose payoffs add up to 0"
assert sum(each < 0 for each in sums) > 140, "changed: games in which both together lose"
assert numpy.mean(sums) < -0.9, "changed: mean"
PYTHON
