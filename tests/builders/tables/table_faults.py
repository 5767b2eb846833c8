"""Whole games in which every service call is interrupted, with a timeout to match."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from tables.models.deals import Deal
from tables.models.tables import Table
from tables.play import actions, answering
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Window
from tables.state import clock
from tests.builders.processes.faults import Faults

# A busy machine must not let a window run out while its answers die.
UNHURRIED = {
    "gap_seconds": 600,
    "rejoin_seconds": 600,
    "split_seconds": 600,
    "turn_seconds": 600,
    "meld_seconds": 600,
}
SOAK = [pytest.mark.soak, pytest.mark.timeout(1_200)]


def kind_of(name: str, arguments: dict[str, Any]) -> str:
    """Return the kind of a step of a service; killed steps are counted by kind."""
    if name == "make_move":
        return f"play {arguments['text'].split()[0]}"
    if name == "answer":
        window = Window.objects.get(public_id=arguments["window_id"])
        return f"answer {window.kind} {arguments['said']}"
    if name == "apply_overdue":
        return f"clock in {Table.objects.get(pk=arguments['table_id']).phase}"
    if name == "settle_deal":
        deal = Deal.objects.get(pk=arguments["deal_id"])
        return f"settle {deal.table.seats.active().count()}"
    return name


@contextmanager
def every_service_dies(faults: Faults) -> Iterator[None]:
    """Interrupt every service call of people, the clock and the worker at every point."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in [
            (answering, "answer"),
            (answering, "propose_split"),
            (clock, "apply_overdue"),
            (actions, "make_move"),
            (seating, "leave"),
            (scoring, "settle_deal"),
        ]:
            service = getattr(module, name)

            def taken(*, service: Any = service, name: str = name, **arguments: Any) -> Any:
                return faults.take(kind_of(name, arguments), partial(service, **arguments))

            patch.setattr(module, name, taken)
        yield
