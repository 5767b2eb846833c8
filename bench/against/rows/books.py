"""Rows of the ledger: its audit, the journal, and posting compared with pgbench."""

from __future__ import annotations

from typing import Final

from bench.against import adapter
from bench.against.figures import Figure, Row
from bench.against.ledger import SIX, TWO
from bench.against.side import Side
from bench.against.site import last_json


def _audit(side: Side) -> dict[str, float]:
    ledger = side.ledger
    printed = ledger.site.manage("audit_ledger", "--json", **ledger.environment)
    seconds, entries = adapter.audit_figures(last_json(printed))
    return {"audit": 1e6 * seconds / entries}


def _journal(side: Side) -> dict[str, float]:
    ledger = side.ledger
    token = side.journal_token
    lines, seconds = ledger.journal(token)
    return {"journal": lines / seconds}


def _posting(side: Side) -> dict[str, float]:
    """Post and run pgbench's own transactions one after the other, on the same server."""
    ledger, seconds = side.ledger, side.seconds
    two = ledger.posted_per_second("two", TWO, seconds)
    reference = ledger.reference_per_second(seconds)
    six = ledger.posted_per_second("six", SIX, seconds)
    return {
        "pgbench": reference,
        "posting.2": two,
        "posting.6": six,
        "posting.2.share": two / reference,
        "posting.6.share": six / reference,
    }


ROWS: Final = (
    # Before posting: both trees hold the same number of entries until then.
    Row("audit", {"audit": Figure("full audit, each entry", "us")}, _audit),
    Row("journal", {"journal": Figure("journal as CSV", "rows/s", True)}, _journal),
    Row(
        "posting",
        {
            "pgbench": Figure("pgbench TPC-B, 8 connections", "/s", True, is_reference=True),
            "posting.2": Figure("posting 2 entries, 4 connections", "/s", True),
            "posting.6": Figure("posting 6 entries, 4 connections", "/s", True),
            "posting.2.share": Figure("posting 2 entries, to pgbench", "", True),
            "posting.6.share": Figure("posting 6 entries, to pgbench", "", True),
        },
        _posting,
    ),
)
