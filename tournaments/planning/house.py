"""The house's tournaments in a figure each."""

from __future__ import annotations

from django.db.models import Count

from tournaments.planning.models import Tournament


def tournaments_by_state() -> dict[str, int]:
    """Return how many tournaments that are not over are in each state."""
    rows = Tournament.objects.live().order_by().values_list("state")
    return dict(rows.annotate(Count("pk")))
