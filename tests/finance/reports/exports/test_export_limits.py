"""Exports are cancelled, and limited in bytes by token and day."""

from datetime import timedelta
from functools import partial
from threading import Event

import pytest
from django.urls import reverse
from django.utils import timezone

from core.models import AuditEntry
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.jobs import path_of
from finance.reports.exports.models import ExportJob
from finance.tasks import write_export
from finance.tokens.actions import create_token
from tests.builders.books.export_requests import fetch, look, start
from tests.builders.books.full_books import Desk
from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)


def cancel(desk, export_id):
    return desk.client.delete(reverse("finance-export", args=[export_id]), headers=desk.headers)


def test_cancelled_export_is_not_written(desk):
    queued = start(desk).json()

    shown = [cancel(desk, queued["id"]).json()["status"] for _ in range(2)]
    job = ExportJob.objects.get()
    write_export(job.pk)
    export_jobs.sweep_exports()

    assert shown == ["cancelled"] * 2
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("cancelled", 0)
    answer = fetch(desk, reverse("finance-export-file", args=[queued["id"]]))
    assert (answer.status_code, answer.json()["code"]) == (410, "export_gone")
    assert start(desk).status_code == 202  # It does not count as unfinished any more.


def test_a_running_export_stops_at_the_next_page_of_its_rows(desk, monkeypatch):
    """The writer pauses after its first page; another thread cancels."""
    fund(make_player(), deposit=100_00)
    queued = start(desk).json()
    job = ExportJob.objects.get()
    written, cancelled, pages = Event(), Event(), []

    def parts(report, chosen, question, count):
        for number in range(3):
            count.rows += 10
            pages.append(number)
            yield b"a page"
            written.set()
            assert cancelled.wait(10)

    monkeypatch.setattr(export_jobs, "file_parts", parts)

    def stop():
        assert written.wait(10)
        status = cancel(desk, queued["id"]).json()["status"]
        cancelled.set()
        return status

    results = at_once([partial(export_jobs.write_export, job_id=job.pk), stop])

    assert results == [None, "cancelled"]
    assert pages == [0]
    assert list(path_of(job).parent.iterdir()) == []
    assert ExportJob.objects.get().status == "cancelled"


def test_export_file_finished_during_its_cancellation_is_deleted(desk, monkeypatch):
    fund(make_player(), deposit=100_00)
    start(desk)
    job = ExportJob.objects.get()
    really, called = export_jobs.database_now, []

    def now():
        # The file exists, but the job is not saved as done yet.
        if path_of(job).exists() and not called:
            called.append(job)
            export_jobs.cancel_export(job_id=job.pk)
        return really()

    monkeypatch.setattr(export_jobs, "database_now", now)
    export_jobs.write_export(job_id=job.pk)

    assert called
    assert ExportJob.objects.get().status == "cancelled"
    assert list(path_of(job).parent.iterdir()) == []


def test_staff_cancellation_of_an_export_is_recorded_and_deletes_the_file(desk, client):
    queued = start(desk).json()
    job = ExportJob.objects.get()
    write_export(job.pk)
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)

    chosen = {"action": "cancel", "_selected_action": [job.pk]}
    client.post(reverse("admin:finance_exportjob_changelist"), chosen)

    assert look(desk, queued["id"]).json()["status"] == "gone"
    assert not path_of(job).exists()
    entry = AuditEntry.objects.get(by=staff, act="cancel")
    assert (entry.before, entry.after) == ("status=done", "status=gone")


@pytest.fixture
def limit(settings, monkeypatch):
    """Return a function that sets how many bytes one token may export in 24 hours."""

    def set_limit(size):
        monkeypatch.setattr(export_jobs, "MEGABYTE", 1)
        settings.EXPORTS_MEGABYTES_PER_DAY = size

    return set_limit


def written(desk):
    """Start and write an export; return its job."""
    answer = start(desk)
    assert answer.status_code == 202, answer.json()
    job = ExportJob.objects.get(public_id=answer.json()["id"])
    write_export(job.pk)
    job.refresh_from_db()
    return job


def test_token_is_limited_to_its_own_export_bytes_in_24_hours(desk, limit, client):
    size = written(desk).size_bytes
    limit(2 * size)
    second = written(desk)
    answer = start(desk)

    assert second.status == ExportJob.Status.DONE
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_exports")
    assert ExportJob.objects.count() == 2
    _, text = create_token(name="other", scopes=["journal"], created_by=None)
    other = Desk(client)
    other.headers = {"Authorization": f"Bearer {text}"}
    assert start(other).status_code == 202


def test_bytes_count_after_the_file_was_deleted_and_no_longer_after_24_hours(desk, limit):
    job = written(desk)
    limit(job.size_bytes)
    export_jobs.cancel_export(job_id=job.pk)

    deleted = start(desk)
    ExportJob.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(hours=25))
    later = start(desk)

    assert (deleted.status_code, later.status_code) == (429, 202)


def test_file_beyond_the_bytes_left_fails_and_leaves_nothing(desk, limit):
    limit(written(desk).size_bytes * 2 - 1)

    job = written(desk)

    assert (job.status, job.code, job.size_bytes) == ("failed", "too_many_exports", None)
    assert len(list(path_of(job).parent.iterdir())) == 1  # The first one's.
