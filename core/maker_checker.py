"""Requests that one member of staff makes and another decides once, enforced by the database."""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from core import audit_log
from core.clock import CreatedAtField, database_now
from core.db.row_locks import LockableQuerySet
from core.exceptions import AlreadyDecided, CheckerIsMaker


class CheckedQuerySet(LockableQuerySet[Any]):
    def undecided(self) -> Self:
        return self.filter(status=Checked.Status.REQUESTED)

    def approved(self) -> Self:
        return self.filter(status=Checked.Status.APPROVED)


class Checked(models.Model):
    """A request by one person that another approves or rejects, once."""

    class Status(models.TextChoices):
        REQUESTED = "requested", gettext_lazy("Waiting for a second person")
        APPROVED = "approved", gettext_lazy("Approved")
        REJECTED = "rejected", gettext_lazy("Rejected")

    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = CreatedAtField()
    status = models.CharField(max_length=9, choices=Status, default=Status.REQUESTED)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    checked_at = models.DateTimeField(null=True)

    objects = CheckedQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(checked_by__isnull=True)
                | ~models.Q(checked_by=models.F("made_by")),
                name="%(app_label)s_%(class)s_checked_by_another",
            ),
            models.CheckConstraint(
                condition=models.Q(status="requested", checked_by=None, checked_at=None)
                | models.Q(
                    status__in=["approved", "rejected"],
                    checked_by__isnull=False,
                    checked_at__isnull=False,
                ),
                name="%(app_label)s_%(class)s_decided_by_somebody",
            ),
        ]


Asked = TypeVar("Asked", bound=Checked)


def undecided(
    locked: QuerySet[Asked], *, pk: int, wanted: Checked.Status, by: AbstractBaseUser
) -> Asked:
    """Return a locked undecided request, or one that the same person decided in the same way.

    Raise `AlreadyDecided` if it was decided otherwise, `CheckerIsMaker` for the maker.
    """
    asked = locked.get(pk=pk)
    if asked.status == wanted and asked.checked_by_id == by.pk:
        return asked
    if asked.status != Checked.Status.REQUESTED:
        said = gettext("The request is already decided: %(status)s.")
        raise AlreadyDecided(said % {"status": asked.get_status_display()})
    if asked.made_by_id == by.pk:
        raise CheckerIsMaker("the person who made the request must not decide it")
    return asked


def decide(
    asked: Asked,
    status: Checked.Status,
    *,
    by: AbstractBaseUser,
    outcome: str | None = None,
    about: AbstractBaseUser | None = None,
) -> Asked:
    """Store the decision and the field `outcome`, if any, which holds its result."""
    outcomes = [] if outcome is None else [outcome]
    # The caller has set the field, which was empty before.
    before = audit_log.facts(asked) | dict.fromkeys(outcomes, "")
    asked.status, asked.checked_by_id, asked.checked_at = status, by.pk, database_now()
    asked.save(update_fields=["status", "checked_by", "checked_at", *outcomes])
    act = "approve" if status == Checked.Status.APPROVED else "reject"
    audit_log.record(by=by, act=act, row=asked, before=before, about=about)
    return asked
