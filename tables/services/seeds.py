"""The secret seed of a deal: drawn, committed to, stored encrypted (RB 12.1)."""

from __future__ import annotations

import hmac
import os

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

from tables.models import Deal, DealSecret, Table

SEED_BYTES = 32
# The owner of tables that `tables.services.simulation` opens.
SIMULATION = "simulation"
# How the names of its tournaments begin, and so those of their tables.
SIMULATED = "Simulation "


def new_seed(table: Table, no: int) -> bytes:
    """Draw 32 bytes from the operating system.

    A simulation's own tables draw them from its seed and their name instead, so that the same run
    deals the same cards again; no other table's cards can ever be foreseen that way.
    """
    if settings.SIMULATION_SEED and _is_simulated(table):
        message = f"{table.name}/{no}".encode()
        return hmac.digest(settings.SIMULATION_SEED.encode(), message, "sha256")
    return os.urandom(SEED_BYTES)


def _is_simulated(table: Table) -> bool:
    if table.owner_ref == SIMULATION:
        return True
    return table.owner_ref.startswith("tournament:") and table.name.startswith(SIMULATED)


def seal(deal: Deal, seed: bytes) -> DealSecret:
    return DealSecret.objects.create(deal=deal, encrypted_seed=_box().encrypt(seed))


def unseal(secret: DealSecret) -> bytes:
    return _box().decrypt(bytes(secret.encrypted_seed))


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.DEAL_KEYS])
