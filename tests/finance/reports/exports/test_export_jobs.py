"""Exports written by workers: claims, progress, expiry and access."""

import hashlib
import os
from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone

from config.celery import app
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.jobs import ATTEMPTS_MAX, Progress, TakenOver, path_of
from finance.reports.exports.models import Export, ExportJob
from finance.tasks import write_export
from finance.tokens.actions import create_token
from tests.builders.books.export_requests import fetch, look, start
from tests.builders.books.full_books import Desk
from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)


def silence(job):
    """Set the last heartbeat of a job's worker to before the timeout."""
    long_ago = timezone.now() - export_jobs.SILENT_FOR - timedelta(seconds=1)
    ExportJob.objects.filter(pk=job.pk).update(beat_at=long_ago)


def test_an_export_is_queued_written_and_fetched(desk):
    for amount in (100, 250):
        fund(make_player(), deposit=amount)

    answer = start(desk, to="2199-12-31")
    queued = answer.json()
    assert (answer.status_code, queued["status"], queued["download"]) == (202, "queued", None)
    fund(make_player(), deposit=7)  # After the request, so it is not in the file.
    write_export(ExportJob.objects.get().pk)

    done = look(desk, queued["id"]).json()
    assert (done["status"], done["progress"], done["rows_done"], done["rows_total"]) == (
        "done",
        100,
        4,
        4,
    )
    body = fetch(desk, done["download"])
    assert (len(body), hashlib.sha256(body).hexdigest()) == (done["size_bytes"], done["sha256"])
    assert body.count(b"\r\n") == 8 + 1 + 4 + 1
    [record] = Export.objects.all()
    assert (record.sha256, record.rows, record.format) == (done["sha256"], 4, "csv")
    assert f"export={queued['id']}" in record.filters


def test_export_of_a_killed_worker_is_resumed_and_written_once(desk):
    fund(make_player(), deposit=100_00)
    queued = start(desk).json()
    job = ExportJob.objects.get()
    dead = export_jobs.claim(job_id=job.pk)
    leftover = path_of(job).with_suffix(".1.part")
    leftover.write_bytes(b"half a f")
    fund(make_player(), deposit=5)

    write_export(job.pk)
    assert look(desk, queued["id"]).json()["status"] == "running"  # Its worker may be alive.
    silence(job)
    write_export(job.pk)

    done = look(desk, queued["id"]).json()
    assert (done["status"], done["rows_done"]) == ("done", 2)
    body = fetch(desk, done["download"])
    with pytest.raises(TakenOver):  # The first worker continues although the job was claimed again.
        export_jobs._set(dead, rows_done=99)
    write_export(job.pk)
    assert fetch(desk, done["download"]) == body
    assert ExportJob.objects.get().attempts == 2


def test_sweep_queues_unclaimed_exports(desk):
    start(desk)
    job = ExportJob.objects.get()
    export_jobs.claim(job_id=job.pk)
    silence(job)
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("exports")

        export_jobs.sweep_exports()

        message = broker.SimpleQueue("exports", no_ack=True).get(timeout=5)
        assert message.headers["task"] == "finance.write_export"
        assert message.payload[0] == [job.pk]


def test_export_fails_after_the_maximum_of_attempts(desk):
    queued = start(desk).json()
    job = ExportJob.objects.get()
    for _ in range(ATTEMPTS_MAX):
        assert export_jobs.claim(job_id=job.pk)
        silence(job)

    write_export(job.pk)

    shown = look(desk, queued["id"]).json()
    assert (shown["status"], shown["code"]) == ("failed", "gave_up")
    answer = fetch(desk, reverse("finance-export-file", args=[queued["id"]]))
    assert (answer.status_code, answer.json()["code"]) == (409, "export_not_ready")


def test_export_progress_is_saved_while_it_is_written(desk, monkeypatch):
    monkeypatch.setattr(export_jobs, "BEAT_SECONDS", 0)
    start(desk)
    job = export_jobs.claim(job_id=ExportJob.objects.get().pk)
    export_jobs._set(job, rows_total=200)

    Progress(job).rows = 50

    shown = look(desk, job.public_id).json()
    assert (shown["status"], shown["progress"]) == ("running", 25)
    silence(job)
    export_jobs.claim(job_id=job.pk)
    with pytest.raises(TakenOver):
        Progress(job).rows = 60


def test_expired_export_file_is_deleted(desk, settings):
    queued = start(desk).json()
    job = ExportJob.objects.get()
    write_export(job.pk)
    download = look(desk, queued["id"]).json()["download"]
    orphan = path_of(job).with_name(f"{queued['id']}.1.part")
    orphan.write_bytes(b"x")
    ExportJob.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    late = fetch(desk, download)
    export_jobs.sweep_exports()
    gone = fetch(desk, download)

    assert [(one.status_code, one.json()["code"]) for one in (late, gone)] == [
        (410, "export_gone")
    ] * 2
    assert look(desk, queued["id"]).json()["status"] == "gone"
    assert [path.name for path in path_of(job).parent.iterdir()] == [orphan.name]
    os.utime(orphan, (0, 0))
    note = orphan.with_name("other file.csv")
    note.touch()
    os.utime(note, (0, 0))
    export_jobs.sweep_exports()
    assert list(path_of(job).parent.iterdir()) == [note]
    assert not Export.objects.exists()


def test_exports_need_their_own_token_and_scope(desk, client):
    queued = start(desk).json()
    write_export(ExportJob.objects.get().pk)
    download = look(desk, queued["id"]).json()["download"]
    _, text = create_token(name="other", scopes=["rake"], created_by=None)
    other = Desk(client)
    other.headers = {"Authorization": f"Bearer {text}"}

    assert look(other, queued["id"]).status_code == fetch(other, download).status_code == 404
    assert start(other).status_code == 403
    assert client.get(download).status_code == 401
    assert not Export.objects.exists()


REFUSED = [
    ({"report": "gossip"}, 400, "invalid"),
    ({"form": "2026-01-01"}, 400, "unknown_field"),
    ({"report": "rake", "chosen": "beancount"}, 400, "invalid"),
    ({"chosen": "json"}, 400, "invalid"),
    ({"from": "2026-02-02", "to": "2026-02-01"}, 400, "bad_period"),
    ({"tz": "Mars/Olympus"}, 400, "unknown_time_zone"),
    ({"chosen": "beancount", "tz": "Europe/Berlin"}, 400, "site_days_only"),
    ({"report": "gateway-reconciliation"}, 400, "invalid"),
    ({"report": "gateway-reconciliation", "file": "0" * 64}, 404, "unknown_file"),
]


def test_invalid_export_requests_are_refused(desk):
    for asked, status, code in REFUSED:
        answer = start(desk, **asked)

        assert (answer.status_code, answer.json()["code"]) == (status, code), asked

    assert not ExportJob.objects.exists()


def test_export_query_cannot_be_changed(desk):
    start(desk)
    for act in (
        lambda: ExportJob.objects.update(report="rake"),
        lambda: ExportJob.objects.update(horizon=0),
        lambda: ExportJob.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError):
            act()


def test_export_is_claimed_by_one_of_two_workers(desk):
    start(desk)
    job = ExportJob.objects.get()

    claimed = at_once([partial(export_jobs.claim, job_id=job.pk)] * 2)

    assert sorted(one is None for one in claimed) == [False, True]
