"""Write long exports to files; the sweep queues a job again if its worker died.

A worker claims a job by incrementing `attempts`, and updates `beat_at` while it writes. It stops if
another worker has claimed the job since: both would have written the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import IO
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from core import audit_log
from core.clock import database_now
from core.db.long_statements import long_statements
from core.db.replica import PRIMARY, reads_from_replica
from core.tasks import enqueue, enqueue_on_commit
from finance.exceptions import ExportGone, ExportNotReady, TooManyExports
from finance.reports.catalogue import BY_NAME, Reader, columns_of, scopes_of
from finance.reports.exports.files import file_parts, refuse_other_days
from finance.reports.exports.models import ExportJob, ExportJobQuerySet
from finance.reports.frame.formats import Counted
from finance.reports.frame.periods import Period
from finance.reports.frame.report import Question, Report
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from wallet.exceptions import WalletError

BEAT_SECONDS = 5.0
SILENT_FOR = timedelta(seconds=60)
ATTEMPTS_MAX = 5
MEGABYTE = 1_000_000
# A younger file without a job may belong to a job that is about to be saved.
ORPHANED_AFTER_SECONDS = 3600.0
Status = ExportJob.Status

log = structlog.get_logger(__name__)


class TakenOver(Exception):
    """Another worker has claimed the job since, or the job was cancelled."""


class Progress(Counted):
    """Count rows and save the progress every `BEAT_SECONDS`."""

    def __init__(self, job: ExportJob) -> None:
        self.job, self._rows, self._saved_at = job, 0, time.monotonic()

    @property
    def rows(self) -> int:
        return self._rows

    @rows.setter
    def rows(self, rows: int) -> None:
        self._rows = rows
        if time.monotonic() - self._saved_at > BEAT_SECONDS:
            _set(self.job, beat_at=database_now(), rows_done=rows)
            self._saved_at = time.monotonic()
        elif not _is_ours(self.job).exists():
            raise TakenOver


@transaction.atomic(durable=True)
def start_export(
    *,
    reader: Reader,
    report: Report,
    chosen: str,
    question: Question,
    filters: str,
    sends_mail: bool = False,
) -> ExportJob:
    """Queue an export; with `sends_mail` its member of staff gets an e-mail at the end.

    Raise `TooManyExports` if the reader has used the bytes of 24 hours, and `SiteDaysOnly` for a
    book format in another time zone.
    """
    refuse_other_days(chosen, question.period)
    _bytes_left(**columns_of(reader))
    job = ExportJob.objects.create(
        **columns_of(reader),
        is_mail_due=sends_mail,
        report=report.name,
        format=chosen,
        filters=filters,
        first_day=question.period.first,
        last_day=question.period.last,
        tz=question.period.tz,
        horizon=question.horizon,
        generated_at=question.generated_at,
        **question.filter_values(),
    )
    enqueue_on_commit("finance.write_export", job.pk)
    return job


def write_export(*, job_id: int) -> None:
    """Write a job's file, unless it is finished or another worker is writing it."""
    job = claim(job_id=job_id)
    if job is None:
        return
    report, question = BY_NAME[job.report], question_of(job)
    count = Progress(job)
    part = path_of(job).with_suffix(f".{job.attempts}.part")
    try:
        with _reads(job), long_statements():
            if report.size is not None:
                _set(job, rows_total=report.size(question))
            parts = file_parts(report, job.format, question, count)
            left = _bytes_left(token=job.token, staff=job.staff)
            size, sha256 = _write(part, parts, size_max=left)
        part.replace(path_of(job))
        now = database_now()
        _set(
            job,
            status=Status.DONE,
            rows_done=count.rows,
            size_bytes=size,
            sha256=sha256,
            finished_at=now,
            expires_at=now + timedelta(hours=settings.EXPORTS_KEPT_HOURS),
        )
        _mail_later(job)
    except WalletError as refusal:
        _set(job, status=Status.FAILED, code=refusal.code, finished_at=database_now())
        _mail_later(job)
    except TakenOver:
        log.info("export_taken_over", export=str(job.public_id), attempt=job.attempts)
        _delete_cancelled(job)
    finally:
        part.unlink(missing_ok=True)


@transaction.atomic(durable=True)
def claim(*, job_id: int) -> ExportJob | None:
    """Claim a job without a live worker, or None; after `ATTEMPTS_MAX` attempts it fails."""
    now = database_now()
    job = ExportJob.objects.unclaimed(now - SILENT_FOR).locked().filter(pk=job_id).first()
    if job is None:
        return None
    if job.attempts >= ATTEMPTS_MAX:
        job.status, job.code, job.finished_at = Status.FAILED, "gave_up", now
        job.save(update_fields=["status", "code", "finished_at"])
        return None
    job.status, job.attempts, job.beat_at, job.rows_done = Status.RUNNING, job.attempts + 1, now, 0
    job.save(update_fields=["status", "attempts", "beat_at", "rows_done"])
    return job


