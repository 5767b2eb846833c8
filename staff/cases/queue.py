"""The queue of open cases of all kinds, ordered by priority and due time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import (
    BigIntegerField,
    Exists,
    F,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import LessThan

from core.clock import DatabaseNow
from players.accounts.models import User
from players.cases.models import Case
from staff.cases.kinds import Kind, kinds_of

UNASSIGNED: Final = "unassigned"
MINE: Final = "me"
COLUMNS: Final = ("case_kind", "pk", "opened", "due", "rank", "held_by", "who", "replied", "late")


@dataclass(frozen=True)
class Filters:
    """Filters of the queue; empty values show all rows."""

    kind: str = ""
    # "", `MINE` or `UNASSIGNED`.
    owner: str = ""
    only_late: bool = False


@dataclass(frozen=True)
class Waiting:
    """One row of the queue."""

    kind: Kind
    row: Model
    opened_at: datetime
    due_at: datetime | None
    priority: Case.Priority
    owner: User | None
    player: User | None
    # The last remark is the player's.
    has_reply: bool
    is_late: bool

    @property
    def title(self) -> str:
        return self.kind.sentence(self.row)


def queue(viewer: User, filters: Filters) -> QuerySet[Any, tuple[Any, ...]]:
    """Return the pending rows as tuples of `COLUMNS`, to be sliced and passed to `waiting`.

    A row is pending while it is open, or if the last remark is the player's.
    """
    kinds = [kind for kind in kinds_of(viewer) if filters.kind in ("", kind.name)]
    parts = [_part(kind, viewer, filters) for kind in kinds]
    if not parts:
        return Case.objects.none().values_list("pk")
    first, *others = parts
    return first.union(*others, all=True).order_by("rank", "due", "case_kind", "pk")


def _pending(kind: Kind, viewer: User) -> QuerySet[Any]:
    """Return the rows that are open, or to whose case the player has replied last."""
    rows = kind.rows(viewer)
    replied = Case.objects.filter(kind=kind.name).answered_by_player().values("row")
    is_open = Q(pk__in=kind.open_rows(rows).order_by().values("pk"))
    return rows.filter(is_open | Q(pk__in=replied))


def _part(kind: Kind, viewer: User, filters: Filters) -> QuerySet[Any, tuple[Any, ...]]:
    cases = Case.objects.filter(kind=kind.name, row=OuterRef("pk"))
    waiting = (
        _pending(kind, viewer)
        .annotate(
            case_kind=Value(kind.name),
            opened=F(kind.opened_at),
            due=Coalesce(Subquery(cases.values("due_at")), kind.due_at),
            rank=Coalesce(Subquery(cases.values("priority")), Value(int(Case.Priority.NORMAL))),
            held_by=Subquery(cases.values("owner_id")),
            who=F(kind.player) if kind.player else Cast(Value(None), BigIntegerField()),
            replied=Exists(cases.answered_by_player()),
        )
        .annotate(late=Coalesce(LessThan(F("due"), DatabaseNow()), False))
    )
    if filters.owner == MINE:
        waiting = waiting.filter(held_by=viewer.pk)
    elif filters.owner == UNASSIGNED:
        waiting = waiting.filter(held_by=None)
    if filters.only_late:
        waiting = waiting.filter(late=True)
    columns: QuerySet[Any, tuple[Any, ...]] = waiting.order_by().values_list(*COLUMNS)
    return columns


def waiting(viewer: User, found: Sequence[tuple[Any, ...]]) -> list[Waiting]:
    """Return rows of `queue` with their subjects and users, by one query per kind and one more."""
    kinds = {kind.name: kind for kind in kinds_of(viewer)}
    things = {
        name: kind.rows(viewer).in_bulk([line[1] for line in found if line[0] == name])
        for name, kind in kinds.items()
        if any(line[0] == name for line in found)
    }
    people = User.objects.in_bulk({pk for line in found for pk in line[5:7] if pk is not None})
    return [
        Waiting(
            kind=kinds[name],
            row=things[name][pk],
            opened_at=opened_at,
            due_at=due_at,
            priority=Case.Priority(rank),
            owner=people.get(owner),
            player=people.get(player),
            has_reply=has_reply,
            is_late=is_late,
        )
        for name, pk, opened_at, due_at, rank, owner, player, has_reply, is_late in found
    ]


def number_waiting(viewer: User) -> int:
    """Return the number of rows of the queue, counted on every page of the admin.

    It selects nothing but keys: composing the columns of `queue` takes longer than counting.
    """
    parts = [_pending(kind, viewer).order_by().values_list("pk") for kind in kinds_of(viewer)]
    if not parts:
        return 0
    first, *others = parts
    return first.union(*others, all=True).count()
