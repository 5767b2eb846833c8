"""One member of staff asks, another decides: what corrections and bonuses have in common."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from players import deeds
from players.models import User
from wallet.exceptions import AlreadyDecided, CheckerIsMaker
from wallet.models import Checked

Asked = TypeVar("Asked", bound=Checked)


def undecided(locked: QuerySet[Asked], *, pk: int, wanted: Checked.Status, by: User) -> Asked:
    """Return one of the locked requests; or as the same person has decided it before.

    Raises `AlreadyDecided` where it was decided otherwise, `CheckerIsMaker` for who asked for it.
    """
    asked = locked.get(pk=pk)
    if asked.status == wanted and asked.checked_by_id == by.pk:
        return asked
    if asked.status != Checked.Status.REQUESTED:
        raise AlreadyDecided(f"{asked._meta.verbose_name} {asked.pk} is {asked.status}")
    if asked.made_by_id == by.pk:
        raise CheckerIsMaker("who asks for it does not decide it")
    return asked


def decide(
    asked: Asked,
    status: Checked.Status,
    *,
    by: User,
    outcome: str | None = None,
    about: User | None = None,
) -> Asked:
    """Note the decision together with `outcome`, the field that holds what came of it, if any."""
    outcomes = [] if outcome is None else [outcome]
    # The field is set by now, and was empty before.
    before = deeds.facts(asked) | dict.fromkeys(outcomes, "")
    asked.status, asked.checked_by, asked.checked_at = status, by, timezone.now()
    asked.save(update_fields=["status", "checked_by", "checked_at", *outcomes])
    act = "approve" if status == Checked.Status.APPROVED else "reject"
    deeds.record(by=by, act=act, row=asked, before=before, about=about)
    return asked
