"""A player's finished deals as ZIPs of history files, streamed while they are written."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db.models import QuerySet

from players.accounts.models import User
from tables.exceptions import MovesArchived
from tables.history.deal_file import history_name, history_text
from tables.history.finished_deals import deals_of
from tables.models.deals import Deal

if TYPE_CHECKING:
    from tables.history.games import Sitting

DEALS_PER_PART = 1_000
READ_AT_ONCE = 50


def archive_of(
    player: User, games: QuerySet[Sitting], *, part: int = 1
) -> tuple[Iterator[bytes], bool]:
    """Return a ZIP of finished deals of the player's games in pieces, and whether a part follows.

    Deals are ordered by their start, so that deals played meanwhile come last.
    """
    deals = _deals(player, games)
    first = (part - 1) * DEALS_PER_PART
    found = list(deals.values_list("pk", flat=True)[first : first + DEALS_PER_PART + 1])
    return _pieces(deals, found[:DEALS_PER_PART]), len(found) > DEALS_PER_PART


def parts_of(player: User, games: QuerySet[Sitting]) -> int:
    """Return the number of parts for the finished deals of the player's games."""
    return -(-_deals(player, games).count() // DEALS_PER_PART)


def _deals(player: User, games: QuerySet[Sitting]) -> QuerySet[Deal]:
    deals = deals_of(player).filter(table__in=games.order_by().values("table"))
    return deals.order_by("pk")


class _Unsent(io.RawIOBase):
    """The part of the archive that is written but not yet sent."""

    def __init__(self) -> None:
        super().__init__()
        self._content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:  # type: ignore[override]  # Any buffer would do.
        self._content += content
        return len(content)

    def take(self) -> bytes:
        taken = bytes(self._content)
        self._content.clear()
        return taken


def _text(deal: Deal) -> str:
    """Return the history file, or a message that its moves are archived."""
    try:
        return history_text(deal)
    except MovesArchived as refusal:
        return f"# {refusal}\n"


def _pieces(deals: QuerySet[Deal], found: Sequence[int]) -> Iterator[bytes]:
    unsent = _Unsent()
    with ZipFile(unsent, "w") as archive:
        for first in range(0, len(found), READ_AT_ONCE):
            for deal in deals.filter(pk__in=found[first : first + READ_AT_ONCE]):
                assert deal.started_at is not None, "a finished deal has begun"
                file = ZipInfo(history_name(deal), deal.started_at.timetuple()[:6])
                file.compress_type = ZIP_DEFLATED
                archive.writestr(file, _text(deal))
            yield unsent.take()
    yield unsent.take()
