"""When a deal's client seeds are complete: all committed, then all revealed (RB 12.1)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import dealing
from tables.state import phases
from tables.state.locks import LockedTable, snapshot_of

# Browsers answer at once; a seat that committed on the lobby page first loads the table's page.
REVEAL_SECONDS: Final = 5
# For new commitments after a deal was drawn again.
COMMIT_SECONDS: Final = 2
# A seat that withheld this many is dealt in without a seed for the rest of the game.
WITHHELD_MAX: Final = 2


def are_in(table: LockedTable, now: datetime, *, is_due: bool = False) -> bool:
    """Return whether the coming deal can be dealt; otherwise arm the clock for what is missing.

    The first time, no more seeds are taken and those committed to are to be revealed. If that time
    is over (`is_due`), the deal is drawn again without the seats that withheld theirs.
    """
    snapshot = snapshot_of(table)
    deal, missing = snapshot.coming, unrevealed(table)
    if deal is None or not missing:
        return True
    if deal.closed_at is None:
        close(table, now)
    ends = (deal.closed_at or now) + timedelta(seconds=REVEAL_SECONDS)
    if is_due and now >= ends:
        dealing.draw_again(table, deal, missing)
        ends = now + timedelta(seconds=COMMIT_SECONDS)
    phases.arm(table, max(0.0, (ends - now).total_seconds()), now)
    return False


def close(table: LockedTable, now: datetime) -> None:
    """Take no more client seeds for the coming deal, so that those committed to can be revealed."""
    deal = snapshot_of(table).coming
    assert deal is not None, "a seed was added to it"
    deal.closed_at = now
    deal.save(update_fields=["closed_at"])
    table.version += 1


def all_given(table: LockedTable) -> bool:
    """Return whether each present person has added a seed, or may not any more."""
    given = snapshot_of(table).client_seeds
    people = [seat for seat in snapshot_of(table).active() if not seat.player.is_bot]
    return all(seat.pk in given or seat.seeds_withheld >= WITHHELD_MAX for seat in people)


def deal_waits(table: LockedTable) -> bool:
    """Return whether only the client seeds were missing: the pause before the deal is over."""
    deal = snapshot_of(table).coming
    if deal is None or deal.closed_at is None or table.armed_at is None:
        return False
    between = (Table.Phase.WAITING, Table.Phase.BETWEEN)
    return table.phase in between and table.armed_at >= deal.closed_at


def reopen(table: LockedTable) -> None:
    """Draw again if the seats change after the seeds were closed, so that nobody chooses a deal."""
    deal = snapshot_of(table).coming
    if deal is not None and deal.closed_at is not None:
        dealing.draw_again(table, deal, ())


def unrevealed(table: LockedTable) -> list[Seat]:
    """Return the present seats that have committed to a seed and not revealed it."""
    snapshot = snapshot_of(table)
    given = {seat for seat, seed in snapshot.client_seeds.items() if not seed.text}
    return [seat for seat in snapshot.present() if seat.pk in given]
