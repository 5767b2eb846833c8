"""Checks that a provider is asked about: sent when, answered when, and with what."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import new_public_id
from players.identity.models import IdentityCheck
from players.identity.providers.interface import REFERENCE_LENGTH_MAX


class ProviderCheckQuerySet(models.QuerySet["ProviderCheck"]):
    def unanswered(self) -> Self:
        return self.filter(state__in=ProviderCheck.UNANSWERED)

    def due(self, now: datetime) -> Self:
        return self.unanswered().filter(next_try_at__lte=now)

    def locked(self, *, skip_locked: bool = False) -> Self:
        rows = self.select_for_update(no_key=True, of=("self",), skip_locked=skip_locked)
        return rows.order_by("pk")


class ProviderCheck(models.Model):
    """A check whose player agreed that a provider looks at it; the row says what is due."""

    class State(models.TextChoices):
        WAITING = "waiting", _("To be sent")
        SENT = "sent", _("Sent")
        CLEAR = "clear", _("Clear")
        # For staff: it found something, or another name or birth date than the player's.
        UNCLEAR = "unclear", _("Not clear")
        # For staff: no answer in time, or they have decided meanwhile.
        GIVEN_UP = "given_up", _("No answer")

    UNANSWERED: ClassVar = ("waiting", "sent")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    identity_check = models.OneToOneField(
        IdentityCheck, on_delete=models.PROTECT, related_name="provider_check"
    )
    # A name in `settings.IDENTITY_PROVIDERS`.
    provider = models.CharField(max_length=20)
    # Which text the player agreed to before anything was sent.
    consent_version = models.CharField(max_length=20)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    reference = models.CharField(max_length=REFERENCE_LENGTH_MAX, default="", blank=True)
    # How often the present step was tried, and when it is tried next.
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    # What the provider said, or what failed.
    findings = models.CharField(max_length=300, default="", blank=True)

    objects = ProviderCheckQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=~models.Q(provider="") & ~models.Q(consent_version=""),
                name="players_providercheck_was_agreed_to",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "given_up"])
                | models.Q(sent_at__isnull=False) & ~models.Q(reference=""),
                name="players_providercheck_sent_has_a_reference",
            ),
            models.UniqueConstraint(
                fields=["provider", "reference"],
                condition=~models.Q(reference=""),
                name="players_providercheck_reference_once",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["next_try_at"],
                condition=models.Q(state__in=["waiting", "sent"]),
                name="players_providercheck_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.get_state_display()}"
