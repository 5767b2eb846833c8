"""Finished pools of several players, and their ratings."""

from datetime import timedelta

from core.clock import database_now
from tables.integrity.collusion.models import FindingDecision, VoidedPrize
from tables.models.tables import Table
from tables.ratings import actions
from tables.seats import seating
from tests.builders.tables.findings import make_finding
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import make_rich_player, score

OUT = 101


def finished_pool(players, winner, **overrides):
    """Play a pool that this player wins in its first deal, the others tied behind."""
    number = len(players)
    rules = overrides.pop("rules", None) or make_rules(gap_seconds=60)
    table = make_table(rules=rules, seats_min=number, seats_max=number, **overrides)
    for player in players:
        seating.join(table_id=table.pk, player=player)
    in_order = reread(table).seats.in_seat_order().values_list("player", flat=True)
    table = score(reread(table), *(0 if each == winner.pk else OUT for each in in_order))
    assert table.phase == Table.Phase.FINISHED
    return table


def rate():
    return actions.rate_due_games(now=database_now() + timedelta(minutes=1))


def people(number):
    return [make_rich_player(5_000_00) for _ in range(number)]


def void(table, one, other):
    decision = FindingDecision.objects.create(
        finding=make_finding(one, other),
        outcome="uphold",
        reason="They shared cards.",
        made_by=make_player(is_staff=True),
    )
    VoidedPrize.objects.create(decision=decision, table=table)
