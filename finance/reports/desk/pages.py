"""The admin's pages of reports: choose, preview, download, or get a link by e-mail.

They read reports like the API does, in the session of a member of staff.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final, cast
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.clock import database_now
from core.exceptions import Refusal
from finance.matching.comparison import open_rows
from finance.reports.catalogue import BY_NAME, may_read, readable_by
from finance.reports.desk import closed_periods
from finance.reports.desk.descriptions import description_of, empty_text, period_text
from finance.reports.desk.forms import FORMATS, QueryForm
from finance.reports.desk.previews import preview_of
from finance.reports.exports import jobs
from finance.reports.exports.api import filters_text
from finance.reports.exports.files import formats_of, send_finished, send_report
from finance.reports.exports.models import ExportJob
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Report
from players.accounts.models import User
from players.notifications.mail import confirmed_address

JOBS_SHOWN: Final = 10
APRIL: Final = 4


@require_GET
def reports_view(request: HttpRequest) -> HttpResponse:
    """List the reports that this person may read, their own files, and the closed months."""
    reports = _readable(request)
    groups: dict[str, list[dict[str, Any]]] = {}
    for report in reports:
        about = description_of(report.name)
        url = reverse("report", args=[report.name])
        entry = {"title": about.title, "purpose": about.purpose, "url": url}
        groups.setdefault(str(about.group), []).append(entry)
    return _page(
        request,
        "reports",
        title=_("Reports"),
        groups=groups,
        files=_own_jobs(request),
        months=closed_periods.months() if _sees_books(request) else [],
    )


@require_GET
def report_view(request: HttpRequest, name: str) -> HttpResponse:
    """Show a report's form and its first rows; by default of last month."""
    report = _report(request, name)
    form = QueryForm(report, request.GET if "to" in request.GET else _last_month())
    preview = question = None
    if form.is_valid():
        question = form.question
        # Too slow for a page: the worker that writes the file has no limit of time.
        with suppress(OperationalError):
            preview = preview_of(report, question)
    about = description_of(name)
    context = {
        "report": report,
        "about": about,
        "form": form,
        "question": question,
        "preview": preview,
        "empty": empty_text(name, question.period) if question else "",
        "period": period_text(question.period) if question else "",
        "presets": _presets(request, timezone.localdate(database_now())),
        "address": confirmed_address(cast(User, request.user)),
    }
    return _page(request, "report", title=about.title, **context)


