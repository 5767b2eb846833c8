"""Tasks are scheduled by name, and every name belongs to a task."""

import re
from pathlib import Path

from django.conf import settings

from config.celery import app

CHECKOUT = Path(settings.BASE_DIR)
ENQUEUED = re.compile(r'enqueue(?:_on_commit)?\(\s*"([^"]+)"')


def test_every_name_that_is_enqueued_or_scheduled_is_a_task():
    sources = [
        path
        for path in CHECKOUT.glob("[a-z]*/**/*.py")
        if path.relative_to(CHECKOUT).parts[0] != "tests"
    ]
    enqueued = {name for path in sources for name in ENQUEUED.findall(path.read_text())}
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}

    assert len(enqueued) >= 5, "the pattern finds them"
    assert {*enqueued, *scheduled} <= {*app.tasks}
