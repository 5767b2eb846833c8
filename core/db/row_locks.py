"""Query sets whose rows can be locked, and whose rows belong to players."""

from __future__ import annotations

from typing import Self, TypeVar

from django.db import models

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class LockableQuerySet(models.QuerySet[Row_co]):
    def locked(self) -> Self:
        """Lock the rows against changes, in the order of their keys, until the transaction ends.

        Rows that refer to them may still be inserted; joined rows are not locked.
        """
        return self.select_for_update(no_key=True, of=("self",)).order_by("pk")


class OfPlayerQuerySet(LockableQuerySet[Row_co]):
    """Rows with a `player`."""

    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)
