#!/bin/sh
# OpenSpiel 2.0.2: of 200 games of gin rummy between random players 196 end without a knock and without a point.
#
# Guess before: most games of two random players (over 60 %) end by a knock, so that returns differ from 0.
# Behaviour: 4 of 200 games are knocked; all others run until the stock is used up, and both returns are 0 (so they are
# in almost all games that begin from random play).
# Why it matters: an agent that learns from the returns alone gets a signal in two games of a hundred, and a comparison
# with a random opponent mostly measures who learns to knock at all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet open_spiel==2.0.2
"$folder/venv/bin/python" - <<'PYTHON'
import random
from importlib.metadata import version

import pyspiel

GAMES = 200
game, rng = pyspiel.load_game("gin_rummy"), random.Random(1)
knocked, scored, lengths = 0, 0, []
for _ in range(GAMES):
    state, acts, has_knock = game.new_initial_state(), 0, False
    while not state.is_terminal():
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes())
            action = rng.choices(actions, chances)[0]
        else:
            action = rng.choice(state.legal_actions())
            has_knock |= "Knock" in state.action_to_string(state.current_player(), action)
        state.apply_action(action)
        acts += 1
    knocked += has_knock
    scored += any(state.returns())
    lengths.append(acts)
print("open_spiel", version("open_spiel"))
print(f"{GAMES} games: {knocked} knocked, {scored} with points, {sum(lengths) / GAMES:.0f} actions each")
assert knocked < 12 and scored < 12, "changed: share of games that are knocked"
PYTHON