@require_http_methods(["GET", "POST"])
def download_view(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send the file of a report."""
    report = _report(request, name)
    form = QueryForm(report, request.POST or request.GET)
    if not form.is_valid():
        return redirect(_address(report, form))
    try:
        return send_report(
            request,
            report,
            form.question,
            chosen=form.chosen,
            reader=cast(User, request.user),
            filters=filters_text(form.as_asked()),
        )
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect(_address(report, form))


@require_POST
def mail_view(request: HttpRequest, name: str) -> HttpResponse:
    """Let a worker write the file, and e-mail a link to it when it is ready."""
    report = _report(request, name)
    form, person = QueryForm(report, request.POST), cast(User, request.user)
    address = confirmed_address(person)
    if address is None:
        messages.error(request, _("Confirm your e-mail address first, in your account."))
    elif form.is_valid():
        try:
            jobs.start_export(
                reader=person,
                report=report,
                chosen=form.chosen,
                question=form.question,
                filters=filters_text(form.as_asked()),
                sends_mail=True,
            )
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            sent = _("We will send a link to %(address)s when the file is ready.")
            messages.success(request, sent % {"address": address})
    return redirect(_address(report, form))


@require_GET
def file_view(request: HttpRequest, export_id: UUID) -> HttpResponseBase:
    """Send the file of a job to the person who requested it, while they may read the report."""
    job = get_object_or_404(ExportJob, public_id=export_id, staff=request.user)
    report = BY_NAME.get(job.report)
    if report is None or not may_read(report, request.user):
        raise PermissionDenied
    try:
        file = jobs.open_finished(job)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("reports")
    return send_finished(request, job, file, reader=cast(User, request.user))


@require_GET
def closed_view(request: HttpRequest, first_day: str, last_day: str) -> HttpResponse:
    """List the files of a closed day or month, and who downloaded which of them last."""
    if not _sees_books(request):
        raise PermissionDenied
    first, last = _day(first_day), _day(last_day)
    closes = closed_periods.closes(first, last)
    if not closes:
        raise Http404
    asked = {"from": first.isoformat(), "to": last.isoformat()}
    written = closed_periods.written_files(first, last)
    lines = [
        {
            "title": description_of(report.name).title,
            "url": f"{reverse('report', args=[report.name])}?{urlencode(asked)}",
            "files": [
                (FORMATS[chosen], f"{download}?{urlencode({**asked, 'format': chosen})}")
                for chosen in formats_of(report)
            ],
            "written": written.get(report.name),
        }
        for report in readable_by(request.user)
        if not report.wants_file
        for download in (reverse("report-download", args=[report.name]),)
    ]
    title = _("Files of %(period)s") % {"period": period_text(Period(first, last, SITE_ZONE))}
    is_closed = closed_periods.is_closed(last)
    return _page(
        request,
        "closed_period",
        title=title,
        lines=lines,
        closes=closes,
        is_closed=is_closed,
        statements=open_rows(first, last),
        sees_statements=cast(User, request.user).has_perm("finance.view_bankstatement"),
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Http404 from error


def _readable(request: HttpRequest) -> list[Report]:
    """Return the reports with an own page; raise `PermissionDenied` if there are none."""
    found = [report for report in readable_by(request.user) if not report.wants_file]
    if not found:
        raise PermissionDenied
    return found


def _report(request: HttpRequest, name: str) -> Report:
    report = BY_NAME.get(name)
    if report is None or report.wants_file:
        raise Http404
    if not may_read(report, request.user):
        raise PermissionDenied
    return report


def _sees_books(request: HttpRequest) -> bool:
    return cast(User, request.user).has_perm("finance.view_dailyclose")


def _address(report: Report, form: QueryForm) -> str:
    return f"{reverse('report', args=[report.name])}?{urlencode(form.as_asked())}"


def _own_jobs(request: HttpRequest) -> list[dict[str, Any]]:
    made = ExportJob.objects.filter(staff=cast(User, request.user)).order_by("-pk")[:JOBS_SHOWN]
    return [
        {
            "title": description_of(job.report).title,
            "period": period_text(Period(job.first_day, job.last_day, job.tz)),
            "format": FORMATS.get(job.format, job.format),
            "job": job,
            "url": reverse("report-file", args=[job.public_id])
            if job.status == ExportJob.Status.DONE
            else "",
        }
        for job in made
    ]


def _last_month() -> dict[str, str]:
    last = timezone.localdate(database_now()).replace(day=1) - timedelta(days=1)
    return {"from": last.replace(day=1).isoformat(), "to": last.isoformat()}


def _presets(request: HttpRequest, today: date) -> list[tuple[str, str, bool]]:
    """Return the usual periods: their label, their link with the other parameters, and whether
    it is the present one."""
    this_month = today.replace(day=1)
    last_month = this_month - timedelta(days=1)
    year = today.year if today.month >= APRIL else today.year - 1
    yesterday = today - timedelta(days=1)
    found = []
    for label, first, last in (
        (_("Yesterday"), yesterday, yesterday),
        (_("This month"), this_month, today),
        (_("Last month"), last_month.replace(day=1), last_month),
        (_("This financial year"), date(year, APRIL, 1), today),
        (_("Last financial year"), date(year - 1, APRIL, 1), date(year, APRIL, 1) - timedelta(1)),
    ):
        days = {"from": first.isoformat(), "to": last.isoformat()}
        asked = request.GET if "to" in request.GET else _last_month()
        present = all(asked.get(key) == value for key, value in days.items())
        found.append((label, f"?{urlencode({**asked, **days})}", present))
    return found


def _page(request: HttpRequest, name: str, **context: Any) -> HttpResponse:
    context = {**admin.site.each_context(request), **context}
    return TemplateResponse(request, f"admin/finance/{name}.html", context)
