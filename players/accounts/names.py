"""What players are called at tables: the two columns of their rows that every move reads."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class PlayerName(models.Model):
    """A player's handle, and whether they are a bot, as their row has it; a trigger writes it.

    Tables are distributed over several servers, players are not (docs/adr/0009): this small copy
    lies on each of them.
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
