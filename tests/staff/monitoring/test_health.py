"""Health checks for load balancers: `/healthz` and `/readyz`."""

import time
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from structlog.testing import capture_logs

from core.clock import clock_skew, database_now
from staff.monitoring import health
from tables.models.tables import Heartbeat
from tables.state.deadlines import SWEEP

pytestmark = pytest.mark.django_db
CHECKS = {"database", "redis", "migrations", "schema", "clock", "clock_skew"}


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch):
    monkeypatch.setattr(health, "ASKED_ANEW_AFTER_SECONDS", -1.0)


@pytest.fixture
def beating():
    return Heartbeat.objects.create(name=SWEEP, beat_at=timezone.now())


def test_healthz_answers_under_any_host_name(client, settings):
    settings.SECURE_SSL_REDIRECT = True
    connection.close()

    answer = client.get("/healthz", headers={"host": "10.0.0.7:8000"})

    assert (answer.status_code, answer.json()) == (200, {"alive": True})
    assert "sessionid" not in answer.cookies


def test_readyz_answers_ready_if_all_checks_pass(client, beating, settings):
    settings.SECURE_SSL_REDIRECT = True

    answer = client.get("/readyz", headers={"host": "10.0.0.7:8000"})

    checks = dict.fromkeys(CHECKS, True)
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "checks": checks})
    assert answer["Cache-Control"] == "no-store"


def failing(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["ready"] is False
    assert set(answer.json()) == {"ready", "checks"}
    return {name for name, passes in answer.json()["checks"].items() if not passes}


def test_readyz_names_a_silent_clock(client, beating):
    Heartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=11))

    assert failing(client) == {"clock"}


@pytest.mark.parametrize("ahead", [1.5, -1.5, 3_600, -3_600])
def test_process_whose_clock_is_off_by_more_than_a_second_is_not_ready(
    client, beating, clocks, ahead
):
    with clocks.process_clock(ahead=ahead), capture_logs() as logs:
        assert failing(client) == {"clock_skew"}

    [reason] = [line for line in logs if line["event"] == "not_ready"]
    assert reason["check"] == "clock_skew"
    assert abs(reason["ahead_of_database_seconds"] - ahead) < 0.3


@pytest.mark.parametrize("ahead", [0.5, -0.5])
def test_process_whose_clock_is_off_by_less_is_ready(client, beating, clocks, ahead):
    with clocks.process_clock(ahead=ahead):
        assert client.get("/readyz").status_code == 200


def test_slow_database_answer_is_not_reported_as_clock_skew(clocks):
    def slow(execute, sql, params, many, context):
        time.sleep(0.4)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(slow):
        assert abs(clock_skew()) < timedelta(seconds=0.1)
        with clocks.process_clock(ahead=2):
            assert timedelta(seconds=1.5) < clock_skew() <= timedelta(seconds=2.1)


def test_shifted_demo_clock_is_not_reported_as_clock_skew(client, beating, clocks):
    clocks.let_pass(days=-40)
    Heartbeat.objects.update(beat_at=database_now())

    assert client.get("/readyz").status_code == 200


def test_readyz_names_an_unavailable_redis_without_its_address(client, beating, settings):
    settings.REDIS_URL = "unix:///nowhere/secret.sock"

    assert failing(client) == {"redis"}
    assert b"nowhere" not in client.get("/readyz").content


def test_readyz_names_an_unavailable_database_without_its_error(client, beating):
    def away(execute, sql, params, many, context):
        raise OperationalError("connection to server at secret.example failed")

    with connection.execute_wrapper(away):
        assert failing(client) == CHECKS - {"redis"}
        assert b"secret" not in client.get("/readyz").content


def test_readyz_waits_for_an_unavailable_database_in_one_thread(client, beating):
    asked = []

    def away(execute, sql, params, many, context):
        asked.append(sql)
        raise OperationalError("nobody answers")

    with connection.execute_wrapper(away):
        failing(client)
    assert len(asked) == 1

    middleware = health.HealthMiddleware(HttpResponse)
    ready = RequestFactory().get("/readyz")
    assert middleware.process_request(ready).status_code == 200
    with middleware.asking, connection.execute_wrapper(away):  # As if another thread waited.
        assert middleware.process_request(ready).status_code == 200
    assert len(asked) == 1
    with connection.execute_wrapper(away):
        assert middleware.process_request(ready).status_code == 503


def test_readyz_names_pending_migrations(client, beating, owner):
    with owner(), connection.cursor() as cursor:
        last = "SELECT max(name) FROM django_migrations WHERE app = 'finance'"
        cursor.execute(f"DELETE FROM django_migrations WHERE app = 'finance' AND name = ({last})")

    assert failing(client) == {"migrations"}


def test_database_of_other_sources_is_named_without_its_hash(client, beating, owner):
    with owner(), connection.cursor() as cursor:
        cursor.execute("UPDATE core_schemahash SET hash = 'of other sources'")

    with capture_logs() as logs:
        assert failing(client) == {"schema"}

    [reason] = [line for line in logs if line["event"] == "not_ready"]
    assert reason["check"] == "schema"
    assert "manage.py backup" in reason["error"]
    assert b"of other" not in client.get("/readyz").content


def test_readyz_caches_its_checks(client, beating, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(health, "ASKED_ANEW_AFTER_SECONDS", 60.0)
    client.get("/readyz")

    with django_assert_num_queries(0):
        assert client.get("/readyz").status_code == 200


def test_figures_are_scraped_by_any_name_and_without_tls(client, monkeypatch, settings):
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["rummy.example"], True
    assert client.get("/metrics", headers={"Host": "web:8000"}).status_code != 200
    settings.METRICS = True

    answer = client.get("/metrics", headers={"Host": "web:8000"})

    assert answer.status_code == 200
    assert "python_info" in answer.text
