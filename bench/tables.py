"""What tables bear: moves over the whole stack, sockets, timers, idle tables.

    python -m bench.tables [part ...] [--seconds 10] [--tables 200] [--live 2000] [--idle 100000]

Always first is the ceiling: lock a row, insert a row, update the row, commit, through psycopg;
PostgreSQL does that for any move. Parts, all by default: `service` (a move and a view without
HTTP), `wsgi` (session, CSRF, POST, commit, push, no sockets open), `sockets` (six live sockets a
table, everything under ASGI), `scores` (the end of a deal to its posted scores, by a worker),
`timers` (how late a turn's end is applied) and `sweep` (one sweep over idle tables). The load comes
from this process, on the same processors; the servers are throw-away ones without fsync. Read rates
beside the ceiling and the load that is printed first.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
os.environ.setdefault("LOG_LEVEL", "WARNING")

import django

django.setup()

# ruff: noqa: E402  The models are there once Django is set up.
import psycopg
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import close_old_connections, connection
from django.utils import timezone
from websockets.asyncio.client import connect

from config.embedded import stack
from config.embedded.children import stop_children
from players.models import User
from rummy import PROFILES, Rules
from tables.models import Move, StakeMode, Table
from tables.selectors import table_view
from tables.services import clock, lobby, play, profiles, seating
from tables.state import fold_of
from wallet.services import play_points

LONG: dict[str, int] = {"gap_seconds": 0, "toss_seconds": 0, "start_seconds": 0}
RULES = PROFILES["total-rummy-pool-101"].with_(name="bench", turn_seconds=3600, **LONG)
TOKEN = secrets.token_hex(16)
SEATS = 6
CLIENTS = 8
WARM_UP = 1.0


class Player:
    """A user with a session, as a signed-in browser has one."""

    def __init__(self, number: int) -> None:
        self.user = User.objects.create_user(
            handle=f"bench_{number}", email=f"bench{number}@example.com"
        )
        play_points.ensure_points(player=self.user, at_least=play_points_for(5_000))
        session = SessionStore()
        session[SESSION_KEY] = str(self.user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
        session[HASH_SESSION_KEY] = self.user.get_session_auth_hash()
        session.save()
        self.cookie = f"sessionid={session.session_key}; csrftoken={TOKEN}"


def play_points_for(entries: int) -> object:
    from moneyed import Money

    return Money(entries, "PTS")


class Game:
    """A table whose players draw and throw what they drew; it knows what its last answer said."""

    def __init__(self, players: Sequence[Player], rules: Rules = RULES) -> None:
        self.table = lobby.open_table(
            profile=profiles.register_profile(rules),
            name="bench",
            currency="PTS",
            entry_minor=100,
            rake_bps=0,
            seats_min=len(players),
            seats_max=len(players),
        )
        for player in players:
            seating.join(table_id=self.table.pk, player=player.user)
        self.table = Table.objects.select_related("profile").get(pk=self.table.pk)
        self.deal = self.table.deals.get(no=1)
        by_user = {player.user.pk: player for player in players}
        places = list(self.deal.deal_seats.select_related("seat__player").order_by("position"))
        self.seats = [place.seat for place in places]
        self.order = [by_user[seat.player_id] for seat in self.seats]
        self.version, self.to_act, self.drawn = self.table.version, 1, ""
        self.is_over = False

    def text(self) -> str:
        return f"x {self.drawn}" if self.drawn else "ds"

    def follow(self, view: dict[str, Any]) -> None:
        deal, me = view["deal"], view["me"]
        self.version, self.drawn = view["version"], me["drawn"] or ""
        self.is_over = deal["to_act"] is None
        self.to_act = deal["to_act"] or 1

    def step(self) -> None:
        """Make one move through the service."""
        fold = fold_of(self.deal).state
        self.drawn = str(fold.drawn or "")
        seat = self.seats[fold.to_act - 1]
        accepted = play.play(
            seat_id=seat.pk, move_id=uuid4(), text=self.text(), expected_version=self.version
        )
        self.version = accepted.move.version


def say(text: str) -> None:
    print(text, flush=True)


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(share * len(times)), len(times) - 1)] * 1000


def furnish(tables: int, seats: int, rules: Rules = RULES) -> list[Game]:
    """Open so many tables at which the same few players sit, saying how far it is."""
    first = User.objects.count()
    players = [Player(first + number) for number in range(seats)]
    games = []
    for number in range(tables):
        games.append(Game(players, rules))
        if (number + 1) % 100 == 0:
            print(f"  {number + 1} of {tables} tables", file=sys.stderr, flush=True)
    return games


# -- the raw ceiling ---------------------------------------------------------------------------


def ceiling(seconds: float) -> float:
    """Return how many bare moves a second PostgreSQL takes from as many clients."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_table (id int PRIMARY KEY, version int)")
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS bench_move (id bigserial PRIMARY KEY, body text)"
        )
        cursor.execute(
            "INSERT INTO bench_table SELECT n, 0 FROM generate_series(0, 199) n"
            " ON CONFLICT DO NOTHING"
        )
    done = [0] * CLIENTS
    until = time.monotonic() + seconds

    def work(client: int) -> None:
        with psycopg.connect(os.environ["DATABASE_URL"]) as own:
            while time.monotonic() < until:
                row = (client + CLIENTS * (done[client] % 25),)
                own.execute("SELECT version FROM bench_table WHERE id = %s FOR NO KEY UPDATE", row)
                own.execute("INSERT INTO bench_move (body) VALUES ('p1 ds')")
                own.execute("UPDATE bench_table SET version = version + 1 WHERE id = %s", row)
                own.commit()
                done[client] += 1

    in_threads(work)
    return sum(done) / seconds


