"""A player's time at tables; overlapping sittings count once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from tables.models.seats import Seat

Span = tuple[datetime, datetime]


def spans_at_tables(person: Sequence[int], *, since: datetime, until: datetime) -> list[Span]:
    """Return when a person was at any table, as spans that do not overlap, the earliest first.

    A sitting lasts from taking the seat until leaving it or the game's end, including waiting.
    """
    sittings = Seat.objects.filter(player__in=person, joined_at__lt=until).filter(
        Q(left_at=None) | Q(left_at__gt=since),
        Q(table__finished_at=None) | Q(table__finished_at__gt=since),
    )
    rows = sittings.order_by("joined_at").values_list("joined_at", "left_at", "table__finished_at")
    spans: list[Span] = []
    for joined, left, finished in rows:
        begins = max(joined, since)
        ends = min(end for end in (left, finished, until) if end is not None)
        if spans and begins <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], ends))
        elif ends > begins:
            spans.append((begins, ends))
    return spans


def total(spans: Sequence[Span]) -> timedelta:
    """Return the total length of the spans."""
    return sum((ends - begins for begins, ends in spans), timedelta())


def free_again(spans: Sequence[Span], limit: timedelta, window: timedelta) -> datetime:
    """Return the moment from which less than `limit` of these spans is within the last `window`.

    The spans must be within the window that ends now, and last `limit` or longer.
    """
    surplus = total(spans) - limit
    for begins, ends in spans:
        if ends - begins > surplus:
            return begins + surplus + window
        surplus -= ends - begins
    return spans[-1][1] + window
