"""A TCP proxy that behaves like a phone's network: delay, little bandwidth, loss, cut sockets."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

CHUNK = 4096


@dataclass(slots=True)
class PhoneNetwork:
    """A 3G network: 200 ms there and back, 200 KB/s, 2 % of chunks sent again, sockets cut.

    TCP repeats lost packets, so that a loss is a delay for the browser. `cuts` and `repeats` count
    what happened.
    """

    upstream: tuple[str, int]
    one_way: float = 0.1
    bytes_per_second: int = 200_000
    loss: float = 0.02
    # The wait before a lost packet is sent again.
    repeat_after: float = 0.5
    # All open sockets are closed this often.
    cut_every: float = 45
    port: int = 0
    cuts: int = 0
    repeats: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    sockets: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def run(self, ready: threading.Event, end: threading.Event) -> None:
        server = await asyncio.start_server(self.carry, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        next_cut = asyncio.get_running_loop().time() + self.cut_every
        while not end.is_set():
            await asyncio.sleep(0.1)
            if asyncio.get_running_loop().time() >= next_cut:
                next_cut += self.cut_every
                self.cuts += len(self.sockets) > 0
                self.cut()
        server.close()
        self.cut()

    def cut(self) -> None:
        for socket in [*self.sockets]:
            socket.transport.abort()

    async def carry(self, browser: asyncio.StreamReader, to_browser: asyncio.StreamWriter) -> None:
        site, to_site = await asyncio.open_connection(*self.upstream)
        both = {to_browser, to_site}
        self.sockets |= both
        try:
            await asyncio.gather(self.pump(browser, to_site), self.pump(site, to_browser))
        except OSError:
            pass
        finally:
            self.sockets -= both
            for socket in both:
                socket.close()

    async def pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Pass on one direction; chunks keep their order, so that a lost one delays the next."""
        loop, due, passing = asyncio.get_running_loop(), 0.0, asyncio.Queue[tuple[float, bytes]](64)

        async def deliver() -> None:
            while True:
                at, chunk = await passing.get()
                await asyncio.sleep(at - loop.time())
                if not chunk:
                    break
                sink.write(chunk)
                await sink.drain()
            with suppress(OSError, RuntimeError):
                sink.write_eof()

        delivery = asyncio.create_task(deliver())
        try:
            while True:
                chunk = await source.read(CHUNK)
                due = max(due, loop.time()) + len(chunk) / self.bytes_per_second
                if chunk and self.chance.random() < self.loss:
                    self.repeats += 1
                    due += self.repeat_after
                await passing.put((due + self.one_way, chunk))
                if not chunk:
                    break
            await delivery
        finally:
            delivery.cancel()


@contextmanager
def phone_network(site: str) -> Iterator[PhoneNetwork]:
    """Run the network before the site at this address, in a thread."""
    parts = urlsplit(site)
    assert parts.hostname
    assert parts.port
    network = PhoneNetwork(upstream=(parts.hostname, parts.port))
    ready, end = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(network.run(ready, end)), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield network
    finally:
        end.set()
        thread.join(10)
