"""What happens to a house on several machines, one after the other; each leaves it whole."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial

from django.utils import timezone

from tables.table.models import Heartbeat
from tests.rehearsal.site import QUEUES, Site

DOWN_SECONDS = 1.0
SILENT_SECONDS = 8.0
HAND_OVER_SECONDS_MAX = 30.0
BEAT_STARTS_SECONDS = 8.0
# What happens may return a note for the report.
Event = tuple[str, Callable[[], str | None]]


def events(site: Site) -> Iterator[Event]:
    """Yield each event's name and what makes it happen; the promotion comes last."""
    for name in ("web 1", "live 1", *(f"{queue} 1" for queue in QUEUES), "proxy"):
        yield f"kill -9: {name}", partial(_kill, site, name)
    yield "kill -9: beat 1, then beat 2", partial(_kill_beats, site)
    yield "PgBouncer restarted", partial(_kill, site, "pooler")
    yield "Valkey killed, started again", partial(_kill_valkey, site)
    yield "web and live rolled over", partial(_roll, site, ("web", "live"))
    yield "workers and beats rolled over", partial(_roll, site, (*QUEUES, "beat"))
    yield f"database silent for {SILENT_SECONDS:.0f} s", partial(_silence, site)
    yield "replica killed, started again", partial(_kill_replica, site)
    yield "primary lost, replica promoted", site.promote_replica


def _kill(site: Site, name: str) -> None:
    site.kill(name)
    time.sleep(DOWN_SECONDS)
    site.tend()
    if name in site.ports:
        site.wait_until_ready(name)


def _kill_beats(site: Site) -> str:
    """Kill one beat after the other, of which one holds the lease; return how long it was free."""
    longest = 0.0
    for name in ("beat 1", "beat 2"):
        killed_at = timezone.now()
        site.kill(name)
        lease = Heartbeat.objects.filter(name="beat", beat_at__gt=killed_at)
        until = time.monotonic() + HAND_OVER_SECONDS_MAX
        while not lease.exists():
            assert time.monotonic() < until, "no other beat takes over"
            time.sleep(0.05)
        longest = max(longest, (timezone.now() - killed_at).total_seconds())
        site.tend()
        time.sleep(BEAT_STARTS_SECONDS)
    return f"handed over in {longest:.1f} s"


def _kill_valkey(site: Site) -> None:
    site.kill_valkey()
    time.sleep(DOWN_SECONDS)
    site.start_valkey()


def _kill_replica(site: Site) -> None:
    """Commits wait for it meanwhile: it is the only one that confirms them."""
    site.kill("replica")
    time.sleep(DOWN_SECONDS)
    site.start_replica()


def _roll(site: Site, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        for number in "12":
            site.roll(f"{kind} {number}")


def _silence(site: Site) -> None:
    """Let nothing pass between everything and the database, without a closed connection."""
    pooler = site.processes["pooler"].pid
    os.kill(pooler, signal.SIGSTOP)
    try:
        time.sleep(SILENT_SECONDS)
    finally:
        os.kill(pooler, signal.SIGCONT)
