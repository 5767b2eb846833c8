"""Daily and monthly accounting checklists: the state of each step, and who did it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.clock import database_now
from finance.matching.models import GatewayFile
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.models import DailyClose, DailyTotal
from finance.taxes.gst import GST_INVOICES, GST_SUPPLIES
from finance.taxes.tds import TDS_DEDUCTIONS
from wallet.audit.models import AuditRun, Seal
from wallet.audit.seals import missing_seals, unsealed
from wallet.deposits.models import Deposit, StaffTask
from wallet.ledger.models import Account, BookedDay, Transfer
from wallet.withdrawals.models import Withdrawal

# Registers needed for the monthly tax returns.
REGISTERS: Final = (GST_SUPPLIES, GST_INVOICES, TDS_DEDUCTIONS)
# Only these formats count as a written register; JSON pages do not.
FILES: Final = ("csv", "xlsx")
DONE: Final = "good"
PENDING: Final = "warn"
WRONG: Final = "bad"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a checklist: its state, what is missing, and who did it when."""

    label: str
    # `DONE`, `PENDING` or `WRONG`.
    tone: str
    found: str
    by: str = ""
    at: datetime | None = None
    url: str = ""

    @property
    def is_done(self) -> bool:
        return self.tone == DONE


@dataclass(frozen=True, slots=True)
class Checklist:
    title: str
    steps: list[Step]

    @property
    def number_left(self) -> int:
        return sum(not step.is_done for step in self.steps)


@dataclass(frozen=True, slots=True)
class Span:
    """A range of days in the site's time zone, both ends included."""

    first: date
    last: date

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def begins_at(self) -> datetime:
        return _midnight(self.first)

    @property
    def ends_at(self) -> datetime:
        return _midnight(self.last + timedelta(days=1))


def checklists(day: date | None, today: date) -> list[Checklist]:
    """Return the checklists of a day and its month; by default of yesterday and last month."""
    shown = day or today - timedelta(days=1)
    within = shown if day else today.replace(day=1) - timedelta(days=1)
    last = monthrange(within.year, within.month)[1]
    month = Span(within.replace(day=1), within.replace(day=last))
    began = Transfer.objects.order_by("booked_on").values_list("booked_on", flat=True).first()
    return [
        Checklist(
            _("Day %(day)s") % {"day": date_format(shown, "j M Y")},
            list(_of_day(shown) if began and began <= shown else _of_nothing()),
        ),
        Checklist(
            _("Month %(month)s") % {"month": date_format(within, "F Y")},
            list(_of_month(month) if began and began <= month.last else _of_nothing()),
        ),
    ]


def _of_nothing() -> Iterator[Step]:
    yield Step(_("Ledger"), DONE, _("no transfers until then"))


def _of_day(day: date) -> Iterator[Step]:
    span = Span(day, day)
    close = DailyClose.objects.filter(day=day).first()
    yield _over(day)
    yield _sealed(span)
    yield _audited(span)
    taken = close is None and Deposit.objects.filter(transfer__booked_on=day).exists()
    yield _reconciled(span, {day} if taken else set())
    yield _paid_out(span)
    yield _tasks(span)
    url = _list("finance_dailyclose")
    if close is not None:
        found = ngettext("%(n)s transfer", "%(n)s transfers", close.transfers)
        yield Step(
            _("Closed"), DONE, found % {"n": close.transfers}, _clock(), close.closed_at, url
        )
    else:
        yield Step(_("Closed"), PENDING, _("not closed yet"), url=url)


def _of_month(month: Span) -> Iterator[Step]:
    closes = DailyClose.objects.filter(day__range=(month.first, month.last))
    last, number, days = closes.first(), closes.count(), _days_of_site(month)
    yield Step(
        _("Days closed"),
        DONE if number == days else PENDING,
        _("%(n)s of %(days)s") % {"n": number, "days": days},
        _clock() if last else "",
        last.closed_at if last else None,
        _list("finance_dailyclose"),
    )
    yield _sealed(month)
    yield _audited(month)
    yield _reconciled(month, set())
    yield _paid_out(month)
    yield _tasks(month)
    yield from _registers(month)


def _days_of_site(month: Span) -> int:
    """Return the number of days in the month to close, from the first booked day on."""
    first = BookedDay.objects.order_by("day").values_list("day", flat=True).first()
    if first is None or first > month.last:
        return 0
    return Span(max(first, month.first), month.last).days


def _over(day: date) -> Step:
    label = _("Day ended")
    row = BookedDay.objects.filter(day=day).first()
    if row is not None and row.closed_at is not None:
        return Step(label, DONE, _("no more transfers on this day"), _clock(), row.closed_at)
    if row is not None:
        return Step(label, PENDING, _("a transaction may still be running"), _clock())
    return Step(label, PENDING, _("the day is still open"))


