"""Tax numbers (PAN) of players: encrypted, and searchable by a keyed hash."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import new_public_id
from players.accounts.models import User


class TaxNumberQuerySet(models.QuerySet["TaxNumber"]):
    def former_of(self, player: User) -> Self:
        """Return the rows of closed accounts with the player's number."""
        mine = self.model.objects.filter(player=player).values("number_hash")
        return self.filter(number_hash__in=mine, released_at__isnull=False)


class TaxNumber(models.Model):
    """A player's tax number; unique among open accounts."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tax_number"
    )
    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # Encrypted with a key of IDENTITY_KEYS, bound to `public_id`.
    encrypted_content = models.BinaryField()
    number_hash = models.CharField(max_length=64)
    given_at = models.DateTimeField()
    # When the account was closed; the number may then be used for a new account.
    released_at = models.DateTimeField(null=True)

    objects = TaxNumberQuerySet.as_manager()

    class Meta:
        verbose_name = _("PAN")
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["number_hash"], name="players_taxnumber_hash")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["number_hash"],
                condition=models.Q(released_at=None),
                name="players_taxnumber_one_open_account",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self._meta.verbose_name}"
