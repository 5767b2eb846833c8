"""Rake: its amount in an entry, and the account it is booked to (RB 7.5).

The rate is `rake_bps` of the table, copied from its template (tables/models/templates.py), or of
the tournament's terms. The rake of an entry is stored on the stake when it is paid. It stays in the
game's escrow and is booked when the game ends: by `settle_game` or, for entries lost before a
cancellation, by `cancel_game`. At points tables `pass_stacks` books the rake of each deal (RB 8.1).
"""

from __future__ import annotations

import zlib

from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.ledger.money import BASIS_POINTS

# One account per shard, so that games ending at the same moment do not wait for one balance.
RAKE_SHARDS = 16


def rake_of_entry(entry_minor: int, rake_bps: int) -> int:
    """Return the rake of an entry, rounded down to whole minor units.

    >>> rake_of_entry(100_00, 1_000), rake_of_entry(65, 1_200)
    (1000, 7)
    """
    return entry_minor * rake_bps // BASIS_POINTS


def rake_account(escrow: Account) -> Account:
    """Return the rake account of a game, chosen by its `ref` so that repetitions agree."""
    shard = zlib.crc32(escrow.ref.encode()) % RAKE_SHARDS
    return accounts.operator_account(kind=Account.Kind.RAKE, currency=escrow.currency, shard=shard)


def rake_entries(escrow: Account, rake_minor: int) -> list[tuple[int, int]]:
    """Return the entry that books a game's rake with its payout; none for 0."""
    return [(rake_account(escrow).pk, rake_minor)] if rake_minor else []
