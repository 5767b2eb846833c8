"""Failures of an installation on several machines; it recovers after each one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from django.utils import timezone

from core.models import Lease
from tests.builders.processes.waiting import until
from tests.trials.nodes import network
from tests.trials.nodes.multinode import MultiNode
from tests.trials.nodes.pair import Pair
from tests.trials.nodes.patroni import PatroniCluster
from tests.trials.nodes.releases import RELEASES, Release, bring, build

DOWN_SECONDS = 1.0
SILENT_SECONDS = 8.0
BEAT_STARTS_SECONDS = 8.0
# What happens may return a note for the report.
Event = tuple[str, Callable[[], str | None]]


def events(site: MultiNode, only: Sequence[str]) -> list[Event]:
    """Return what happens in order, or what of it has one of these texts in its name.

    What changes the primary comes last. Releases have been built before anybody plays.
    """
    built: dict[str, Release] = {}
    wanted = [
        (name, happen)
        for name, happen in _all_events(site, built)
        if not only or any(text in name for text in only)
    ]
    if any(name in RELEASES for name, _ in wanted):
        built |= build(site.root / "releases")
    return wanted


def _all_events(site: MultiNode, built: dict[str, Release]) -> Iterator[Event]:
    for name in (*(f"{kind} 1" for kind in site.fleet if kind != "beat"), "proxy"):
        yield f"kill -9: {name}", partial(_kill, site, name)
    yield "kill -9: beat 1, then beat 2", partial(_kill_beats, site)
    yield "web and live rolled over", site.roll_servers
    yield "workers and beats rolled over", site.roll_others
    for name in RELEASES:
        yield name, partial(bring, site, built, name)
    yield "PgBouncer restarted", partial(_kill, site, "pooler")
    yield "kill -9: a Sentinel, then Valkey's replica", partial(_kill_beside_master, site)
    yield "Valkey's master lost", partial(_lose_valkey, site)
    if network.can_drop():
        yield f"database cut off for {SILENT_SECONDS:.0f} s", partial(_cut_off, site)
    if isinstance(site.database, PatroniCluster):
        yield from _patronis_events(site, site.database)
    else:
        yield "replica killed, started again", partial(_kill_replica, site, site.database)
        yield "primary lost, replica promoted", partial(_promote, site, site.database)


def _patronis_events(site: MultiNode, cluster: PatroniCluster) -> Iterator[Event]:
    yield "kill -9: etcd-1, of three", partial(_kill_of, site, cluster, "etcd-1")
    yield "kill -9: HAProxy", partial(_kill_of, site, cluster, "haproxy")
    yield "kill -9: the primary's Patroni", partial(_kill_patroni, site, cluster)
    yield "Patroni: switched over", partial(_switch_over, cluster)
    yield "Patroni: server killed", partial(_kill_postgres, cluster)
    yield "Patroni: machine lost", partial(_lose_machine, site, cluster)


def _kill(site: MultiNode, name: str) -> None:
    site.kill(name)
    time.sleep(DOWN_SECONDS)
    site.tend()
    if name in site.ports:
        site.wait_until_ready(name)


def _kill_beats(site: MultiNode) -> str:
    """Kill one beat after the other, of which one holds the lease; return how long it was free."""
    longest = 0.0
    for name in site.names("beat"):
        killed_at = timezone.now()
        site.kill(name)
        until(Lease.objects.filter(name="beat", renewed_at__gt=killed_at).exists)
        longest = max(longest, (timezone.now() - killed_at).total_seconds())
        site.tend()
        time.sleep(BEAT_STARTS_SECONDS)
    return f"next in {longest:.1f} s"


def _kill_beside_master(site: MultiNode) -> None:
    """Kill servers whose loss does not stop the master."""
    sentinel = site.valkeys.kill_sentinel()
    time.sleep(DOWN_SECONDS)
    site.valkeys.bring_sentinel_back(sentinel)
    replica = site.valkeys.kill_replica()
    time.sleep(DOWN_SECONDS)
    site.valkeys.bring_back(replica)
    site.kills.update(["sentinel", "valkey's replica"])


def _lose_valkey(site: MultiNode) -> str:
    valkeys = site.valkeys
    lost_at = time.monotonic()
    lost = valkeys.kill_master()
    site.kills["valkey"] += 1
    until(lambda: valkeys.master_port != lost)
    note = f"promoted in {time.monotonic() - lost_at:.1f} s"
    valkeys.bring_back(lost)
    return note


def _cut_off(site: MultiNode) -> str:
    """Let no packet pass between everything and the database; no connection is closed."""
    with network.silence(site.pooler.port):
        time.sleep(SILENT_SECONDS)
    return "packets dropped"


def _kill_replica(site: MultiNode, pair: Pair) -> None:
    """Commits wait for it meanwhile: it is the only one that confirms them."""
    site.kill("replica")
    time.sleep(DOWN_SECONDS)
    pair.start_replica()


def _promote(site: MultiNode, pair: Pair) -> None:
    """Lose the primary by -9, let the replica write, and point the pooler to it."""
    site.kill("primary")
    pair.promote()
    site.pooler.point_to(pair)
    os.kill(site.processes["pooler"].pid, signal.SIGHUP)


def _kill_of(site: MultiNode, cluster: PatroniCluster, name: str) -> None:
    site.kill(name)
    time.sleep(DOWN_SECONDS)
    cluster.tend()
    until(cluster.is_whole)


def _kill_patroni(site: MultiNode, cluster: PatroniCluster) -> None:
    """Kill the primary's Patroni; PostgreSQL keeps running, Patroni returns before a failover."""
    _kill_of(site, cluster, f"patroni {cluster.leader.name}")


def _switch_over(cluster: PatroniCluster) -> str:
    began, old = time.monotonic(), cluster.leader
    cluster.switch_over()
    return _led_by_another(cluster, old.name, began)


def _kill_postgres(cluster: PatroniCluster) -> str:
    began, old = time.monotonic(), cluster.leader
    old.kill_postgres()
    return _led_by_another(cluster, old.name, began)


def _lose_machine(site: MultiNode, cluster: PatroniCluster) -> str:
    began = time.monotonic()
    lost = cluster.lose_machine()
    site.kills["machine of the primary"] += 1
    return _led_by_another(cluster, lost, began)


def _led_by_another(cluster: PatroniCluster, old: str, began: float) -> str:
    """Wait until another node leads, then until the old one follows it and confirms commits."""
    others = [node for name, node in cluster.nodes.items() if name != old]
    until(lambda: any(node.says("/primary") for node in others))
    led = time.monotonic() - began
    cluster.tend()
    until(cluster.is_whole)
    return f"led {led:.1f} s, whole {time.monotonic() - began:.1f} s"
