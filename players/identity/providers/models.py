"""Checks sent to an identity provider, with their state and result."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedOneToOneField, new_public_id
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
    """A check that the player agreed to send to a provider; also the queue of due steps."""

    class State(models.TextChoices):
        WAITING = "waiting", _("To be sent")
        SENT = "sent", _("Sent")
        CLEAR = "clear", _("Clear")
        # For staff: the provider has findings, or name or birth date differ.
        UNCLEAR = "unclear", _("Not clear")
        # For staff: no answer in time, or staff decided first.
        GIVEN_UP = "given_up", _("No answer")

    UNANSWERED: ClassVar = ("waiting", "sent")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    identity_check = ProtectedOneToOneField(IdentityCheck, related_name="provider_check")
    # A name in `settings.IDENTITY_PROVIDERS`.
    provider = models.CharField(max_length=20)
    # Version of the consent text that the player agreed to.
    consent_version = models.CharField(max_length=20)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    reference = models.CharField(max_length=REFERENCE_LENGTH_MAX, default="", blank=True)
    # Tries of the current step, and the time of the next one.
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    # The provider's findings, or the last error.
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
