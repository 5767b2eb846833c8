"""The audit of tournaments: recompute places from results, and prizes from places and payments.

`LEDGER_AUDIT_CHECKS` lists it. The audit of play (`tables.integrity.play_audit`) compares the
results of the tables with their moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tables.integrity.scope import all_keys, batched, new_keys, unless_it_fails
from tournaments.integrity import entry_checks, prize_checks, round_checks
from tournaments.integrity.contest import Contest, contests_of
from tournaments.planning.models import Tournament
from wallet.audit.audit import Finding, Note
from wallet.audit.starts import Start

# A tournament may have some thousands of entries.
BATCH: Final = 20
# How often a tournament that changes meanwhile is read.
READINGS: Final = 5


def findings(start: Start) -> Iterator[Finding | Note]:
    """Yield differences between tournaments and their play, of all or of changed ones."""
    looked_at = 0
    for batch in batched(_tournaments(start), BATCH):
        yield from _of_tournaments(batch)
        looked_at += len(batch)
    yield Note(f"{looked_at} tournaments compared with their tables")


def _tournaments(start: Start) -> Iterator[int]:
    if start.is_beginning:
        yield from all_keys(Tournament.objects.all())
    else:
        yield from new_keys("tournaments.integrity.audit_new_contests", start)


def _of_tournaments(keys: Sequence[int]) -> Iterator[Finding]:
    """Compare tournaments with consistent rows.

    A tournament that changed while it was read is read again; after `READINGS` attempts it is left
    to the next audit.
    """
    changed = list(keys)
    for _ in range(READINGS):
        rows = Tournament.objects.select_related("profile", "awards").filter(pk__in=changed)
        read = contests_of(list(rows.order_by("pk")))
        versions = dict(Tournament.objects.filter(pk__in=changed).values_list("pk", "version"))
        changed = []
        for contest in read:
            tournament = contest.tournament
            if tournament.is_over or versions[tournament.pk] == tournament.version:
                yield from unless_it_fails(f"tournament {tournament.pk}", _differences, contest)
            else:
                changed.append(tournament.pk)
        if not changed:
            return


def _differences(contest: Contest) -> Iterator[Finding]:
    yield from entry_checks.differences(contest)
    yield from round_checks.differences(contest)
    yield from prize_checks.differences(contest)
