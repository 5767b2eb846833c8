"""The audit of tournaments: recompute places from results, and prizes from places and payments.

`LEDGER_AUDIT_CHECKS` lists it. The audit of play (`tables.integrity.play_audit`) compares the
results of the tables with their moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tables.integrity.scope import batched, keys_since, read_whole, unless_it_fails
from tournaments.integrity import entry_checks, prize_checks, round_checks
from tournaments.integrity.contest import Contest, contests_of
from tournaments.planning.models import Tournament
from wallet.audit.audit import Finding, Note
from wallet.audit.starts import Start

# A tournament may have some thousands of entries.
BATCH: Final = 20


def findings(start: Start) -> Iterator[Finding | Note]:
    """Yield differences between tournaments and their play, of all or of changed ones."""
    looked_at = 0
    changed = keys_since(
        start, Tournament.objects.all(), "tournaments.integrity.audit_new_contests"
    )
    rows = Tournament.objects.select_related("profile", "awards")
    for batch in batched(changed, BATCH):
        for contest in read_whole(
            rows, batch, read=contests_of, row_of=lambda contest: contest.tournament
        ):
            subject = f"tournament {contest.tournament.pk}"
            yield from unless_it_fails(subject, _differences, contest)
        looked_at += len(batch)
    yield Note(f"{looked_at} tournaments compared with their tables")


def _differences(contest: Contest) -> Iterator[Finding]:
    yield from entry_checks.differences(contest)
    yield from round_checks.differences(contest)
    yield from prize_checks.differences(contest)
