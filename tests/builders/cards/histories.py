"""Deals played at random, as histories."""

from __future__ import annotations

import random

from rummy import PROFILES, History, Stream
from rummy.notation.shuffle import toss
from rummy.thirteen import start
from tests.builders.cards.dealing import random_play


def played(seed: int, name: str = "total-rummy-pool-101", players: int = 3) -> History:
    """A random deal as a history."""
    rules = PROFILES[name]
    server_seed = random.Random(seed).randbytes(32)
    clients = ("mine", 'with "quotes"\n# and lines')[: seed % 3]
    _, stream = toss(Stream(server_seed, clients), players)
    deal = start(rules, players=players, stream=stream)
    moves = tuple(move for move, _ in random_play(deal, random.Random(seed), most=2_000))
    return History(rules, players, server_seed, clients, True, "ab" * 32, moves)
