"""Revealing the seed of a deal that is over (RB 12.1)."""

from __future__ import annotations

from datetime import datetime

from tables.history.fairness import seeds
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal


def reveal_seed(deal: Deal, now: datetime) -> None:
    """Publish the seed of a deal that is settled or void.

    The database refuses an earlier reveal, and any seed but the committed one.
    """
    seed = seeds.unseal(deal.secret).hex()
    reveal = Reveal(table_id=deal.table_id, deal=deal, server_seed=seed, revealed_at=now)
    Reveal.objects.bulk_create([reveal], ignore_conflicts=True)
