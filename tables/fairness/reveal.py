"""Opening the seed of a deal that is over (RB 12.1)."""

from __future__ import annotations

from datetime import datetime

from tables.fairness import seeds
from tables.fairness.models import Reveal
from tables.table.deal_models import Deal


def reveal_seed(deal: Deal, now: datetime) -> Reveal:
    """Publish the seed of a deal that is settled or void.

    The database itself refuses it earlier, and any seed but the committed one.
    """
    reveal, _ = Reveal.objects.get_or_create(
        deal=deal,
        defaults={"server_seed": seeds.unseal(deal.secret).hex(), "revealed_at": now},
    )
    return reveal
