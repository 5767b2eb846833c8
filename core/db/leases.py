"""Which of several processes may do what only one of them is to do."""

from __future__ import annotations

from django.db import models


class Lease(models.Model):
    """Held by the process that renewed it last, until that is longer ago than its term."""

    name = models.CharField(max_length=20, primary_key=True)
    renewed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} renewed at {self.renewed_at}"
