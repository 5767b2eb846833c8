"""Mobile numbers of players: encrypted, and searchable by a keyed hash."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey, new_public_id
from core.db.row_locks import OfPlayerQuerySet


class PhoneNumberQuerySet(OfPlayerQuerySet["PhoneNumber"]):
    def present(self) -> Self:
        return self.filter(replaced_at=None)


class PhoneNumber(models.Model):
    """A player's mobile number; several players may have the same, as in a household.

    It has no effect until the player has proved it by a code. A proved number that was changed or
    removed is kept while a self-exclusion needs it.
    """

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="phone_numbers")
    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    # The number in E.164, encrypted with a key of IDENTITY_KEYS, bound to `public_id`.
    encrypted_content = models.BinaryField()
    number_hash = models.CharField(max_length=64)
    given_at = models.DateTimeField()
    # When the player entered the right code.
    proved_at = models.DateTimeField(null=True)
    # Keyed hash of the last code, its guesses, and the number of codes created.
    code_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    code_made_at = models.DateTimeField(null=True, editable=False)
    code_guesses = models.PositiveSmallIntegerField(default=0, editable=False)
    codes_made = models.PositiveSmallIntegerField(default=0, editable=False)
    # When the player changed or removed it, or closed the account.
    replaced_at = models.DateTimeField(null=True)
    # Set by staff after documents showed that this player is not the excluded one.
    distinguished_at = models.DateTimeField(null=True)
    distinguished_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, related_name="+", db_index=False
    )

    objects = PhoneNumberQuerySet.as_manager()

    class Meta:
        verbose_name = _("mobile number")
        verbose_name_plural = _("mobile numbers")
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["number_hash"], name="players_phonenumber_hash")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(replaced_at=None),
                name="players_phonenumber_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=models.Q(distinguished_at=None, distinguished_by=None)
                | models.Q(distinguished_at__isnull=False, distinguished_by__isnull=False)
                & ~models.Q(distinguished_by=models.F("player")),
                name="players_phonenumber_distinguished_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self._meta.verbose_name}"
