#!/bin/sh
# openskill 6.2.0: in the "Part" models one of five tied losers loses nothing: the last in the list.
#
# Guess before: players with the same rating and the same rank change by the same amount, and among
# equals the changes of mu add up to 0.
# Behaviour: BradleyTerryPart and ThurstoneMostellerPart compare each player with neighbours in the list
# alone: of ranks 1, 2, 2, 2, 2, 2 four losers lose and the last one keeps its rating.
# Why it matters: tied losers are the rule at rummy (equal points, drops); the order of rows in a query
# then decides who loses rating, and computing it again in another order gives other ratings.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openskill==6.2.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from openskill.models import BradleyTerryFull, BradleyTerryPart, PlackettLuce, ThurstoneMostellerPart

print("openskill", version("openskill"))
RANKS = [1, 2, 2, 2, 2, 2]
for kind, is_even in (
    (PlackettLuce, True),
    (BradleyTerryFull, True),
    (BradleyTerryPart, False),
    (ThurstoneMostellerPart, False),
):
    model = kind()
    before = [[model.rating()] for _ in RANKS]
    changes = [round(team[0].mu - 25, 3) for team in model.rate(before, ranks=RANKS)]
    print(kind.__name__, changes, "sum", round(sum(changes), 3))
    assert (len(set(changes[1:])) == 1) is is_even, f"changed: {kind.__name__}"
    assert is_even or changes[-1] == 0, f"changed: {kind.__name__}"
PYTHON
