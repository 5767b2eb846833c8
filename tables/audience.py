"""Who looks at a table through this process: one reading of the table serves all their views."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final
from weakref import WeakValueDictionary

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.utils import translation
from rest_framework.utils.encoders import JSONEncoder

from players.planned import Planned
from tables.models import Table
from tables.selectors import as_json, table_views

_ENCODER: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# Sessions that are not over, of players who may play, and what both held when they were read.
_STANDING: Final = Planned(
    "SELECT asked.key, asked.player, sha256(convert_to(s.session_data || u.password, 'UTF8'))"
    " FROM unnest(%s::text[], %s::bigint[]) AS asked (key, player)"
    " JOIN django_session s ON s.session_key = asked.key AND s.expire_date > now()"
    " JOIN players_user u ON u.id = asked.player AND u.is_active"
)


@dataclass(slots=True, eq=False)
class Onlooker:
    """One socket's viewer; nobody in particular has no session."""

    viewer: Any
    session: Any = None
    # What the sentences in his views are written in.
    language: str = settings.LANGUAGE_CODE
    # What session and account held when Django last found the viewer in them.
    proof: bytes = b""

    @property
    def is_signed_in(self) -> bool:
        return self.viewer is not None and self.viewer.is_authenticated


@dataclass(frozen=True, slots=True)
class Sent:
    """A view as it goes over the wire, and the version it tells of."""

    version: int
    text: str


class Audience:
    """The onlookers of one table; those who ask while a reading waits share it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._asking: list[tuple[Onlooker, asyncio.Future[Sent | None]]] = []
        self._reading: asyncio.Task[None] | None = None

    async def view_for(self, onlooker: Onlooker) -> Sent | None:
        """Return the onlooker's view of the table as it is, or None if his session is over."""
        answer: asyncio.Future[Sent | None] = asyncio.get_running_loop().create_future()
        self._asking.append((onlooker, answer))
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        return await answer

    async def _read(self) -> None:
        try:
            await asyncio.sleep(0)  # One hint reaches all of them, one after the other.
            while self._asking:
                asking, self._asking = self._asking, []
                try:
                    views = await database_sync_to_async(views_of)(
                        self.table, [onlooker for onlooker, _ in asking]
                    )
                except Exception as error:  # It is each onlooker's own to report.
                    for _, answer in asking:
                        if not answer.done():
                            answer.set_exception(error)
                    continue
                for (_, answer), view in zip(asking, views, strict=True):
                    if not answer.done():  # Who hung up meanwhile no longer waits.
                        answer.set_result(view)
        finally:
            self._reading = None


_audiences: WeakValueDictionary[tuple[int, int], Audience] = WeakValueDictionary()


def audience_of(table: Table) -> Audience:
    """Return the table's audience in the running loop; it is gone with its last onlooker."""
    key = (id(asyncio.get_running_loop()), table.pk)
    audience = _audiences.get(key)
    if audience is None:
        audience = _audiences[key] = Audience(table)
    return audience


def views_of(table: Table, onlookers: Sequence[Onlooker]) -> list[Sent | None]:
    """Return what each may see of the table, read once for each language at the most.

    None for whose session is over.
    """
    present = _still_signed_in(onlookers)
    sent: dict[int, Sent] = {}
    for language in {onlooker.language for onlooker in present}:
        alike = [onlooker for onlooker in present if onlooker.language == language]
        with translation.override(language):
            views = table_views(table, [onlooker.viewer for onlooker in alike])
        sent |= {id(onlooker): _sent(view) for onlooker, view in zip(alike, views, strict=True)}
    return [sent.get(id(onlooker)) for onlooker in onlookers]


def _sent(view: Any) -> Sent:
    return Sent(view.version, _ENCODER.encode({"type": "view", "view": as_json(view)}))


def _still_signed_in(onlookers: Sequence[Onlooker]) -> list[Onlooker]:
    """Return who is still whom his socket was opened for.

    Django looks into the session only when it or the account has changed since it last did.
    """
    players = [onlooker for onlooker in onlookers if onlooker.is_signed_in]
    asked = [(onlooker.session.session_key, onlooker.viewer.pk) for onlooker in players]
    standing = {}
    if asked:
        rows = _STANDING.rows([key for key, _ in asked], [player for _, player in asked])
        standing = {(key, player): bytes(proof) for key, player, proof in rows}
    present = [onlooker for onlooker in onlookers if not onlooker.is_signed_in]
    for onlooker, of_session in zip(players, asked, strict=True):
        proof = standing.get(of_session)
        if proof is not None and (proof == onlooker.proof or _is_found_by_django(onlooker)):
            onlooker.proof = proof
            present.append(onlooker)
    return present


def _is_found_by_django(onlooker: Onlooker) -> bool:
    session = onlooker.session.__class__(onlooker.session.session_key)
    asking: Any = SimpleNamespace(session=session)
    found: Any = get_user(asking)
    return bool(found.is_active and found == onlooker.viewer)