def _sealed(span: Span) -> Step:
    label, url = _("Sealed"), _list("wallet_seal")
    if gone := missing_seals():
        found = ngettext("%(n)s seal is missing", "%(n)s seals are missing", gone)
        return Step(label, WRONG, found % {"n": gone}, url=url)
    left = unsealed().filter(booked_on__range=(span.first, span.last)).count()
    if left:
        found = ngettext("%(n)s transfer is not sealed", "%(n)s transfers are not sealed", left)
        return Step(label, PENDING, found % {"n": left}, url=url)
    seal = Seal.objects.latest_first().first()
    return Step(label, DONE, _("all transfers"), _clock(), seal.sealed_at if seal else None, url)


def _audited(span: Span) -> Step:
    """Return the step of the latest full audit since the end of the span."""
    label, url = _("Audited"), _list("wallet_auditrun")
    run = AuditRun.objects.full().filter(ran_at__gte=span.ends_at).first()
    if run is None:
        return Step(label, PENDING, _("no audit since then"), url=url)
    if run.differences:
        found = ngettext("%(n)s difference", "%(n)s differences", run.differences)
        return Step(label, WRONG, found % {"n": run.differences}, _clock(), run.ran_at, url)
    return Step(label, DONE, _("ledger balanced"), _clock(), run.ran_at, url)


def _reconciled(span: Span, open_days: set[date]) -> Step:
    """Return the step of gateway files, which must cover each day with payments."""
    label, url = _("Gateway files"), _list("finance_gatewayfile")
    within = (span.first, span.last)
    moved = DailyTotal.objects.filter(
        Q(in_minor__gt=0) | Q(out_minor__gt=0),
        close__day__range=within,
        account_kind=Account.Kind.GATEWAY_CLEARING,
    )
    days = {*moved.values_list("close__day", flat=True), *open_days}
    files = list(
        GatewayFile.objects.filter(
            first_day__lte=span.last, last_day__gte=span.first
        ).select_related("uploaded_by", "staff")
    )
    covered = [
        Span(file.first_day, file.last_day) for file in files if file.first_day and file.last_day
    ]
    missing = sorted(day for day in days if not any(day in span for span in covered))
    by = ", ".join(sorted({file.uploader for file in files}))
    at = files[0].uploaded_at if files else None
    if missing:
        found = ngettext("missing for %(n)s day", "missing for %(n)s days", len(missing))
        found = f"{found % {'n': len(missing)}}: {', '.join(map(str, missing[:3]))}"
        return Step(label, PENDING, found, by, at, url)
    return Step(label, DONE, _("for all days with payments"), by, at, url)


def _paid_out(span: Span) -> Step:
    asked = Withdrawal.objects.filter(
        requested_at__gte=span.begins_at, requested_at__lt=span.ends_at
    )
    late = asked.overdue(database_now()).count()
    waiting = asked.pending().count()
    people = asked.exclude(decided_by=None).values_list("decided_by__handle", flat=True)
    by = ", ".join(sorted(set(people.order_by().distinct()[:10])))
    found = _("%(n)s waiting, %(late)s late") % {"n": waiting, "late": late}
    url = f"{_list('wallet_withdrawal')}?{urlencode({'status__in': ','.join(Withdrawal.PENDING)})}"
    return Step(
        _("Withdrawals requested"),
        WRONG if late else PENDING if waiting else DONE,
        found,
        by,
        url=url,
    )


def _tasks(span: Span) -> Step:
    made = StaffTask.objects.filter(created_at__gte=span.begins_at, created_at__lt=span.ends_at)
    left = made.undone().count()
    people = made.exclude(done_by=None).values_list("done_by__handle", flat=True)
    by = ", ".join(sorted(set(people.order_by().distinct()[:10])))
    found = _("%(n)s waiting") % {"n": left}
    url = f"{_list('wallet_stafftask')}?done_at__isempty=1"
    return Step(_("Tasks about money"), PENDING if left else DONE, found, by, url=url)


def _registers(month: Span) -> Iterator[Step]:
    """Return the steps of the registers; each needs a finished export of the whole month."""
    written = ExportJob.objects.filter(
        report__in=[report.name for report in REGISTERS],
        status__in=(ExportJob.Status.DONE, ExportJob.Status.GONE),
        first_day__lte=month.first,
        last_day__gte=month.last,
    ).select_related("token", "staff")
    sent = Export.objects.filter(
        report__in=[report.name for report in REGISTERS],
        format__in=FILES,
        finished_at__isnull=False,
        filters__contains=f"from={month.first}",
    ).filter(filters__contains=f"to={month.last}")
    exports: dict[str, Export | ExportJob] = {
        one.report: one for one in sent.select_related("token", "staff").order_by("pk")
    }
    exports |= {job.report: job for job in written.order_by("pk")}
    for report in REGISTERS:
        export = exports.get(report.name)
        label = _("Register: %(name)s") % {"name": report.title}
        if export is None:
            found = _("not written for the whole month")
            yield Step(label, PENDING, found, url=_list("finance_exportjob"))
        else:
            url = _list(export._meta.label_lower.replace(".", "_"))
            yield Step(label, DONE, export.format, export.reader, export.finished_at, url)


def _clock() -> str:
    """Return the text for steps that run automatically."""
    return _("automatic")


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(settings.TIME_ZONE))


def _list(name: str) -> str:
    return reverse(f"admin:{name}_changelist")
