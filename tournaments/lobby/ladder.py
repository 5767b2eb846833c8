"""The ticket ladder of a tournament: its prizes are tickets to the next step (RB 10.12)."""

from __future__ import annotations

from typing import Final

from tournaments.lobby.schemas import LadderStep
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate, steps_up
from wallet.ledger.amounts import Amount

_COMING: Final = (
    Tournament.State.ANNOUNCED,
    Tournament.State.REGISTERING,
    Tournament.State.CHECK_IN,
)


def ladder_of(tournament: Tournament) -> list[LadderStep]:
    """Return the steps from the kinds that award tickets to this one up to the last; or nothing.

    Of several kinds that lead to one step, those of this tournament's own step are shown.
    """
    here = tournament.template
    if here is None:
        return []
    below = list(here.satellites.offered().order_by("entry_minor", "pk"))
    above = steps_up(tournament.awards)
    if not below and not above:
        return []
    steps = [*below, here, *above]
    coming = Tournament.objects.filter(template__in=steps, state__in=_COMING)
    latest_first = coming.order_by("-starts_at", "-pk")
    upcoming = {each.template_id: each for each in latest_first}
    return [_step(step, upcoming.get(step.pk), is_here=step == here) for step in steps]


def _step(step: TournamentTemplate, coming: Tournament | None, *, is_here: bool) -> LadderStep:
    return LadderStep(
        name=step.name,
        entry=Amount.of(step.entry_minor, step.currency),
        is_here=is_here,
        tournament=coming.public_id if coming and not is_here else None,
        starts_at=coming.starts_at if coming and not is_here else None,
    )
