"""Who looks at a table through this process: one reading of the table serves all their views."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError
from django.utils import translation
from redis import RedisError
from rest_framework.utils.encoders import JSONEncoder

from core.db.planned import Planned
from players.sign_in.middleware import player_of_socket
from tables.table.hints import group_of
from tables.table.models import Table
from tables.view.shapes import as_json
from tables.view.table_view import table_views

log = structlog.get_logger(__name__)

# A session that ends while nothing happens at its tables is noticed after this time.
SESSIONS_CHECKED_SECONDS: Final = 5.0
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
    # What session and account held when the viewer was last found in them.
    proof: bytes = b""

    @property
    def is_signed_in(self) -> bool:
        return self.viewer is not None and self.viewer.is_authenticated


@dataclass(frozen=True, slots=True)
class Sent:
    """A view as it goes over the wire, and the version it tells of."""

    version: int
    text: str


# A view, None for whose session is over, or what went wrong.
Seen = Sent | Exception | None
Show = Callable[[Seen], None]


class Audience:
    """The onlookers of one table in one loop; it hears each hint once and shows all of them.

    Those who ask while a reading waits share it; a hint that came meanwhile is part of the next.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._showing: dict[Onlooker, Show] = {}
        self._asking: list[tuple[Onlooker, asyncio.Future[Seen]]] = []
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._channel = ""
        self._listening: asyncio.Task[None] | None = None
        # The version of the latest hint, and the one everybody has been shown.
        self._heard = self._shown = -1

    async def join(self, onlooker: Onlooker, show: Show) -> None:
        """Show the onlooker whatever changes from now on."""
        self._showing[onlooker] = show
        _watch_sessions()
        try:
            async with self._opening:
                if self._listening is None:
                    await self._open()
        except BaseException:
            await self.leave(onlooker)
            raise

    async def leave(self, onlooker: Onlooker) -> None:
        """Show him nothing more; the last one ends the listening."""
        self._showing.pop(onlooker, None)
        if self._showing:
            return
        if _audiences.get(_key(self.table)) is self:
            del _audiences[_key(self.table)]
        listening, self._listening = self._listening, None
        if listening is not None:
            layer: Any = get_channel_layer()
            try:
                await layer.group_discard(group_of(self.table.public_id), self._channel)
            except (RedisError, OSError) as error:  # What is away has forgotten the channel.
                log.warning("group_not_left", error=str(error))
            listening.cancel()  # The layer drops the channel then.
            await asyncio.wait([listening])

    def signed_in(self) -> list[tuple[Onlooker, Show]]:
        """Return the onlookers who have a session, and how each is shown something."""
        return [pair for pair in self._showing.items() if pair[0].is_signed_in]

    async def view_for(self, onlooker: Onlooker) -> Seen:
        """Return the onlooker's view of the table as it is, or why there is none."""
        answer: asyncio.Future[Seen] = asyncio.get_running_loop().create_future()
        self._asking.append((onlooker, answer))
        self._read_soon()
        return await answer

    async def _open(self) -> None:
        layer: Any = get_channel_layer()
        self._channel = await layer.new_channel()
        await layer.group_add(group_of(self.table.public_id), self._channel)
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        layer: Any = get_channel_layer()
        while True:
            hint = await layer.receive(self._channel)
            self._heard = max(self._heard, hint["version"])
            self._read_soon()

    def _read_soon(self) -> None:
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            is_second = False
            while self._asking or self._heard > self._shown:
                await asyncio.sleep(0)  # More may ask in the same turn of the loop.
                asking, self._asking = self._asking, []
                shown = list(self._showing.items()) if self._heard > self._shown else []
                self._shown = max(self._shown, self._heard)
                views = await self._views([onlooker for onlooker, _ in (*asking, *shown)])
                if not is_second and self._is_overtaken(views):
                    # Who made the newer move has its answer already: read again, once at most.
                    is_second, self._asking = True, [*asking, *self._asking]
                    continue
                is_second = False
                for (_, answer), view in zip(asking, views, strict=False):
                    if not answer.done():  # A client that left no longer waits.
                        answer.set_result(view)
                for (_, show), view in zip(shown, views[len(asking) :], strict=True):
                    if isinstance(view, Sent):  # It may tell of more than was heard.
                        self._shown = max(self._shown, view.version)
                    show(view)
        finally:
            self._reading = None

    def _is_overtaken(self, views: Sequence[Seen]) -> bool:
        """Return whether a hint that came during the reading tells of a newer version."""
        return any(isinstance(view, Sent) and view.version < self._heard for view in views)

    async def _views(self, onlookers: list[Onlooker]) -> list[Seen]:
        try:
            return [*await database_sync_to_async(views_of)(self.table, onlookers)]
        except Exception as error:  # Every socket that waits is closed with it.
            log.exception("views_not_read", table=str(self.table.public_id))
            return [error] * len(onlookers)


_audiences: Final[dict[tuple[int, int], Audience]] = {}


def audience_of(table: Table) -> Audience:
    """Return the table's audience in the running loop; it is gone with its last onlooker."""
    key = _key(table)
    audience = _audiences.get(key)
    if audience is None:
        audience = _audiences[key] = Audience(table)
    return audience


def _key(table: Table) -> tuple[int, int]:
    return id(asyncio.get_running_loop()), table.pk


_watches: Final[dict[int, asyncio.Task[None]]] = {}


def _watch_sessions() -> None:
    """Look after the sessions of everybody in the running loop, until the last one leaves."""
    loop = asyncio.get_running_loop()
    watch = _watches.get(id(loop))
    if watch is None or watch.done() or watch.get_loop() is not loop:
        _watches[id(loop)] = asyncio.create_task(_end_sessions(id(loop)))


async def _end_sessions(loop: int) -> None:
    while True:
        await asyncio.sleep(SESSIONS_CHECKED_SECONDS)
        audiences = [audience for key, audience in _audiences.items() if key[0] == loop]
        if not audiences:
            return
        signed_in = [pair for audience in audiences for pair in audience.signed_in()]
        try:
            onlookers = [onlooker for onlooker, _ in signed_in]
            present = set(await database_sync_to_async(_still_signed_in)(onlookers))
        except DatabaseError as error:
            log.warning("sessions_not_checked", error=str(error))
            continue
        for onlooker, show in signed_in:
            if onlooker not in present:
                show(None)


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
    """Return who is still whom their socket was opened for.

    The session is looked into only when it or the account has changed since it last was.
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
        if proof is not None and (proof == onlooker.proof or _is_still_whom_it_names(onlooker)):
            onlooker.proof = proof
            present.append(onlooker)
    return present


def _is_still_whom_it_names(onlooker: Onlooker) -> bool:
    session = onlooker.session.__class__(onlooker.session.session_key)
    return player_of_socket(session) == onlooker.viewer
