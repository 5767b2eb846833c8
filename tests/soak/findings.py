"""What a soak came to: every promise checked table by table, and what was survived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from devtools.simulation.report import report_on as games_of
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tests.builders.tables.soundness import assert_over_and_sound
from tests.soak.crowd import Crowd


class Killed(Protocol):
    """A site whose processes were killed, by name."""

    kills: Counter[str]
    ended_by_themselves: Counter[str]


def report_on(
    tables: Sequence[Table], site: Killed, crowd: Crowd, seconds: float
) -> dict[str, Any]:
    """Return the figures of a run; `ok` only if nothing at all was found."""
    ours = Table.objects.filter(pk__in=[table.pk for table in tables]).select_related("profile")
    games = games_of(tables, seconds=seconds, seed="")
    moves = Move.objects.filter(deal__table__in=ours)
    lost = _lost_moves(crowd.tally.acknowledged)
    findings = [finding for table in ours for finding in _findings(table)]
    findings += [f"{len(lost)} acknowledged moves are not there"] * bool(lost)
    findings += ["a socket sent an older view"] * bool(crowd.tally.counts["older views"])
    findings += ["a socket sent another's hand"] * bool(crowd.tally.counts["hidden cards"])
    findings += ["nobody received anything over a socket"] * (
        not crowd.tally.counts["views received"]
    )
    findings += ["some money is missing"] * (
        games["entries_minor"] != games["paid_minor"] + games["rake_minor"]
        and not ours.filter(phase=Table.Phase.CANCELLED).exists()
    )
    if games["audit"] != "clean":
        findings += games["audit"]
    shown = ("deals", "moves", "eliminations", "rejoins", "splits", "auto_splits")
    return {
        "ok": not findings,
        "findings": findings[:20],
        "pools": len(tables),
        "finished": ours.filter(phase=Table.Phase.FINISHED).count(),
        "cancelled": ours.filter(phase=Table.Phase.CANCELLED).count(),
        "kills": dict(site.kills),
        "ended_by_themselves": dict(site.ended_by_themselves),
        **{name: games[name] for name in shown},
        "drops": moves.filter(text__endswith=" drop").count(),
        "clock_moves": moves.filter(origin=Move.Origin.CLOCK).count(),
        "left": Seat.objects.filter(table__in=ours, left_at__isnull=False).count(),
        "acknowledged_moves": len(crowd.tally.acknowledged),
        "requests": dict(crowd.tally.counts),
        "audit": games["audit"],
        "escrow_left_minor": games["escrow_left_minor"],
        "seconds": round(seconds, 1),
    }


def _findings(table: Table) -> list[str]:
    try:
        assert_over_and_sound(table)
    except AssertionError as broken:
        return [f"{table.name}: {broken or 'unsound'}"]
    return []


def _lost_moves(acknowledged: set[str]) -> set[str]:
    """Return what was answered with 200 and is not there: nobody's move may get lost."""
    kept = Move.objects.filter(move_id__in=acknowledged).values_list("move_id", flat=True)
    return acknowledged - {str(move_id) for move_id in kept}