@transaction.atomic(durable=True)
def cancel_export(*, job_id: int, by: User | None = None) -> ExportJob:
    """Cancel an export and delete its file; a failed or cancelled one does not change.

    A running export stops at the next page of its rows. `by` is the member of staff for the audit
    log, or None if the request was made with the export's token.
    """
    job = ExportJob.objects.locked().get(pk=job_id)
    before = audit_log.facts(job)
    if job.status in ExportJob.UNFINISHED:
        job.status, job.finished_at = Status.CANCELLED, database_now()
    elif job.status == Status.DONE:
        job.status = Status.GONE
    else:
        return job
    job.save(update_fields=["status", "finished_at"])
    if by is not None:
        audit_log.record(by=by, act="cancel", row=job, before=before)
    transaction.on_commit(lambda: path_of(job).unlink(missing_ok=True))
    return job


def sweep_exports() -> None:
    """Queue unfinished jobs without a live worker, and delete expired files."""
    now = database_now()
    for pk in ExportJob.objects.unclaimed(now - SILENT_FOR).values_list("pk", flat=True):
        enqueue("finance.write_export", pk)
    for job in ExportJob.objects.over(now):
        path_of(job).unlink(missing_ok=True)
        ExportJob.objects.filter(pk=job.pk, status=Status.DONE).update(status=Status.GONE)
    _delete_orphans()
    for pk in ExportJob.objects.to_be_mailed().values_list("pk", flat=True):
        enqueue("finance.mail_export", pk)


def open_finished(job: ExportJob) -> IO[bytes]:
    """Open a job's file; raise `ExportNotReady` before it is finished and `ExportGone` after."""
    if job.status in ExportJob.UNFINISHED or job.status == Status.FAILED:
        raise ExportNotReady(f"the export is {job.get_status_display().lower()}")
    if job.status == Status.DONE and job.expires_at and database_now() < job.expires_at:
        try:
            return path_of(job).open("rb")
        except FileNotFoundError:
            log.warning("export_lost", export=str(job.public_id))
    raise ExportGone("the file was deleted; start a new export")


def question_of(job: ExportJob) -> Question:
    """Return the query of a job, with the horizon and time of its request."""
    period = Period(job.first_day, job.last_day, job.tz)
    filters = {name: getattr(job, name) for name in Question.FILTERS}
    question = Question(period, job.horizon, job.generated_at, **filters)
    return BY_NAME[job.report].shown_to(question, scopes_of(job.token or job.staff))


def path_of(job: ExportJob) -> Path:
    directory = Path(settings.EXPORTS_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory / f"{job.public_id}.{job.format}"


def _reads(job: ExportJob) -> AbstractContextManager[bool]:
    """Read from the replica at the first attempt, then from the primary."""
    return reads_from_replica() if job.attempts == 1 else nullcontext(False)


def _set(job: ExportJob, **values: object) -> None:
    """Update a job; raise `TakenOver` if this worker no longer owns it."""
    if not _is_ours(job).update(**values):
        raise TakenOver


def _is_ours(job: ExportJob) -> ExportJobQuerySet:
    own = {"pk": job.pk, "attempts": job.attempts, "status": Status.RUNNING}
    return ExportJob.objects.using(PRIMARY).filter(**own)


def _delete_cancelled(job: ExportJob) -> None:
    """Delete a file that was finished while its job was being cancelled."""
    if ExportJob.objects.filter(pk=job.pk, status=Status.CANCELLED).exists():
        path_of(job).unlink(missing_ok=True)


def _mail_later(job: ExportJob) -> None:
    if job.is_mail_due:
        enqueue_on_commit("finance.mail_export", job.pk)


def _bytes_left(*, token: FinanceToken | None = None, staff: User | None = None) -> int:
    """Return the bytes left of a reader's limit for 24 hours; raise `TooManyExports` at 0."""
    since = database_now() - timedelta(hours=24)
    used = ExportJob.objects.using(PRIMARY).filter(token=token, staff=staff).bytes_since(since)
    most = settings.EXPORTS_MEGABYTES_PER_DAY
    if used >= most * MEGABYTE:
        raise TooManyExports(f"your exports have reached {most} MB in 24 hours")
    return most * MEGABYTE - used


def _write(part: Path, parts: Iterator[bytes], *, size_max: int) -> tuple[int, str]:
    """Write a file and sync it to disk; return its size in bytes and its SHA-256.

    Raise `TooManyExports` as soon as it would be larger than `size_max`.
    """
    digest, size = hashlib.sha256(), 0
    with part.open("wb") as file:
        for piece in parts:
            if size + len(piece) > size_max:
                raise TooManyExports("the file would exceed the limit for 24 hours")
            digest.update(piece)
            size += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def _delete_orphans() -> None:
    """Delete files without a finished job, such as the parts left by workers that died."""
    directory = Path(settings.EXPORTS_DIR)
    if not directory.is_dir():
        return
    for path in directory.iterdir():
        name = path.name.split(".", 1)[0]
        try:
            is_old = time.time() - path.stat().st_mtime > ORPHANED_AFTER_SECONDS
            public_id = UUID(name)
        except (OSError, ValueError):  # Already deleted, or not an export.
            continue
        wanted = ExportJob.objects.filter(public_id=public_id, status=Status.DONE)
        if is_old and not (path.suffix != ".part" and wanted.exists()):
            path.unlink(missing_ok=True)
