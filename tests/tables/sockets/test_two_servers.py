"""Moves sent to one server process and views from another, as in a deployment."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from django.utils import timezone
from websockets.sync.client import connect

from tables.models.tables import Table
from tables.settlement import scoring
from tables.state import clock
from tests.builders.processes.live_server import running
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import deal_at, reread

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
    pytest.mark.extended,
    pytest.mark.timeout(300),
]

TOKEN = "t" * 32
PATIENCE_SECONDS = 60
# So many turns of each player before both drop: enough that views and answers often cross.
TURNS_A_DEAL = 20
ONLOOKERS = 6


class Player:
    """A client that acts on the newest view it has received from either server."""

    def __init__(self, web, live, table, user):
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        self.cookie = f"{name}={client.cookies[name].value}; csrftoken={TOKEN}"
        self.path, self.live = f"/api/v1/tables/{table.public_id}/moves/", live
        self.line = HTTPConnection("127.0.0.1", web, timeout=PATIENCE_SECONDS)
        self.address = f"ws://127.0.0.1:{live}/ws/tables/{table.public_id}/"
        self.newest, self.counts, self.turns = -1, Counter(), Counter()

    def play(self):
        """Play until the results are there; return what became of views and moves."""
        origin = f"http://127.0.0.1:{self.live}"
        headers = {"Cookie": self.cookie}
        with connect(self.address, origin=origin, additional_headers=headers) as ws:
            while True:
                view = json.loads(ws.recv(timeout=PATIENCE_SECONDS))["view"]
                self.counts["views"] += 1
                if view["version"] < self.newest:
                    self.counts["older"] += 1
                    continue
                while view is not None and view["version"] >= self.newest:
                    self.newest = view["version"]
                    if view["results"] is not None:
                        return self.counts
                    view = self.act(view)

    def act(self, view):
        """Send the move that the view expects; return the view in the answer."""
        legal = view["me"]["legal"] if view["me"] else []
        if not legal:
            return None
        discards = [move for move in legal if move.startswith("x ")]
        self.turns[view["deal"]["no"]] += not discards
        is_last = self.turns[view["deal"]["no"]] > TURNS_A_DEAL and "drop" in legal
        move = "drop" if is_last else discards[-1] if discards else "ds"
        sent = {"move_id": str(uuid4()), "move": move, "expected_version": view["version"]}
        head = {
            "Cookie": self.cookie,
            "X-CSRFToken": TOKEN,
            "Content-Type": "application/json",
        }
        self.line.request("POST", self.path, json.dumps(sent), head)
        answer = self.line.getresponse()
        reply = json.loads(answer.read())
        self.counts["moves" if answer.status == 200 else reply["code"]] += 1
        return reply if answer.status == 200 else reply.get("view")


def settle(table):
    """Run the workers' tasks until the game is over."""
    deadline = time.monotonic() + 4 * PATIENCE_SECONDS
    while not (now := reread(table)).is_over:
        assert time.monotonic() < deadline, now.phase
        if now.phase == Table.Phase.SETTLING:
            scoring.settle_deal(deal_id=deal_at(now).pk)
        else:
            clock.apply_overdue(table_id=table.pk, now=timezone.now())
        time.sleep(0.02)


@pytest.mark.soak
def test_client_that_ignores_older_views_never_sends_a_stale_move(
    test_database, tmp_path, record_property
):
    """The rule of docs/api.md is enough, however late a view arrives from the other process."""
    table = make_game(rules=make_rules(turn_seconds=120, extra_seconds=0))
    environment = test_database | {"THROTTLE_FACTOR": "1000", "SOCKETS_PER_ADDRESS": "50"}

    with ExitStack() as stack:
        web, _ = stack.enter_context(running("web", environment, tmp_path / "web.log"))
        live, _ = stack.enter_context(running("live", environment, tmp_path / "live.log"))
        for _ in range(ONLOOKERS):  # The more have to be shown a view, the later it comes.
            address = f"ws://127.0.0.1:{live}/ws/tables/{table.public_id}/"
            stack.enter_context(connect(address, origin=f"http://127.0.0.1:{live}", max_queue=None))
        users = [seat.player for seat in table.seats.select_related("player")]
        players = [Player(web, live, table, user) for user in users]
        with ThreadPoolExecutor(len(players)) as threads:
            playing = [threads.submit(player.play) for player in players]
            settle(table)
            total = sum((done.result(timeout=PATIENCE_SECONDS) for done in playing), Counter())

    connections.close_all()
    record_property("views_and_moves", dict(total))  # How often the rule was needed.
    assert set(total) <= {"views", "moves", "older"}, total
    assert total["moves"] >= 4 * TURNS_A_DEAL
    assert total["views"] >= total["moves"] / 4
