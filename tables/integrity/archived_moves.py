"""The moves of an archived month, read from its file by deal (core/partitions/archive.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from core.partitions import archive
from core.partitions.models import ArchivedMonth
from tables.integrity.deal_checks import KeptMove
from tables.integrity.scope import batched
from wallet.audit.models import RowVersion

# How many lines to read before the complete deals among them are yielded.
LINES: Final = 20_000


def is_unaltered(path: Path, month: ArchivedMonth) -> bool:
    """Return whether the file's hash is that of the archived month."""
    return archive.sha256_of(path) == month.sha256


def deals_in(path: Path) -> Iterator[tuple[int, list[KeptMove]]]:
    """Yield each deal's key with its moves.

    The rows are unordered. A deal is yielded once it has as many moves as were counted when it
    ended, so that only deals played at the same time are held in memory.
    """
    waiting: dict[int, list[KeptMove]] = defaultdict(list)
    counts: dict[int, int] = {}
    for lines in batched(archive.rows_of(path), LINES):
        touched = set()
        for row in lines:
            deal = int(row["deal_id"])
            waiting[deal].append(KeptMove(int(row["ply"]), int(row["seat_id"]), row["text"]))
            touched.add(deal)
        counts |= _counted(sorted(touched - counts.keys()))
        for deal in sorted(touched):
            if len(waiting[deal]) >= counts.get(deal, 0) > 0:
                yield deal, sorted(waiting.pop(deal))
                del counts[deal]
    for deal, moves in sorted(waiting.items()):
        yield deal, sorted(moves)


def _counted(deals: Sequence[int]) -> dict[int, int]:
    kept = RowVersion.objects.filter(relation="tables_move", row_key__in=list(map(str, deals)))
    return {int(key): int(facts["moves"]) for key, facts in kept.values_list("row_key", "facts")}
