"""The statement as CSV for spreadsheets, in the account's time zone and language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from core.http.csv_stream import csv_response
from players.accounts.zones import zone_of
from wallet.statements.act_texts import Row, rows_of
from wallet.statements.acts import ActStatement

COLUMNS: Final = (
    *("when", "kind", "description", "details", "status"),
    *("amount", "balance", "currency", "receipt"),
)
CHUNK: Final = 200


def statement_csv(
    request: HttpRequest, statement: ActStatement, *, filename: str
) -> StreamingHttpResponse:
    """Return the acts, latest first, as a streamed file.

    The file of a period that is over is the same each time.
    """
    zone = zone_of(statement.player)
    return csv_response(
        request,
        filename=filename,
        columns=COLUMNS,
        headings=(
            _("Date and time (%(zone)s)") % {"zone": zone},
            *(_("Kind"), _("Description"), _("Details"), _("Status")),
            *(_("Amount"), _("Balance"), _("Currency"), _("Receipt number")),
        ),
        chunks=_chunks(statement, translation.get_language(), zone),
        is_for_spreadsheets=True,
    )


def _chunks(statement: ActStatement, language: str, zone: Any) -> Iterator[list[dict[str, str]]]:
    rows = rows_of(statement.acts(), until=statement.until)
    while True:
        # Not active while the response waits for the next part.
        with translation.override(language), timezone.override(zone):
            some = [_cells(row) for row in islice(rows, CHUNK)]
        if not some:
            return
        yield some


def _cells(row: Row) -> dict[str, str]:
    act = row.act
    return {
        "when": f"{timezone.localtime(act.at):%Y-%m-%d %H:%M}",
        "kind": str(act.kind.label),
        "description": row.title,
        "details": row.details,
        "status": row.status,
        "amount": str(act.money.amount),
        "balance": str(act.balance.amount) if act.balance is not None else "",
        "currency": act.money.currency.code,
        "receipt": str(act.transfer.public_id),
    }
