#!/bin/sh
# openskill 6.2.0: one game with ties makes ThurstoneMostellerFull certain of six newcomers' ratings.
#
# Guess before: ties among newcomers leave sigma somewhat smaller, as a game without ties does.
# Behaviour: after one game of six with a winner and five tied losers, sigma of the losers is 0.083
# (8.333 before; 3.66 after a game without ties); a hundred first places in a row then raise mu by 11.5,
# where a newcomer's single first place gives 21. Six tied: all. Plackett-Luce gives 8.27.
# Why it matters: at a points table one wins and the others tie, so a rating of this model is fixed by
# the first game, while its stated uncertainty looks like that of a thousand games.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openskill==6.2.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

from openskill.models import PlackettLuce, ThurstoneMostellerFull

print("openskill", version("openskill"))


def rated(model, ranks):
    return [team[0] for team in model.rate([[model.rating()] for _ in ranks], ranks=ranks)]


found = {}
for kind in (PlackettLuce, ThurstoneMostellerFull):
    for ranks in ([1, 2, 3, 4, 5, 6], [1, 2, 2, 2, 2, 2], [1, 1, 1, 1, 1, 1]):
        sigmas = [round(player.sigma, 3) for player in rated(kind(), ranks)]
        print(kind.__name__, ranks, sigmas)
        found[kind.__name__, tuple(ranks)] = sigmas
assert found["ThurstoneMostellerFull", (1, 2, 3, 4, 5, 6)] == [3.658] * 6, "changed: no ties"
assert found["ThurstoneMostellerFull", (1, 2, 2, 2, 2, 2)] == [3.658] + [0.083] * 5, "changed: losers"
assert found["ThurstoneMostellerFull", (1, 1, 1, 1, 1, 1)] == [0.083] * 6, "changed: all tied"
assert min(found["PlackettLuce", (1, 2, 2, 2, 2, 2)]) > 8, "changed: Plackett-Luce"

model = ThurstoneMostellerFull()
loser = rated(model, [1, 2, 2, 2, 2, 2])[1]
begun = loser.mu
for _ in range(100):
    others = [[model.rating()] for _ in range(5)]
    loser = model.rate([[loser], *others])[0][0]
print(f"then first of six in 100 games: mu {begun:.2f} -> {loser.mu:.2f}, sigma {loser.sigma:.3f}")
assert loser.mu < begun + 25, "changed: later games"
PYTHON
