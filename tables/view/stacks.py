"""What a points table costs: a point, and the stacks one may sit in with (RB 8.1)."""

from __future__ import annotations

from tables.games import points
from tables.table.models import Table
from tables.view.schemas import Amount


def stack_bounds(table: Table) -> dict[str, Amount | None]:
    """Return the price of a point and the bounds of a stack; None for each in other games."""
    if not table.is_open_ended:
        return {"point_value": None, "stack_min": None, "stack_max": None}
    return {
        "point_value": Amount.of(table.point_value_minor, table.currency),
        "stack_min": Amount.of(points.hold_minor(table), table.currency),
        "stack_max": Amount.of(points.largest_stack_minor(table), table.currency),
    }
