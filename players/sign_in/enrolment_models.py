"""Links by which members of staff set up their first second factor."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_noop

from core.db.row_locks import LockableQuerySet

# The model's name, which the audit log shows; the admin has no list from which it is collected.
gettext_noop("factor link")


class FactorLinkQuerySet(LockableQuerySet["FactorLink"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)


class FactorLink(models.Model):
    """A single-use link for one account, valid until it expires or a newer one is created."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="factor_links"
    )
    # The account's address when the link was created; the link is invalid if it changes.
    sent_to = models.EmailField()
    # Null if created by `manage.py enrolment_link`.
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    objects = FactorLinkQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(used_at=None)
                | models.Q(used_at__gte=models.F("made_at"), used_at__lte=models.F("expires_at")),
                name="players_factorlink_used_in_time",
            ),
        ]

    def __str__(self) -> str:
        return f"second factor of {self.player}"
