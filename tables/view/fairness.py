"""A viewer's information on the randomness of a table's deals during the game."""

from __future__ import annotations

from tables.view.context import SeatOnShow, ViewContext
from tables.view.schemas import Fairness


def fairness(context: ViewContext, mine: SeatOnShow | None) -> Fairness:
    """Return the players who gave seeds for the next deal, and the last deal's revealed seed."""
    given = list(context.coming.client_seeds.all()) if context.coming else []
    handles = {seat.pk: seat.player.handle for seat in context.seats}
    own = next((seed.text for seed in given if mine and seed.seat_id == mine.pk), None)
    last = context.scores[-1].deal if context.scores and mine else None
    if (
        last is not None
        and mine is not None
        and not context.game.opens_seed(last.pk, mine.pk, context.places)
    ):
        last = None
    reveal = getattr(last, "reveal", None)
    return Fairness(
        deal_no=context.coming.no if context.coming else None,
        given_by=[handles[seed.seat_id] for seed in given if seed.seat_id in handles],
        my_client_seed=own,
        can_add=context.coming is not None and mine is not None and own is None,
        last_deal_no=last.no if last else None,
        last_server_seed=reveal.server_seed if reveal else None,
    )
