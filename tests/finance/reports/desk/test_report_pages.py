"""The admin's pages of reports: who sees which, the first rows, files and e-mails."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from finance.closing.actions import close_days
from finance.matching.actions import keep_statement
from finance.reports.catalogue import REPORTS
from finance.reports.desk import pages
from finance.reports.desk.descriptions import DESCRIPTIONS
from finance.reports.desk.forms import QueryForm
from finance.reports.desk.previews import ROWS_SHOWN
from finance.reports.exports.files import formats_of
from finance.reports.exports.jobs import write_export
from finance.reports.exports.models import Export, ExportJob
from finance.tasks import mail_export
from tests.builders.books.full_books import Desk, a_day_passes
from tests.builders.staff.people import NO_ROLE, a_person, clerk_who_may
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db
# A report reads only transfers of committed transactions.
committed = pytest.mark.django_db(transaction=True)
BOOKS = {report.name for report in REPORTS if report.permission == "finance.view_dailyclose"}


@pytest.fixture(autouse=True)
def _directory(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path / "exports")


@pytest.fixture
def finance(client):
    """Return a signed-in clerk with the role Finance and a confirmed address."""
    person = a_person("Finance")
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    client.force_login(person)
    return person


def days(first=None, last=None):
    today = timezone.localdate()
    return {"from": (first or today).isoformat(), "to": (last or today).isoformat()}


def content(answer) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("Finance", BOOKS | {"staff-actions"}),
        ("Operations", {"staff-actions"}),
        ("Support", set()),
        ("Identity", set()),
        (NO_ROLE, set()),
    ],
)
def test_a_role_reads_only_reports_of_its_permissions(client, role, expected):
    client.force_login(a_person(role))
    names = [report.name for report in REPORTS if not report.wants_file]
    asked = {name: client.get(reverse("report", args=[name])).status_code for name in names}
    files = {
        name: client.get(reverse("report-download", args=[name]), days()).status_code
        for name in names
    }

    shown = {name for name in names if name in expected}
    assert asked == files == {name: 200 if name in shown else 403 for name in names}
    index = client.get(reverse("reports"))
    assert index.status_code == (200 if shown else 403)
    if shown:
        listed = set(re.findall(r'href="/admin/reports/([a-z-]+)/"', index.content.decode()))
        assert listed & set(names) == shown


@committed
def test_a_download_has_the_bytes_of_the_api_and_is_recorded(client, finance):
    fund(make_player(), deposit=123_45)

    streamed = content(client.get(reverse("report-download", args=["journal"]), days()))

    by_token = Desk(client).file("journal", format="csv", **days())
    kept = [line for line in streamed.split(b"\r\n") if b"generated_at" not in line]
    assert kept == [line for line in by_token.split(b"\r\n") if b"generated_at" not in line]
    of_session = Export.objects.get(staff=finance)
    assert (of_session.report, of_session.format, of_session.reader) == (
        "journal",
        "csv",
        finance.handle,
    )
    assert of_session.finished_at is not None


@committed
def test_preview_shows_the_first_rows_and_the_totals(client, finance):
    for _ in range(ROWS_SHOWN):
        fund(make_player(), deposit=10_00)

    page = client.get(reverse("report", args=["journal"]), days()).content.decode()

    table = page[page.index("<tbody>") : page.index("</tbody>")]
    assert table.count("<tr>") == ROWS_SHOWN
    assert f"The first {ROWS_SHOWN} rows" in page
    assert "₹200" in page


def test_an_empty_report_names_what_is_empty_and_what_to_try(client, finance):
    asked = {"from": "2020-05-01", "to": "2020-05-31"}

    page = client.get(reverse("report", args=["games"]), asked).content.decode()

    assert "No games ended in May 2020. Choose another period." in page
    assert "Download" not in page


def test_impossible_period_is_refused_with_its_reason(client, finance):
    for first, last, expected in (
        ("2026-05-31", "2026-05-01", "is after"),
        ("1999-05-31", "2026-05-01", "is not between"),
        ("2026-05-01", "soon", "Enter a valid date"),
    ):
        asked = {"from": first, "to": last}
        assert expected in client.get(reverse("report", args=["rake"]), asked).text
        refused = client.get(reverse("report-download", args=["rake"]), asked)
        assert refused.status_code == 302
    assert not Export.objects.exists()


def test_the_filter_of_a_person_takes_a_name_and_refuses_an_unknown_one(client, finance):
    url = reverse("report", args=["staff-actions"])

    known = client.get(url, {**days(), "by": finance.handle.upper()}).content.decode()
    unknown = client.get(url, {**days(), "by": "nobody_there"}).content.decode()

    assert "There is no account" not in known
    assert "There is no account" in unknown


@committed
def test_the_mail_has_a_link_for_its_reader_alone_and_no_data(client, finance, monkeypatch):
    fund(make_player(), deposit=123_45)
    asked = {**days(), "format": "csv"}
    answer = client.post(reverse("report-mail", args=["journal"]), asked, follow=True)
    assert f"link to {finance.email}" in answer.content.decode()
    job = ExportJob.objects.get(staff=finance)
    write_export(job_id=job.pk)

    def fail(*_args):
        raise ConnectionRefusedError("no mail server")

    with monkeypatch.context() as broken:
        broken.setattr("finance.reports.desk.mail.send_mail", fail)
        mail_export(job.pk)
    assert list(ExportJob.objects.to_be_mailed()) == [job]
    for _ in range(2):  # The sweep repeats it.
        mail_export(job.pk)

    [sent] = mail.outbox
    url = reverse("report-file", args=[job.public_id])
    assert sent.to == [finance.email]
    assert url in sent.body
    assert not sent.attachments
    assert "123.45" not in sent.body
    assert b"123.45" in content(client.get(url))
    other = a_person("Finance")  # Without a confirmed address.
    client.force_login(other)
    assert client.get(url).status_code == 404
    refused = client.post(reverse("report-mail", args=["journal"]), days(), follow=True)
    assert "Confirm your e-mail address first" in refused.text
    assert not ExportJob.objects.filter(staff=other).exists()
    client.logout()
    assert client.get(url).status_code == 302


def test_a_mailed_link_ends_with_its_time_and_with_the_permission(client, finance):
    client.post(reverse("report-mail", args=["journal"]), days())
    job = ExportJob.objects.get(staff=finance)
    write_export(job_id=job.pk)
    url = reverse("report-file", args=[job.public_id])
    assert client.get(url).status_code == 200

    ExportJob.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(url, follow=True).redirect_chain == [(reverse("reports"), 302)]

    other = clerk_who_may("view_dailyclose")
    ExportJob.objects.filter(pk=job.pk).update(expires_at=timezone.now() + timedelta(hours=1))
    client.force_login(other)
    assert client.get(url).status_code == 404
    finance.groups.clear()
    client.force_login(type(finance).objects.get(pk=finance.pk))
    assert client.get(url).status_code == 403


@committed
def test_a_closed_day_lists_its_files_and_the_last_download(client, finance):
    fund(make_player(), deposit=123_45)
    day = a_day_passes()
    close_days()
    url = reverse("closed-period", args=[day, day])
    file = f"{reverse('report-download', args=['journal'])}?from={day}&amp;to={day}&amp;format=csv"

    before = client.get(url).content.decode()
    first, second = (content(client.get(file.replace("&amp;", "&"))) for _ in range(2))
    after = client.get(url).content.decode()
    body = f"date,text,amount\n{day},Charges,-1.00\n{day + timedelta(days=1)},Charges,-2.00\n"
    keep_statement(name="charges.csv", body=body.encode(), uploaded_by=finance)
    listed = client.get(url).content.decode()

    assert "No bank statement of this period" in before
    assert "1 open" in listed
    assert "charges.csv" in listed
    assert file in before
    assert first == second  # A closed day never changes.
    sha256 = Export.objects.filter(staff=finance).first().sha256
    assert sha256[:12] in after
    assert sha256[:12] not in before
    daily_closes = client.get(reverse("admin:finance_dailyclose_changelist")).content.decode()
    assert url in daily_closes
    unknown = client.get(reverse("closed-period", args=["2020-01-01", "2020-01-31"]))
    assert unknown.status_code == 404


def test_a_period_too_large_for_a_preview_still_offers_its_file(client, finance, monkeypatch):
    def cancel(*_args):
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setattr(pages, "preview_of", cancel)

    page = client.get(reverse("report", args=["journal"]), days()).content.decode()

    assert "takes too long" in page
    assert "Download" in page
    assert "E-mail me when ready" in page


def test_each_report_is_described_and_each_of_its_file_formats_can_be_chosen():
    reports = [one for one in REPORTS if not one.wants_file]
    assert {report.name for report in reports} == set(DESCRIPTIONS)
    for report in reports:
        choices = dict(QueryForm(report, {}).fields["format"].choices)
        assert list(choices) == list(formats_of(report))
        assert all(choices.values())
