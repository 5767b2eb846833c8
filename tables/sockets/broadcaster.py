"""The subscribers of a table in this process; the table is read once for all their views."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import msgspec
import structlog
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import Error as AnyDatabaseError
from django.utils import translation
from redis import RedisError

from core import tracing
from core.db.statements import Statement
from players.accounts.models import User
from players.sign_in.sessions import SessionStore, TokenSession, player_of_socket, proofs_of
from tables.models.addresses import read_table
from tables.models.tables import Table
from tables.seats.open_sockets import NO_SEAT
from tables.sockets.attendance import attendance
from tables.state.publishing import group_name
from tables.view.phrases import Phrase, spoken, text_of
from tables.view.schemas import TableView
from tables.view.table_view import table_views

log = structlog.get_logger(__name__)

# How often idle tables' sessions and versions are checked, in seconds: change messages sent while
# Redis was unavailable are lost.
SESSIONS_CHECKED_SECONDS: Final = 5.0
_VERSIONS: Final = Statement("SELECT id, version FROM tables_table WHERE id = ANY(%s)")


@dataclass(slots=True, eq=False)
class Subscriber:
    """The viewer of one socket; an anonymous viewer has no session."""

    viewer: User | AnonymousUser | None
    session: SessionStore | None = None
    # The language of the viewer's messages.
    language: str = settings.LANGUAGE_CODE
    # The token to remove when a signed-in viewer leaves (`Attendance`).
    token: str = ""
    # The same while the viewer has no seat, as one of the table's spectators.
    watching: str = ""
    # State of the session and password when the session was last checked.
    proof: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        if self.session is not None:
            self.proof = self.session.proof

    @property
    def is_signed_in(self) -> bool:
        return self.viewer is not None and self.viewer.is_authenticated

    @property
    def keys(self) -> tuple[str, int]:
        """The keys of the session and of the signed-in player."""
        assert self.session is not None, "a signed-in viewer has a session"
        assert isinstance(self.viewer, User), "a signed-in viewer is a player"
        return self.session.session_key or "", self.viewer.pk


@dataclass(frozen=True, slots=True)
class Message:
    """A serialised view, and its version."""

    version: int
    text: str
    is_spectators: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A serialised phrase of a player, in the viewer's language."""

    text: str


# A view, None if the session has ended, or the error that kept the view from being read.
Update = Message | Exception | None
Show = Callable[[Update | Said], None]


