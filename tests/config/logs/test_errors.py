"""Errors are reported with their place in the code and without data about players."""

import gzip
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.logs import errors
from tests.builders.processes.http_servers import Quiet, serving
from tests.builders.processes.product import run_program

FAIL = """
import logging, django; django.setup()
import structlog, sentry_sdk
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path

def page(request, account):
    structlog.contextvars.bind_contextvars(table="t-1", user_id=7)
    bank_account = "998877665544"
    raise ValueError("refused\\nDETAIL: Key (email)=(asha@example.com)")

class urls:
    urlpatterns = [path("pay/<str:account>/", page)]

settings.ROOT_URLCONF = urls
settings.ALLOWED_HOSTS = ["*"]
settings.MIDDLEWARE = []
request = RequestFactory().post(
    "/pay/asha-998877665544/?token=secret-998877665544",
    {"card": "KD-998877665544"},
    headers={"Cookie": "sessionid=998877665544", "Authorization": "Bearer 998877665544"},
)
get_wsgi_application()(request.environ, lambda *answer: None)
structlog.get_logger("wallet").error("transfer_lost", owner="asha@example.com")
logging.getLogger("redis").error("Lost %s", "asha@example.com")
sentry_sdk.flush()
"""


@contextmanager
def collector():
    """Take what is sent as Sentry does; yields the address and the list of what came."""
    came = []

    class Take(Quiet, BaseHTTPRequestHandler):
        def do_POST(self):
            came.append(gzip.decompress(self.body()).decode())
            self.answer(200, b"{}")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
    with serving(server):
        yield f"http://key@127.0.0.1:{server.server_port}/1", came


def reports(came):
    """Return the events of the envelopes: a line of JSON behind each item's own header."""
    lines = [json.loads(line) for body in came for line in body.splitlines() if line]
    return [line for line in lines if "event_id" in line and "platform" in line]


@pytest.mark.extended
def test_error_report_has_no_personal_data():
    with collector() as (dsn, came):
        run_program(FAIL, SENTRY_DSN=dsn)

    raised, ours, theirs = reports(came)
    [error] = raised["exception"]["values"]
    assert (error["type"], error["value"]) == ("ValueError", "refused")
    assert error["stacktrace"]["frames"][-1]["function"] == "page"
    assert raised["tags"] == {"table": "t-1"}
    assert ours["logentry"] == {"message": "transfer_lost"}
    assert theirs["logentry"] == {"message": "Lost %s"}
    sent = "".join(came)
    assert "998877665544" not in sent
    assert "asha" not in sent


def test_sentry_setting_without_its_library_is_refused(monkeypatch):
    monkeypatch.setattr(errors, "find_spec", lambda name: None)

    with pytest.raises(ImproperlyConfigured, match="extra `sentry`"):
        errors.report_errors("http://key@127.0.0.1:9/1")
