"""The example bot with the rules package `rummy`: it discards as the strong bot does.

    python better_bot.py http://127.0.0.1:8000 TOKEN [--table NAME] [--stream]

Install `rummy`, too: `make wheel`, then `pip install dist/*.whl`.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from functools import cache
from typing import Any

import bot_client

import rummy

plain_choice = bot_client.choose


@cache
def rules_of(profile: str) -> rummy.Rules:
    """Return the rules of a table, from the public API."""
    name, version = profile.rsplit(" v", 1)
    address = f"{sys.argv[1].rstrip('/')}/api/v1/rules/{name}/?version={version}"
    with urllib.request.urlopen(address, timeout=30) as answer:
        return rummy.Rules.from_dict(json.load(answer))


def choose(view: dict[str, Any]) -> str | None:
    """Return the strong bot's discard; everything else is the example's own choice."""
    move = plain_choice(view)
    if move is None or not move.startswith("x "):
        return move
    card = rummy.best_discard(
        rummy.parse_cards(" ".join(view["me"]["hand"])),
        wild=view["deal"]["wild"],
        rules=rules_of(view["profile"]),
        open_pile=rummy.parse_cards(" ".join(view["deal"]["open_pile"])),
        players=sum(seat["cards"] > 0 for seat in view["seats"]),
    )
    return f"x {card}"


bot_client.choose = choose

if __name__ == "__main__":
    bot_client.main()