class TableBroadcaster:
    """The subscribers of one table in one loop; it receives each change once for all of them.

    Requests that arrive while a read is pending share it; changes that arrive during a read are
    part of the next one.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._showing: dict[Subscriber, Show] = {}
        self._asking: list[tuple[Subscriber, asyncio.Future[Update]]] = []
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._channel = ""
        self._listening: asyncio.Task[None] | None = None
        # The version of the latest change, and the version that all subscribers have been sent.
        self._latest = self._shown = -1
        # The trace id of the latest change, if any.
        self._trace: dict[str, str] | None = None

    async def join(self, subscriber: Subscriber, show: Show) -> None:
        """Call `show` with the subscriber's view after each change from now on."""
        self._showing[subscriber] = show
        if subscriber.is_signed_in:
            subscriber.token = attendance().come((self.table.pk, subscriber.keys[1]))
        _watch()
        try:
            async with self._opening:
                if self._listening is None:
                    await self._open()
        except BaseException:
            await self.leave(subscriber)
            raise

    async def leave(self, subscriber: Subscriber) -> None:
        """Remove the subscriber; stop listening to changes after the last one."""
        if self._showing.pop(subscriber, None) is not None:
            for token in filter(None, (subscriber.token, subscriber.watching)):
                attendance().leave(token)
        if self._showing:
            return
        if _broadcasters.get(key := _key(self.table.public_id)) is self:
            del _broadcasters[key]
        listening, self._listening = self._listening, None
        if listening is not None:
            layer: Any = get_channel_layer()
            try:
                await layer.group_discard(group_name(self.table.public_id), self._channel)
            except (RedisError, OSError) as error:  # Redis drops the channel when it restarts.
                log.warning("group_not_left", error=str(error))
            listening.cancel()  # The layer drops the channel then.
            await asyncio.wait([listening])

    def signed_in(self) -> list[tuple[Subscriber, Show]]:
        """Return the subscribers who have a session, and each one's callback."""
        return [pair for pair in self._showing.items() if pair[0].is_signed_in]

    async def view_for(self, subscriber: Subscriber) -> Update:
        """Return the subscriber's current view of the table, None or an error; see `Update`."""
        answer: asyncio.Future[Update] = asyncio.get_running_loop().create_future()
        self._asking.append((subscriber, answer))
        self._read_soon()
        return await answer

    def catch_up(self, version: int) -> None:
        """Send the table at this version, unless its change was received."""
        if version > max(self._latest, self._shown):
            self._latest = version
            self._read_soon()

    async def _open(self) -> None:
        layer: Any = get_channel_layer()
        self._channel = await layer.new_channel()
        await layer.group_add(group_name(self.table.public_id), self._channel)
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        layer: Any = get_channel_layer()
        while True:
            change = await layer.receive(self._channel)
            if "said" in change:
                self._pass_on(change["said"], change["muted_for"])
                continue
            self._latest, self._trace = max(self._latest, change["version"]), change.get("trace")
            self._read_soon()

    def _pass_on(self, said: dict[str, str], muted_for: Collection[int]) -> None:
        for subscriber, show in list(self._showing.items()):
            if not (subscriber.is_signed_in and subscriber.keys[1] in muted_for):
                show(_said(said, subscriber.language))

    def _read_soon(self) -> None:
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            is_second = False
            while self._asking or self._latest > self._shown:
                await asyncio.sleep(0)  # Let requests of the same iteration of the loop join.
                trace, self._trace = self._trace, None
                with tracing.span("views", trace, table=str(self.table.public_id)):
                    is_second = await self._read_once(is_second=is_second)
        finally:
            self._reading = None

    async def _read_once(self, *, is_second: bool) -> bool:
        """Read the views that are due and hand them out; return whether to read them once more."""
        asking, self._asking = self._asking, []
        shown = list(self._showing.items()) if self._latest > self._shown else []
        self._shown = max(self._shown, self._latest)
        views = await self._views([subscriber for subscriber, _ in (*asking, *shown)])
        if not is_second and self._is_overtaken(views):
            # The player who moved already has the newer view: read again, at most once.
            self._asking = [*asking, *self._asking]
            return True
        for subscriber, view in zip((each for each, _ in (*asking, *shown)), views, strict=True):
            self._count(subscriber, view)
        for (_, answer), view in zip(asking, views, strict=False):
            if not answer.done():  # The client may have disconnected.
                answer.set_result(view)
        for (_, show), view in zip(shown, views[len(asking) :], strict=True):
            if isinstance(view, Message):  # It may be newer than the latest change.
                self._shown = max(self._shown, view.version)
            show(view)
        return False

    def _count(self, subscriber: Subscriber, view: Update) -> None:
        """Count the subscriber among the table's spectators while they have no seat."""
        is_spectator = isinstance(view, Message) and view.is_spectators
        if subscriber not in self._showing or is_spectator == bool(subscriber.watching):
            return
        if is_spectator:
            subscriber.watching = attendance().come((self.table.pk, NO_SEAT))
        else:
            attendance().leave(subscriber.watching)
            subscriber.watching = ""

    def _is_overtaken(self, views: Sequence[Update]) -> bool:
        """Return whether a change that arrived during the read has a newer version."""
        return any(isinstance(view, Message) and view.version < self._latest for view in views)

    async def _views(self, subscribers: list[Subscriber]) -> list[Update]:
        try:
            return [*await database_sync_to_async(views_of)(self.table, subscribers)]
        except Exception as error:  # Sent to every waiting socket, which closes with an error.
            log.exception("views_not_read", table=str(self.table.public_id))
            return [error] * len(subscribers)


_broadcasters: Final[dict[tuple[int, UUID], TableBroadcaster]] = {}
# The tables that are being read, each once for all sockets that wait for it.
_tables: Final[dict[tuple[int, UUID], asyncio.Task[Table]]] = {}


async def broadcaster_at(public_id: UUID) -> TableBroadcaster:
    """Return the broadcaster of the table with this public id, which is read if it has none yet.

    Raise `Table.DoesNotExist` if there is no such table.
    """
    key = _key(public_id)
    if (broadcaster := _broadcasters.get(key)) is not None:
        return broadcaster
    reading = _tables.get(key)
    if reading is None:
        reading = asyncio.create_task(database_sync_to_async(read_table)(public_id))
        _tables[key] = reading
        reading.add_done_callback(lambda _: _tables.pop(key, None))
    # A socket that is closed meanwhile does not end the read of the others.
    return broadcaster_of(await asyncio.shield(reading))


