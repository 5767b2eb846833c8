"""A server process renders some pages before it listens."""

from datetime import timedelta

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config.serving.warming import PATHS, warm_up
from tables.models.tables import Heartbeat
from tables.state.deadlines import SWEEP

pytestmark = pytest.mark.django_db(transaction=True)


class Asked:
    """The site's application, and what it was asked for."""

    def __init__(self):
        self.handler, self.answers = WSGIHandler(), []

    def __call__(self, environ, start_response):
        def start(status, headers, error=None):
            self.answers.append((environ["PATH_INFO"], int(status[:3])))
            return start_response(status, headers, error)

        return self.handler(environ, start)


@pytest.fixture
def application():
    return Asked()


@pytest.fixture
def beating():
    return Heartbeat.objects.create(name=SWEEP, beat_at=timezone.now() + timedelta(seconds=30))


@pytest.mark.parametrize("hosts", [["localhost"], [".rummy.example"], ["*"]])
def test_warm_up_gets_every_page_for_any_host_name(application, beating, settings, hosts):
    settings.ALLOWED_HOSTS = hosts
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

    warm_up(application)

    assert application.answers == [(path, 200) for path in PATHS]


def test_readyz_after_the_warm_up_reads_no_migrations(application, beating, monkeypatch):
    warm_up(application)
    plans = []
    monkeypatch.setattr(MigrationExecutor, "__init__", lambda *_: plans.append(1))

    warm_up(application)

    assert application.answers[-1] == ("/readyz", 200)
    assert plans == []


def test_process_starts_without_a_database(application):
    def away(execute, sql, params, many, context):
        raise OperationalError("nobody answers")

    with connection.execute_wrapper(away):
        warm_up(application)

    assert application.answers == [(PATHS[0], 503)]
