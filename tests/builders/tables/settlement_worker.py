"""A settlement worker that runs as soon as the step that needs it is committed.

Tests call services in their own process, where no worker listens. Each service below is followed by
the tasks `tables.settle_table` that it has enqueued, as if a worker had taken them at once; an act
of staff on a tournament by the sweep that carries it out, and that sweep's tasks at once.
"""

from __future__ import annotations

import functools
import threading

from tables.bots import bots
from tables.integrity.moderation import rulings
from tables.play import answering
from tables.seats import seating
from tables.settlement import scoring
from tables.state import clock
from tables.state import publishing as announcing
from tournaments.rounds import clock as tournament_clock
from tournaments.rounds import stopping

TASK = "tables.settle_table"
STEPS = (
    (seating, "leave"),
    (answering, "answer"),
    (clock, "apply_overdue"),
    (bots, "play_bots"),
    (rulings, "cancel_game"),
    (rulings, "void_deal"),
)
ACTS = ("cancel", "agree_to_abort")


def follow_steps(patch):
    """Let what these services leave to a worker be settled behind them, in their own thread."""
    asked = threading.local()
    enqueue = announcing.enqueue_on_commit

    def note(name, *arguments):
        if name != TASK or not hasattr(asked, "tables"):
            enqueue(name, *arguments)
        else:
            asked.tables.update(arguments)

    def followed(step):
        @functools.wraps(step)
        def run(*arguments, **named):
            if hasattr(asked, "tables"):  # Within another step, which is followed itself.
                return step(*arguments, **named)
            asked.tables = set()
            try:
                return step(*arguments, **named)
            finally:
                tables = sorted(asked.tables)
                del asked.tables
                for table in tables:
                    scoring.settle_table(table_id=table)

        return run

    patch.setattr(announcing, "enqueue_on_commit", note)
    for module, name in STEPS:
        patch.setattr(module, name, followed(getattr(module, name)))
    patch.setattr(
        tournament_clock, "enqueue", lambda _name, seat_id: seating.leave(seat_id=seat_id)
    )
    for name in ACTS:
        patch.setattr(stopping, name, _carried_out(getattr(stopping, name)))


def _carried_out(act):
    @functools.wraps(act)
    def run(**named):
        tournament = act(**named)
        for pk in (
            stopping.actions_due().filter(tournament=tournament.pk).values_list("pk", flat=True)
        ):
            stopping.carry_out(action_id=pk)
        tournament.refresh_from_db()
        return tournament

    return run
