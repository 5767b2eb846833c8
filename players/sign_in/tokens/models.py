"""API tokens with which programs act for a player."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import Moment
from core.db.identifiers import ProtectedForeignKey
from core.db.row_locks import OfPlayerQuerySet


class PlayerTokenQuerySet(OfPlayerQuerySet["PlayerToken"]):
    def in_force(self, now: Moment) -> Self:
        return self.filter(expires_at__gt=now)


class PlayerToken(models.Model):
    """An API token. Its text is shown once; the key of its session is a hash of the text.

    Deleting the session makes the token invalid.
    """

    class Scope(models.TextChoices):
        READ = "read", _("Read tables, games and tournaments")
        PLAY = "play", _("Play for play points")

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="tokens", db_index=False)
    name = models.CharField(max_length=60)
    scopes = ArrayField(models.CharField(max_length=4, choices=Scope))
    session_key = models.CharField(max_length=40, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)

    objects = PlayerTokenQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player"], name="players_token_of_player"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")),
                name="players_playertoken_expires_after_it_is_made",
            ),
            models.CheckConstraint(
                condition=~models.Q(scopes=[]), name="players_playertoken_opens_something"
            ),
        ]

    def __str__(self) -> str:
        return self.name
