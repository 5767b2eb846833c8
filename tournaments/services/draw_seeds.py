"""The secret seed of a tournament's draw: drawn, committed to, stored encrypted (RB 10.1)."""

from __future__ import annotations

import hmac
import os
from typing import Final

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

from tables.services.seeds import SIMULATED
from tournaments.models import Tournament, TournamentSecret

SEED_BYTES: Final = 32


def new_seed(name: str) -> bytes:
    """Draw 32 bytes from the operating system, or a simulation's own from its seed and name."""
    if settings.SIMULATION_SEED and name.startswith(SIMULATED):
        return hmac.digest(settings.SIMULATION_SEED.encode(), name.encode(), "sha256")
    return os.urandom(SEED_BYTES)


def seal(tournament: Tournament, seed: bytes) -> TournamentSecret:
    return TournamentSecret.objects.create(
        tournament=tournament, encrypted_seed=_box().encrypt(seed)
    )


def unseal(tournament: Tournament) -> bytes:
    return _box().decrypt(bytes(tournament.secret.encrypted_seed))


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.DEAL_KEYS])
