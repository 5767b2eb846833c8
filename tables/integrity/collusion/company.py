"""How often two players join tables together, from one network or from one device.

These figures are also high for households and friends. They accompany a finding for staff to weigh;
none of them is evidence by itself, so they alone never cause a finding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from django.db import connection

from tables.integrity.collusion.counts import Pair, Span
from tables.integrity.collusion.models import FindingFact

Kind = FindingFact.Kind
JOINED_WITHIN_SECONDS: Final = 10
# All pairs of people who sat down at one table in these days: number, and number of similar ones.
_SEATED: Final = """
    SELECT count(*),
        count(*) FILTER (WHERE abs(extract(epoch FROM a.joined_at - b.joined_at)) <= %(within)s),
        count(*) FILTER (WHERE ao.network_hash = bo.network_hash),
        count(*) FILTER (WHERE ao.device_hash = bo.device_hash AND ao.device_hash <> '')
    FROM tables_seat AS a
    JOIN tables_seat AS b ON b.table_id = a.table_id AND b.player_id > a.player_id
    JOIN tables_table AS t ON t.id = a.table_id AND t.currency = %(currency)s
    JOIN players_user AS au ON au.id = a.player_id AND NOT au.is_bot
    JOIN players_user AS bu ON bu.id = b.player_id AND NOT bu.is_bot
    LEFT JOIN tables_seatorigin AS ao ON ao.seat_id = a.id
    LEFT JOIN tables_seatorigin AS bo ON bo.seat_id = b.id
    WHERE a.joined_at >= %(begins)s AND a.joined_at < %(ends)s
        AND b.joined_at >= %(begins)s AND b.joined_at < %(ends)s
"""
_OF_THE_PAIR: Final = " AND a.player_id = %(one)s AND b.player_id = %(other)s"


def company(span: Span, pairs: Collection[Pair]) -> Iterator[tuple[Pair, FindingFact]]:
    """Yield facts about each pair's company with the base rate, not yet linked to a finding."""
    values = span.values | {"within": JOINED_WITHIN_SECONDS}
    base_seated = _counted(_SEATED, values)
    for one, other in pairs:
        mine = values | {"one": one, "other": other}
        tables, *alike = _counted(_SEATED + _OF_THE_PAIR, mine)
        kinds = (Kind.JOINED, Kind.NETWORK, Kind.DEVICE)
        for kind, seen, at_base_rate in zip(kinds, alike, base_seated[1:], strict=True):
            yield (
                (one, other),
                FindingFact(
                    kind=kind,
                    seen=seen,
                    cases=tables,
                    base_seen=at_base_rate,
                    base_cases=base_seated[0],
                ),
            )


def _counted(sql: str, values: dict[str, Any]) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return tuple(map(int, cursor.fetchone()))
