"""A player's finished deals as one ZIP of history files, sent while it is written."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from players.accounts.models import User
from tables.dealing.deal_file import history_name, history_text
from tables.dealing.finished_deals import deals_seen_by
from tables.exceptions import TooManyDeals
from tables.table.deal_models import Deal

if TYPE_CHECKING:
    from tables.history.games import Sitting

DEALS_MAX = 1_000
READ_AT_ONCE = 50


def archive_of(player: User, games: QuerySet[Sitting]) -> Iterator[bytes]:
    """Return the parts of a ZIP with each finished deal of some of the player's games.

    Raise `TooManyDeals` above `DEALS_MAX`, before anything is sent.
    """
    deals = deals_seen_by(player).filter(table__in=games.order_by().values("table"))
    found = list(deals.order_by("pk").values_list("pk", flat=True)[: DEALS_MAX + 1])
    if len(found) > DEALS_MAX:
        words = _("More than %(most)d deals were played in these games. Choose fewer days.")
        raise TooManyDeals(words % {"most": DEALS_MAX})
    return _parts(deals, found)


class _Unsent(io.RawIOBase):
    """What has been written to the archive and not been sent."""

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


def _parts(deals: QuerySet[Deal], found: Sequence[int]) -> Iterator[bytes]:
    unsent = _Unsent()
    with ZipFile(unsent, "w") as archive:
        for first in range(0, len(found), READ_AT_ONCE):
            for deal in deals.filter(pk__in=found[first : first + READ_AT_ONCE]).order_by("pk"):
                assert deal.started_at is not None, "a finished deal has begun"
                file = ZipInfo(history_name(deal), deal.started_at.timetuple()[:6])
                file.compress_type = ZIP_DEFLATED
                archive.writestr(file, history_text(deal))
            yield unsent.take()
    yield unsent.take()
