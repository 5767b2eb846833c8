"""Finished pools of several players, and their ratings."""

from datetime import timedelta

from core.clock import database_now
from tables.integrity.collusion.models import FindingDecision, VoidedPrize
from tables.ratings import actions
from tests.builders.tables.findings import make_finding
from tests.builders.tables.making import make_player
from tests.builders.tables.pools import make_rich_player


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
