"""The secret seed of a tournament's draw, which is stored encrypted (RB 10.1)."""

from __future__ import annotations

from tables.history.fairness import seeds
from tournaments.planning.models import Tournament, TournamentSecret


def new_seed(name: str) -> bytes:
    """Return a random 32-byte seed; for a simulation, one derived from the tournament's name."""
    return seeds.drawn(simulated_as=name if name.startswith(seeds.SIMULATED) else "")


def seal(tournament: Tournament, seed: bytes) -> TournamentSecret:
    return TournamentSecret.objects.create(
        tournament=tournament, encrypted_seed=seeds.encrypted(seed)
    )


def unseal(tournament: Tournament) -> bytes:
    return seeds.decrypted(tournament.secret.encrypted_seed)