def in_threads(work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# -- a move and a view without HTTP ------------------------------------------------------------


def service(seconds: float) -> None:
    (game,) = furnish(1, 2)
    for name, work in (("move", game.step), ("view", lambda: view_of(game))):
        rate, own = timed(work, min(seconds, 4.0))
        say(f"service: {name:<5} {rate:7.0f} /s, {own:.2f} ms of Python each")


def view_of(game: Game) -> None:
    table_view(game.table, game.seats[0].player)


def timed(work: Callable[[], None], seconds: float) -> tuple[float, float]:
    """Return how often a second, and the processor time of this process each time."""
    done, began, own = 0, time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - began) < seconds and done < 250:
        work()
        done += 1
    return done / passed, 1000 * (time.process_time() - own) / done


# -- the whole stack ---------------------------------------------------------------------------


@contextmanager
def server(interface: str, application: str, *more: str) -> Iterator[int]:
    """Run the site as a deployment does; yield its port."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "granian", "--interface", interface, "--host", "127.0.0.1"),
        *("--port", str(port), "--log-level", "warning", "--workers-kill-timeout", "1s"),
        *(*more, application),
    ]
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BOT_THINK_SECONDS": "60",
    }
    child = subprocess.Popen(command, env=environment)
    try:
        wait_for(port)
        yield port
    finally:
        stop_children([child])


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            http_get(port, "/api/v1/tables/")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not answer within half a minute.")


def http_get(port: int, path: str) -> int:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    line.request("GET", path)
    status = line.getresponse().status
    line.close()
    return status


def post_move(line: http.client.HTTPConnection, game: Game) -> None:
    """Send the table's next move, as the player whose turn it is, and follow the answer."""
    body = {"move_id": str(uuid4()), "move": game.text(), "expected_version": game.version}
    headers = {
        "Cookie": game.order[game.to_act - 1].cookie,
        "X-CSRFToken": TOKEN,
        "Content-Type": "application/json",
    }
    path = f"/api/v1/tables/{game.table.public_id}/moves/"
    line.request("POST", path, json.dumps(body), headers)
    answer = line.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"A move was answered {answer.status}: {text[:300]!r}")
    game.follow(json.loads(text))


