"""Start a server of the site: `python -m config.serving.serve web|live [--host] [--port]`.

`web` answers pages and API under WSGI with granian's processes and threads; `live` serves the
tables' sockets, and everything else too, on one port under ASGI with uvicorn. All options that the
demo, the benchmarks and a deployment share are defined here.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Sequence
from typing import Any, Final

# Connections per process; a kept-alive one counts until it is closed as idle.
CONNECTIONS_MAX: Final = 8192
BACKLOG: Final = 4096
# Seconds after which a connection without a request is closed.
IDLE_SECONDS: Final = 5
# File descriptors for files, the database and Redis, in addition to connections.
OTHER_FILES: Final = 256
# Bytes; longer than any message of a table's client.
MESSAGE_BYTES_MAX: Final = 1024
# Seconds; a socket whose client does not answer two pings is closed.
PING_SECONDS: Final = 20.0


def command(server: str, host: str, port: int, *options: str) -> list[str]:
    """Return the command that starts a server in a separate process."""
    where = ("--host", host, "--port", str(port))
    return [sys.executable, "-m", "config.serving.serve", server, *where, *options]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parse(arguments)
    connections = _raise_file_limit() - OTHER_FILES
    if options.server == "web":
        _serve_web(options, min(CONNECTIONS_MAX, connections))
    else:
        _serve_live(options, min(CONNECTIONS_MAX, connections))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="config.serving.serve", description=__doc__)
    parser.add_argument("server", choices=["web", "live"])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=1, help="processes of `web`")
    parser.add_argument("--threads", type=int, default=4, help="threads of each process of `web`")
    parser.add_argument("--stop-seconds", type=int, default=5)
    return parser.parse_args(arguments)


def _raise_file_limit() -> int:
    """Raise this process's limit of open files to the maximum and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_MAX + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


def password_limits(threads: int) -> dict[str, int]:
    """Return how many passwords a process with this many threads may hash, and let wait.

    A waiting sign-in holds a thread; one of several threads is always left for other requests.

    >>> password_limits(4)
    {'PASSWORDS_AT_ONCE': 2, 'PASSWORDS_WAITING': 1}
    """
    at_once = max(1, threads // 2)
    return {"PASSWORDS_AT_ONCE": at_once, "PASSWORDS_WAITING": max(0, threads - at_once - 1)}


def _serve_web(options: argparse.Namespace, connections: int) -> None:
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from config.serving.web_server import Server

    for name, count in password_limits(options.threads).items():
        os.environ.setdefault(name, str(count))
    Server(
        "config.wsgi:application",
        address=options.host,
        port=options.port,
        interface=Interfaces.WSGI,
        workers=options.workers,
        blocking_threads=options.threads,
        # With a fixed protocol granian applies this timeout to connections without a request too;
        # it is also the timeout of idle connections.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1000),
        backlog=BACKLOG,
        # The default is a part of the backlog; further connections wait until an idle one ends.
        backpressure=connections,
        workers_kill_timeout=options.stop_seconds,
        log_level=LogLevels.warning,
    ).serve()


def _serve_live(options: argparse.Namespace, connections: int) -> None:
    import uvicorn

    from config.serving.connections import BoundedHttp, BoundedSocket

    BoundedHttp.connections_max = connections
    settings: dict[str, Any] = {
        "http": BoundedHttp,
        "ws": BoundedSocket,
        "ws_max_size": MESSAGE_BYTES_MAX,
        "ws_ping_interval": PING_SECONDS,
        "ws_ping_timeout": PING_SECONDS,
        # Compression would run once per socket and view, which costs too much processor time.
        "ws_per_message_deflate": False,
        "backlog": BACKLOG,
        "timeout_keep_alive": IDLE_SECONDS,
        "timeout_graceful_shutdown": options.stop_seconds,
        "lifespan": "off",
        # The application reads the proxies' headers (TRUSTED_PROXY_COUNT).
        "proxy_headers": False,
        "server_header": False,
        "access_log": False,
        "log_config": None,
        "log_level": "warning",
    }
    uvicorn.run("config.asgi:application", host=options.host, port=options.port, **settings)


if __name__ == "__main__":
    main()
