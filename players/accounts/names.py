"""Copies of players' names for tables: the two columns that every move reads."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class PlayerName(models.Model):
    """A copy of a player's `handle` and `is_bot`, written by a trigger.

    Tables are distributed over several servers, players are not (docs/adr/0009): every server has
    this copy.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="+",
        db_constraint=False,
    )
    handle = models.CharField(max_length=20)
    is_bot = models.BooleanField()

    def __str__(self) -> str:
        return self.handle
