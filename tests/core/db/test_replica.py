"""Reads from a replica include the reader's own writes, and a lost replica loses no answer."""

from __future__ import annotations

import math
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import connection, connections
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from redis import RedisError

from core.db import replica
from core.db.replica import PRIMARY, REPLICA, reads_from_replica
from core.http.own_writes import from_replica
from finance.reports.catalogue import REPORTS
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.models import ExportJob
from players.accounts.models import User
from staff.monitoring.metrics import SiteCollector
from tables.models.tables import Heartbeat
from tables.state.deadlines import SWEEP
from tests.builders.books.full_books import Desk, keep_busy
from tests.builders.processes.standby import known_to_django, standby
from tests.builders.processes.waiting import until
from tests.builders.tables.sockets import log_in
from tests.builders.wallet.players import fund, make_player
from wallet.bonuses import play_points

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.extended]


@pytest.fixture(autouse=True)
def _is_asked(monkeypatch):
    monkeypatch.setattr(replica, "_left_alone_until", 0.0)


def catch_up():
    """Wait until the replica has replayed everything."""
    position = replica.present_position()
    until(lambda: replica._has_replayed(position, 0.0))


@contextmanager
def away():
    """Let the replica be left alone within the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica, "_left_alone_until", math.inf)
        yield


def away_with_redis(*args):
    raise RedisError("away")


class Kept:
    """One replica for all tests, and another one after a test has lost it."""

    def __init__(self):
        self.open, self.standby = ExitStack(), None

    def alive(self):
        if self.standby is None or not self.standby.follows():
            self.open.close()
            self.standby = self.open.enter_context(standby())
        return self.standby


@pytest.fixture(scope="module")
def kept():
    found = Kept()
    yield found
    found.open.close()


@pytest.fixture
def other(transactional_db, kept, settings):
    """A replica that Django reads from."""
    found = kept.alive()
    settings.DATABASE_ROUTERS = ["core.db.replica.ReplicaRouter"]
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # As it is outside tests.
    with known_to_django(found):
        catch_up()
        yield found
    with connection.cursor() as cursor:
        cursor.execute("RESET synchronous_commit")
    if found.follows():
        found.resume()


def statement(client):
    answer = client.get(reverse("api-statement"))
    assert answer.status_code == 200
    return answer.json()["results"]


def is_asked_by(ask):
    """Return whether the replica is asked for more than how far it is, and what came of it."""
    with CaptureQueriesContext(connections[REPLICA]) as asked:
        answer = ask()
    return len([query for query in asked if "replay_lsn" not in query["sql"]]) > 0, answer


def test_readers_see_their_own_writes_while_the_replica_is_behind(other):
    writer, reader = make_player(), make_player()
    clients = log_in(writer), log_in(reader)
    catch_up()
    assert is_asked_by(lambda: statement(clients[1])) == (True, [])
    other.pause()

    assert clients[0].post(reverse("api-refill")).status_code == 200
    play_points.refill_points(player=reader)  # By nobody who reads.

    assert [len(statement(client)) for client in clients] == [1, 0]
    other.resume()
    catch_up()
    assert [len(statement(client)) for client in clients] == [1, 1]
    assert is_asked_by(lambda: statement(clients[0]))[0]


def test_metrics_report_the_lag_and_state_of_the_replica(other):
    def reported():
        families = text_string_to_metric_families(generate_latest(registry).decode())
        found = {sample.name: sample.value for family in families for sample in family.samples}
        return found["rummy_replica_up"], found.get("rummy_replica_lag_seconds")

    registry = CollectorRegistry()
    registry.register(SiteCollector())
    now = timezone.now()
    Heartbeat.objects.update_or_create(name=SWEEP, defaults={"beat_at": now})
    catch_up()
    assert reported() == (1.0, 0.0)

    other.pause()
    Heartbeat.objects.filter(name=SWEEP).update(beat_at=now + timedelta(seconds=40))
    assert reported() == (1.0, 40.0)

    other.resume()
    catch_up()
    assert reported() == (1.0, 0.0)
    other.kill()
    assert reported() == (0.0, None)


def test_without_redis_a_reader_sees_all_that_is_committed(other, monkeypatch):
    reader = make_player()
    client = log_in(reader)
    catch_up()
    other.pause()
    play_points.refill_points(player=reader)

    monkeypatch.setattr(cache, "get", away_with_redis)

    assert len(statement(client)) == 1


def test_report_contains_all_that_was_committed_before(client, other):
    desk = Desk(client)
    fund(make_player(), deposit=100_00)
    is_asked, page = is_asked_by(lambda: desk.page("journal"))
    assert is_asked
    assert len(page["results"]) == 2
    other.pause()
    fund(make_player(), deposit=200_00)

    assert len(desk.page("journal")["results"]) == 4
    assert len(desk.journal()) == 4


def test_every_report_is_the_same_from_the_replica(client, other, settings):
    settings.FINANCE_RATE = "1000/min"  # Each report is asked three times.
    desk = Desk(client)
    keep_busy()
    for report in REPORTS:
        desk.ask(report.name)  # Which uploads what some are held against.
        is_asked, page = is_asked_by(partial(desk.page, report.name))
        assert is_asked, report.name
        with away():
            expected = desk.page(report.name)
        assert page | {"header": None} == expected | {"header": None}


def test_lost_replica_loses_no_answer(other):
    reader = make_player()
    client = log_in(reader)
    play_points.refill_points(player=reader)
    catch_up()
    assert is_asked_by(lambda: statement(client))[0]

    other.kill()

    for _ in range(3):
        assert len(statement(client)) == 1
    with reads_from_replica(after="0/0") as is_replica:
        assert not is_replica  # It is left alone for some seconds.


def test_replica_lost_between_two_statements_loses_no_answer(other, rf):
    reads = []

    @from_replica
    def view(request):
        reads.append(replica.reading_connection())
        if len(reads) == 1:
            other.kill()
        return HttpResponse(str(User.objects.count()))

    request = rf.get("/")
    request.user = AnonymousUser()

    assert view(request).content == b"0"
    assert reads == [connections[REPLICA], connections[PRIMARY]]


def test_a_promoted_replica_has_everything(other):
    catch_up()
    other.promote()

    with reads_from_replica(after="FFFF/0") as is_replica:
        assert is_replica


def test_an_export_is_read_from_the_replica_and_the_second_time_from_the_primary(
    client, other, settings, tmp_path
):
    settings.EXPORTS_DIR = str(tmp_path)
    desk = Desk(client)
    fund(make_player(), deposit=100_00)
    asked = {"report": "trial-balance", "format": "csv"}
    for attempts in (0, 1):  # How often workers have taken it up.
        address = reverse("finance-exports")
        made = desk.client.post(address, asked, "application/json", headers=desk.headers)
        assert made.status_code == 202
        job = ExportJob.objects.latest("pk")
        ExportJob.objects.filter(pk=job.pk).update(attempts=attempts)

        is_asked, _ = is_asked_by(lambda pk=job.pk: export_jobs.write_export(job_id=pk))

        job.refresh_from_db()
        assert (job.status, job.rows_done) == (ExportJob.Status.DONE, 2)
        assert is_asked == (attempts == 0)


def test_writes_go_to_the_primary(other):
    with reads_from_replica() as is_replica:
        assert is_replica
        player = make_player()
        player.handle = "renamed"
        player.save(update_fields=["handle"])

    assert User.objects.using(PRIMARY).get().handle == "renamed"
