"""A worker starts only with the login of its queues' kind."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.serving.login_kinds import kinds_of, refuse_another_kind
from config.timetable import KINDS, QUEUES
from tests.builders.processes.logins import app_login, connected_as

pytestmark = pytest.mark.django_db(transaction=True)


def start(*queues):
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    worker = SimpleNamespace(app=SimpleNamespace(amqp=amqp))
    refuse_another_kind(sender="celery@here", instance=worker)


@pytest.mark.parametrize(
    ("kind", "queues", "missing"),
    [
        ("web", ["bots", "clock"], None),
        ("settle", ["settle", "exports", "messages"], None),
        ("intake", ["intake"], None),
        ("web", ["settle"], "rummy_app_settle"),
        ("settle", ["bots"], "rummy_app_web"),
        ("settle", ["intake"], "rummy_app_intake"),
        ("intake", ["settle", "bots"], "rummy_app_settle and rummy_app_web"),
    ],
)
def test_worker_with_another_kind_of_login_is_refused(kind, queues, missing):
    with app_login(kind) as login, connected_as(login):
        if missing is None:
            start(*queues)
            return
        with pytest.raises(ImproperlyConfigured, match=missing):
            start(*queues)


def test_login_of_all_kinds_serves_every_queue():
    queues = {route["queue"] for route in QUEUES.values()} | {settings.CELERY_TASK_DEFAULT_QUEUE}

    start(*queues)

    assert kinds_of(queues) == {"web", "settle", "intake"}
    assert set(KINDS) <= queues


@pytest.mark.parametrize(
    ("page", "row"),
    [("operators/servers.md", r"\| `rummy_{}` \|.*"), ("ledger.md", r"- `rummy_{}` runs [^.]*\.")],
)
def test_documentation_names_the_login_of_each_queue(page, row):
    text = (Path(settings.BASE_DIR) / "docs" / page).read_text()
    queues = {route["queue"] for route in QUEUES.values()} - {"intake"}

    named = {
        queue: kind
        for kind in ("web", "settle")
        for queue in re.findall(r"`([a-z]+)`", re.search(row.format(kind), text)[0])
    }

    assert named == {queue: KINDS.get(queue, "web") for queue in queues}
