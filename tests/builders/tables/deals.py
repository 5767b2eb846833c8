"""Deals played by the services to every kind of end, for tests of the following step."""

from __future__ import annotations

import hashlib
import random

from rummy import PROFILES
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.settlement import scoring
from tables.state.fold import fold_of
from tests.builders.tables.crowd import People
from tests.builders.tables.making import NO_PAUSES
from tests.builders.tables.playing import deal_at, move, reread, seat_at


def hidden(text: str) -> str:
    """Return the commitment to a client seed."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def settle(table: Table) -> Deal:
    """Score the deal that has just ended."""
    return scoring.settle_deal(deal_id=deal_at(table).pk)


def drop_out(table: Table) -> Deal:
    """Everybody on turn drops until one is left; the deal is settled.

    Beside a running site a worker may settle it first, and deal the next one.
    """
    deal = deal_at(table)
    while reread(table).phase == Table.Phase.PLAYING and deal_at(table) == deal:
        move(table, fold_of(deal).state.to_act, "drop")
    return scoring.settle_deal(deal_id=deal.pk)


def take_turn(table: Table) -> None:
    """The player on turn draws from the stock and discards the card."""
    state = fold_of(deal_at(table)).state
    move(table, state.to_act, "ds")
    drawn = fold_of(deal_at(table)).state.drawn
    move(table, state.to_act, f"x {drawn}")


def best_of(number, **overrides):
    rules = PROFILES[f"total-rummy-best-of-{number}"]
    changed = NO_PAUSES | overrides
    name = "-".join(f"{field}={value}" for field, value in sorted(changed.items()))
    return rules.with_(name=f"test best of {number} {name}"[:60], **changed)


def give_up(table, position):
    """The seat on turn misses until the clock takes it out: the cap where drops are off."""
    while True:
        state = fold_of(deal_at(table)).state
        if reread(table).phase != Table.Phase.PLAYING or not state.seats[position - 1].is_active:
            return
        if state.to_act == position:
            People(reread(table), random.Random(0)).wait()
        else:
            take_turn(table)


# Out at once: the first middle drop reaches the limit.
SUDDEN = {"limit": 81, "first_drop": 40, "middle_drop": 80, "cap": 80}


def play_to_the_last_deal(table):
    """Two players drop in turn until one more first drop ends the game."""
    while True:
        deal, total = deal_at(table), table.seats.totals()[seat_at(table, 1).pk]
        move(table, 1, "drop")
        if total + 40 >= 81:
            return deal
        scoring.settle_deal(deal_id=deal.pk)
