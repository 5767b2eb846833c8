"""Declarations of tax residence, and staff's decisions on them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey, new_public_id
from core.db.row_locks import OfPlayerQuerySet
from wallet.tax.models import PayeeKind


class TaxResidenceQuerySet(OfPlayerQuerySet["TaxResidence"]):
    def pending(self) -> Self:
        return self.filter(state=TaxResidence.State.DECLARED)


class TaxResidence(models.Model):
    """A declaration of tax residence; once accepted it applies from a financial year on.

    It applies until another is accepted. The declaration is immutable and decided once.
    """

    class State(models.TextChoices):
        DECLARED = "declared", _("Being checked by staff")
        ACCEPTED = "accepted", _("Accepted")
        REFUSED = "refused", _("Refused")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="tax_residences")
    kind = models.CharField(max_length=12, choices=PayeeKind)
    # The country of residence, ISO 3166-1 alpha-2; tax returns name it for non-residents.
    country = models.CharField(max_length=2)
    # The financial year that begins in April of this year.
    from_year = models.SmallIntegerField()
    declared_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.DECLARED)
    decided_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    # The reason of a refusal, or the document that proved it.
    reason = models.CharField(max_length=200, blank=True, default="")

    objects = TaxResidenceQuerySet.as_manager()

    class Meta:
        verbose_name = _("tax residence")
        verbose_name_plural = _("tax residences")
        ordering: ClassVar[list[str]] = ["-id"]
        permissions: ClassVar[list[tuple[str, Any]]] = [
            ("decide_taxresidence", "Can decide on tax residences")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(state="declared"),
                name="wallet_taxresidence_one_waits",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="resident", country="IN")
                | models.Q(kind="non_resident") & ~models.Q(country__in=["", "IN"]),
                name="wallet_taxresidence_country_of_its_kind",
            ),
            models.CheckConstraint(
                condition=models.Q(state="declared", decided_by=None, decided_at=None, reason="")
                | models.Q(
                    state__in=["accepted", "refused"],
                    decided_by__isnull=False,
                    decided_at__isnull=False,
                )
                & ~models.Q(reason="")
                & ~models.Q(decided_by=models.F("player")),
                name="wallet_taxresidence_decided_by_staff",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.country}), {self.get_state_display()}"
