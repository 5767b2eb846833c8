"""Play one practice pool to its payout over the public API: HTTP for moves, a socket for updates.

    python bot_client.py http://127.0.0.1:8000 TOKEN [--table NAME] [--stream]

Create the token under /account/tokens/, with the scopes for reading and playing. The client needs
Python's standard library and `websockets`; with `--stream` it receives updates as lines over HTTP.
It draws from the stock, discards the card with the most points that is no joker, shows when the
practice table's help offers it, refuses to rejoin and accepts every split. Replace `choose` to
play better.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

DEAREST_FIRST = "AKQJT98765432"
SILENCE_SECONDS = 20.0
"""The client requests the view again after so many seconds without a message."""
PASSING = {"too_many_sockets", "too_many_messages", "unavailable"}
"""After these refusals the client opens the socket again, `AGAIN_SECONDS` later."""
AGAIN_SECONDS = 30.0


class Refused(Exception):
    """The server refused a request: `code` is stable, `answer` may have the table's present view.

    A status of 0 is a socket's: it names its reason in a message before it is closed.
    """

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        super().__init__(f"{status} {answer.get('code')}: {answer.get('message', '')}")
        self.status, self.code, self.answer = status, answer.get("code"), answer


class Site:
    """The site, and the token that is sent with every request."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.bearer = {"Authorization": f"Bearer {token}"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request; repeat it if its answer is lost, which is safe for all of these."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", **self.bearer}
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(4):
            request = urllib.request.Request(
                f"{self.url}/api/v1/{path}", data, headers, method=method
            )
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    text = answer.read()
                return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                if error.code < 500 or attempt == 3:
                    raise Refused(error.code, json.loads(error.read() or b"{}")) from error
            except OSError:
                if attempt == 3:
                    raise
            time.sleep(2**attempt)
        return None

    def socket(self, table: str) -> Iterator[Any]:
        """Yield the messages of the table's socket; it sends an Origin header, as browsers do."""
        address = f"{self.url.replace('http', 'ws', 1)}/ws/tables/{table}/"
        origin: Any = self.url
        with connect(address, additional_headers=self.bearer, origin=origin) as socket:
            while True:
                try:
                    yield json.loads(socket.recv(timeout=SILENCE_SECONDS))
                except TimeoutError:
                    socket.send(json.dumps({"type": "resync"}))

    def stream(self, table: str) -> Iterator[Any]:
        """Yield the same messages of this table from the stream of all the player's games."""
        request = urllib.request.Request(f"{self.url}/api/v1/tables/stream/", headers=self.bearer)
        with urllib.request.urlopen(request, timeout=2 * SILENCE_SECONDS) as lines:
            for message in map(json.loads, filter(bytes.strip, lines)):  # Empty lines: keepalive.
                if message["type"] == "error" or message["view"]["id"] == table:
                    yield message


def choose(view: dict[str, Any]) -> str | None:
    """Return the text of a legal move, or None if it is not this seat's turn."""
    legal = (view["me"] or {}).get("legal", [])
    if not legal:
        return None
    if "meld" in legal:
        return "meld"  # Without groups the server uses the best ones.
    discards = [move for move in legal if move.startswith("x ")]
    if discards:
        wild = view["deal"]["wild_rank"]
        plain = [move for move in discards if move[2:] != "PJ" and move[2] != wild]
        return min(plain or discards, key=lambda move: (DEAREST_FIRST + "P").index(move[2]))
    return next(move for move in ("ds", "do", "drop") if move in legal)


def act(site: Site, view: dict[str, Any]) -> dict[str, Any] | None:
    """Make the move that the view expects of this seat; return the next view, or None."""
    table = f"tables/{view['id']}"
    asked = view.get("window")
    if asked and asked["mine"] and asked["mine"]["can_answer"]:
        said = {"answer": "yes" if asked["kind"] == "split" else "no"}
        return _sent(site, f"{table}/windows/{asked['id']}/answer/", said)
    move = choose(view)
    if move is None:
        return None
    if "show" in view["me"]["legal"]:
        best = site.call("GET", f"{table}/arrangement/")
        if best["finish"]:
            move = f"show {best['groups']} x {best['finish']}"
    body = {"move_id": str(uuid.uuid4()), "move": move}
    if move == "meld":
        body["window_id"] = view["window_id"]
    else:
        body["expected_version"] = view["version"]
    return _sent(site, f"{table}/moves/", body)


def _sent(site: Site, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    try:
        view: dict[str, Any] = site.call("POST", path, body)
    except Refused as refused:
        if refused.status != 409:
            raise
        print(f"  {refused}", file=sys.stderr)
        return refused.answer.get("view")  # The timer or another player has moved meanwhile.
    return view


def play(site: Site, table: str, messages: Callable[[str], Iterator[Any]]) -> dict[str, Any]:
    """Follow the table until it has results; reconnect as often as necessary."""
    deal, seen = 0, -1
    while True:
        try:
            for message in messages(table):
                if message["type"] == "error":
                    raise Refused(0, message)
                view = message.get("view")
                # A view sent before a move was answered is older than the answer.
                while view is not None and view["version"] >= seen:
                    seen = view["version"]
                    if view["results"] is not None:
                        return view
                    if view["deal"] and view["deal"]["no"] != deal:
                        deal = view["deal"]["no"]
                        print(f"deal {deal}, wild card {view['deal']['wild']}")
                    view = act(site, view)
        except Refused as refused:
            if refused.code not in PASSING:
                raise SystemExit(f"{refused}") from refused
            time.sleep(AGAIN_SECONDS)
        except (ConnectionClosed, OSError) as error:
            print(f"  {error}", file=sys.stderr)
        time.sleep(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("token")
    parser.add_argument("--table", default="Practice duel 101")
    parser.add_argument("--stream", action="store_true", help="news over HTTP, not by socket")
    options = parser.parse_args()
    site = Site(options.url, options.token)
    try:
        rows = site.call("GET", "tables/")["results"]
    except Refused as refused:
        raise SystemExit(f"{refused}") from refused
    offered = [row for row in rows if row["is_practice"] and row["name"] == options.table]
    if not offered:
        raise SystemExit(f"No practice table is called {options.table} just now.")
    row = next((row for row in offered if row["mine"]), offered[0])
    if not row["mine"]:
        site.call("POST", f"tables/{row['id']}/seats/", {})
    print(f"{row['name']}, entry {row['entry']['text']}")
    messages = site.stream if options.stream else site.socket
    for result in play(site, row["id"], messages)["results"]:
        print(
            f"{result['place']}. {result['handle']}: {result['total']}, {result['prize']['text']}"
        )


if __name__ == "__main__":
    main()
