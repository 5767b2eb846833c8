"""The secret seed of a deal: drawn, committed to, stored encrypted, revealed (RB 12.1)."""

from __future__ import annotations

import hmac
import os
from typing import Final

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

from tables.models.deals import Deal, DealSecret
from tables.models.tables import Table

SEED_BYTES: Final = 32
# The owner reference of tables that `devtools.simulation.tables` opens.
SIMULATION = "simulation"
# The name prefix of simulated tournaments, and so of their tables.
SIMULATED = "Simulation "


def new_seed(table: Table, no: int) -> bytes:
    """Draw the 32-byte seed of a deal; for a simulation's tables derive it from their name."""
    return drawn(simulated_as=f"{table.name}/{no}" if is_simulated(table) else "")


def drawn(*, simulated_as: str) -> bytes:
    """Draw 32 bytes from the operating system.

    Simulations pass a name instead, and the bytes derive from it and the simulation's seed, so that
    a run is reproducible; no other seed can be predicted that way.
    """
    if settings.SIMULATION_SEED and simulated_as:
        return hmac.digest(settings.SIMULATION_SEED.encode(), simulated_as.encode(), "sha256")
    return os.urandom(SEED_BYTES)


def is_simulated(table: Table) -> bool:
    if table.owner_ref == SIMULATION:
        return True
    return table.owner_ref.startswith("tournament:") and table.name.startswith(SIMULATED)


def seal(deal: Deal, seed: bytes) -> DealSecret:
    return DealSecret.objects.create(
        table_id=deal.table_id, deal=deal, encrypted_seed=encrypted(seed)
    )


def unseal(secret: DealSecret) -> bytes:
    return decrypted(secret.encrypted_seed)


def seed_of(deal: Deal) -> bytes:
    """Return the seed of the deal's commitment; each time it is drawn again it has another one."""
    drawn_first = unseal(deal.secret)
    if not deal.draw:
        return drawn_first
    return hmac.digest(drawn_first, f"rummy draw {deal.draw}\n".encode(), "sha256")


def encrypted(seed: bytes) -> bytes:
    return _box().encrypt(seed)


def decrypted(stored: bytes | memoryview) -> bytes:
    """Decrypt the result of `encrypted`, with any of the keys in use."""
    return _box().decrypt(bytes(stored))


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.DEAL_KEYS])