def broadcaster_of(table: Table) -> TableBroadcaster:
    """Return the table's broadcaster in the running loop; it ends with its last subscriber."""
    key = _key(table.public_id)
    broadcaster = _broadcasters.get(key)
    if broadcaster is None:
        broadcaster = _broadcasters[key] = TableBroadcaster(table)
    return broadcaster


def _key(public_id: UUID) -> tuple[int, UUID]:
    return id(asyncio.get_running_loop()), public_id


_watches: Final[dict[int, asyncio.Task[None]]] = {}


def _watch() -> None:
    """Check the running loop's tables and their subscribers' sessions until the last one leaves."""
    loop = asyncio.get_running_loop()
    watch = _watches.get(id(loop))
    if watch is None or watch.done() or watch.get_loop() is not loop:
        _watches[id(loop)] = asyncio.create_task(_look_after(id(loop)))


async def _look_after(loop: int) -> None:
    while True:
        await asyncio.sleep(SESSIONS_CHECKED_SECONDS)
        broadcasters = [broadcaster for key, broadcaster in _broadcasters.items() if key[0] == loop]
        if not broadcasters:
            return
        signed_in = [pair for broadcaster in broadcasters for pair in broadcaster.signed_in()]
        try:
            subscribers = [subscriber for subscriber, _ in signed_in]
            present = set(await database_sync_to_async(still_signed_in)(subscribers))
            tables = [broadcaster.table.pk for broadcaster in broadcasters]
            versions = dict(await database_sync_to_async(_VERSIONS.rows)(tables))
        except AnyDatabaseError as error:
            log.warning("sessions_not_checked", error=str(error))
            continue
        for broadcaster in broadcasters:
            broadcaster.catch_up(versions.get(broadcaster.table.pk, -1))
        for subscriber, show in signed_in:
            if subscriber not in present:
                show(None)


def views_of(table: Table, subscribers: Sequence[Subscriber]) -> list[Message | None]:
    """Return each subscriber's view of the table, which is read once per language.

    None means that the session has ended.
    """
    present = still_signed_in(subscribers)
    sent: dict[int, Message] = {}
    for language in {subscriber.language for subscriber in present}:
        alike = [subscriber for subscriber in present if subscriber.language == language]
        with translation.override(language):
            views = table_views(table, [subscriber.viewer for subscriber in alike])
        texts = {id(view): _sent(view) for view in {id(view): view for view in views}.values()}
        sent |= {id(each): texts[id(view)] for each, view in zip(alike, views, strict=True)}
    return [sent.get(id(subscriber)) for subscriber in subscribers]


def _sent(view: TableView) -> Message:
    text = msgspec.json.encode({"type": "view", "view": view}).decode()
    return Message(view.version, text, is_spectators=view.me is None)


def _said(said: dict[str, str], language: str) -> Said:
    phrase = Phrase(said["phrase"])
    with translation.override(language):
        words = {"text": text_of(phrase), "spoken": spoken(phrase)}
    message = {"type": "phrase", **said, **words}
    return Said(msgspec.json.encode(message).decode())


def still_signed_in(subscribers: Sequence[Subscriber]) -> list[Subscriber]:
    """Return the subscribers whose sessions still belong to their viewers.

    The session is loaded only if it or the account has changed since the last check.
    """
    players = [subscriber for subscriber in subscribers if subscriber.is_signed_in]
    proofs = proofs_of([subscriber.keys for subscriber in players])
    present = [subscriber for subscriber in subscribers if not subscriber.is_signed_in]
    for subscriber in players:
        proof = proofs.get(subscriber.keys)
        if proof is not None and (proof == subscriber.proof or _session_names_viewer(subscriber)):
            subscriber.proof = proof
            present.append(subscriber)
    return present


def _session_names_viewer(subscriber: Subscriber) -> bool:
    session_key, _ = subscriber.keys
    store = TokenSession if isinstance(subscriber.session, TokenSession) else SessionStore
    return player_of_socket(store(session_key)) == subscriber.viewer
