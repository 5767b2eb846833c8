"""The prices of a points table: a point, and the limits of a stack (RB 8.1)."""

from __future__ import annotations

from typing import TypedDict

from tables.games import game_of
from tables.games.stacks import largest_stack_minor
from tables.models.tables import Table
from wallet.ledger.amounts import Amount


class StackBoundsShown(TypedDict):
    point_value: Amount | None
    stack_min: Amount | None
    stack_max: Amount | None


def stack_bounds(table: Table) -> StackBoundsShown:
    """Return the price of a point and the limits of a stack; None in other games."""
    if not game_of(table).has_stacks:
        return {"point_value": None, "stack_min": None, "stack_max": None}
    return {
        "point_value": Amount.of(table.point_value_minor, table.currency),
        "stack_min": Amount.of(table.entry_minor, table.currency),
        "stack_max": Amount.of(largest_stack_minor(table), table.currency),
    }