def drive(port: int, games: Sequence[Game], seconds: float, pace: float = 0.0) -> list[float]:
    """Move at all tables in turn from a few clients; return the answers' times after a warm-up."""
    times: list[float] = []
    began = time.monotonic()

    def work(client: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        turn = 0
        mine = list(games[client::CLIENTS])
        while (passed := time.monotonic() - began) < seconds + WARM_UP and mine:
            game = mine[turn % len(mine)]
            if game.is_over:
                mine.remove(game)
                continue
            sent = time.monotonic()
            post_move(line, game)
            if passed > WARM_UP:
                times.append(time.monotonic() - sent)
            turn += 1
            if pace:
                time.sleep(max(0.0, began + turn * CLIENTS / pace - time.monotonic()))
        line.close()

    in_threads(work)
    return times


def report_moves(name: str, times: list[float], seconds: float, base: float) -> None:
    rate = len(times) / seconds
    say(
        f"{name}: {rate:.0f} moves/s, median {percentile(times, 0.5):.0f} ms, "
        f"p99 {percentile(times, 0.99):.0f} ms, ceiling / {base / rate:.1f}"
    )


def wsgi(tables: int, seconds: float, base: float) -> None:
    games = furnish(tables, 2)
    with server(
        "wsgi", "config.wsgi:application", "--workers", "2", "--blocking-threads", "4"
    ) as port:
        report_moves("wsgi, no sockets", drive(port, games, seconds), seconds, base)


def sockets(tables: int, seconds: float, base: float, pace: float) -> None:
    games = furnish(tables, SEATS)
    with server("asginl", "config.asgi:application", "--workers", "2") as port:
        listening, stop, heard = threading.Event(), threading.Event(), [0]
        ear = threading.Thread(
            target=lambda: asyncio.run(listen(port, games, listening, stop, heard))
        )
        ear.start()
        listening.wait()
        say(f"sockets: {tables * SEATS} open")
        heard[0] = 0
        for name, goal in (("as fast as it goes", 0.0), (f"paced to {pace:.0f}/s", pace)):
            times = drive(port, games, seconds, goal)
            if times:
                report_moves(f"asgi, {name}", times, seconds, base)
        say(f"sockets: {heard[0]} views pushed")
        stop.set()
        ear.join()


async def listen(
    port: int,
    games: Sequence[Game],
    listening: threading.Event,
    stop: threading.Event,
    heard: list[int],
) -> None:
    """Keep a socket open for every seat and read what comes."""

    async def hear(game: Game, player: Player) -> None:
        async with connect(
            f"ws://127.0.0.1:{port}/ws/tables/{game.table.public_id}/",
            additional_headers={"Cookie": player.cookie},
            origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
            compression=None,
            open_timeout=60,
        ) as socket:
            await socket.recv()
            ready.release()
            async for _ in socket:
                heard[0] += 1

    ready = asyncio.Semaphore(0)
    pairs = [(game, player) for game in games for player in game.order]
    tasks = []
    for number, (game, player) in enumerate(pairs, start=1):
        tasks.append(asyncio.create_task(hear(game, player)))
        await ready.acquire()
        if number % 300 == 0:
            print(f"  {number} of {len(pairs)} sockets", file=sys.stderr, flush=True)
    listening.set()
    while not stop.is_set():
        await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()


# -- scores, timers, sweep ---------------------------------------------------------------------


def scores(deals: int) -> None:
    """Time the end of a deal to its posted scores: one drops, a worker settles."""
    games = furnish(deals, 2)
    # The worker is the product's own; it works on this run's servers, not on some of its own.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    worker = stack.start_worker("settle", Path(os.devnull))
    try:
        times = []
        for game in games:
            began = time.monotonic()
            play.play(
                seat_id=game.seats[0].pk,
                move_id=uuid4(),
                text="drop",
                expected_version=game.version,
            )
            while not game.deal.scores.exists():
                if time.monotonic() - began > 30:
                    raise SystemExit("The worker did not settle within half a minute.")
                time.sleep(0.002)
            times.append(time.monotonic() - began)
    finally:
        stop_children([worker])
    late = sorted(times[3:])  # The first ones wait for the worker to start.
    say(
        f"scores: {len(late)} deals, median {percentile(late, 0.5):.0f} ms, "
        f"p99 {percentile(late, 0.99):.0f} ms from the last move's request to posted scores"
    )


def timers(live: int) -> None:
    """Let every turn of so many tables run out within a while; sweep once a second as beat does."""
    quick = RULES.with_(name="bench-timers", turn_seconds=20, extra_seconds=0)
    games = furnish(live, 2, quick)
    now, span = timezone.now() + timedelta(seconds=2), 20.0
    for number, game in enumerate(games):
        due = now + timedelta(seconds=span * number / live)
        Table.objects.filter(pk=game.table.pk).update(
            due_at=due, armed_at=due - timedelta(seconds=20)
        )
    due_at = dict(
        Table.objects.values_list("pk", "due_at").filter(pk__in=[g.table.pk for g in games])
    )
    until = time.monotonic() + span + 5
    while (began := time.monotonic()) < until:
        clock.sweep(now=timezone.now())
        time.sleep(max(0.0, 1.0 - (time.monotonic() - began)))
    made = Move.objects.filter(ply=1, origin=Move.Origin.CLOCK, deal__table__in=due_at)
    late = [
        (at - due_at[table]).total_seconds()
        for table, at in made.values_list("deal__table", "made_at")
    ]
    say(
        f"timers: {len(late)} of {live} turns ended by the clock, lateness median "
        f"{percentile(late, 0.5):.0f} ms, p99 {percentile(late, 0.99):.0f} ms"
    )


def sweep(idle: int) -> None:
    """Time one sweep over tables whose clocks are far away, and one query of what is due."""
    profile = profiles.register_profile(RULES)
    later = timezone.now() + timedelta(hours=1)
    for first in range(0, idle, 10_000):
        Table.objects.bulk_create(
            Table(
                profile=profile,
                name="idle",
                stake_mode=StakeMode.CHIPS,
                currency="PTS",
                entry_minor=0,
                owner_ref="bench",
                phase=Table.Phase.PLAYING,
                due_at=later,
                armed_at=later,
            )
            for _ in range(min(10_000, idle - first))
        )
        print(f"  {min(first + 10_000, idle)} of {idle} idle tables", file=sys.stderr, flush=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tables_table")
    clock.sweep(now=timezone.now())
    own = time.process_time()
    whole = [took(lambda: clock.sweep(now=timezone.now())) for _ in range(50)]
    own = (time.process_time() - own) / 50 * 1000
    due = [took(due_tables) for _ in range(50)]
    say(
        f"sweep: over {idle} idle tables median {percentile(whole, 0.5):.1f} ms with beat, bots "
        f"and lobby ({own:.1f} ms of Python), {percentile(due, 0.5):.2f} ms for what is due, "
        f"for which PostgreSQL works {served():.3f} ms"
    )


def served() -> float:
    """Return how long the server itself takes to find what is due, in milliseconds."""
    due = Table.objects.clock_due(timezone.now()).values_list("pk", flat=True)
    plan = due.explain(analyze=True, format="json")
    return float(json.loads(plan)[0]["Execution Time"])


def due_tables() -> None:
    list(Table.objects.clock_due(timezone.now()).values_list("pk", flat=True))


def took(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


PARTS = ("service", "wsgi", "sockets", "scores", "sweep", "timers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="part")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--live", type=int, default=2_000)
    parser.add_argument("--idle", type=int, default=100_000)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--pace", type=float, default=150.0)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    base = ceiling(min(options.seconds, 5.0))
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    say(f"ceiling: {base:.0f} /s by {CLIENTS} clients")
    run = {
        "service": lambda: service(options.seconds),
        "wsgi": lambda: wsgi(options.tables, options.seconds, base),
        "sockets": lambda: sockets(options.tables, options.seconds, base, options.pace),
        "scores": lambda: scores(options.deals),
        "sweep": lambda: sweep(options.idle),
        "timers": lambda: timers(options.live),
    }
    for part in options.parts or PARTS:
        run[part]()
    close_old_connections()


if __name__ == "__main__":
    main()
