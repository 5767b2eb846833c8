"""Daily wind-down reports are created, kept and e-mailed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core import mail
from django.db import DatabaseError, connections, transaction
from django.urls import reverse

from players.eligibility.places.models import Offer
from tests.builders.people.regions import open_region
from tests.builders.staff.people import a_person
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import fund
from wallet.wind_down.models import OwedLine, OwedReport
from wallet.wind_down.report import report_owed

pytestmark = pytest.mark.django_db


def owed(offer=Offer.WIND_DOWN):
    open_region("IN-KA")
    fund(make_depositor(), deposit=500_00, winnings=300_00)
    open_region("IN-KA", offer)


def test_a_day_is_reported_once_and_sent_once(settings):
    settings.OWED_REPORT_EMAIL = ["auditor@example.org"]
    owed()

    [report], again = report_owed(), report_owed()

    assert again == []
    [line] = report.lines.all()
    assert (line.offer, line.players, line.wallets_minor) == ("wind_down", 1, 800_00)
    [letter] = mail.outbox
    assert letter.to == ["auditor@example.org"]
    assert "Karnataka, India: Wind-down: withdrawals only" in letter.body
    assert "wallets ₹800.00" in letter.body


def test_failed_wind_down_report_is_sent_by_the_next_run(settings, monkeypatch):
    settings.OWED_REPORT_EMAIL = ["auditor@example.org"]
    owed()

    def fail(*_args):
        raise OSError("no mail server")

    monkeypatch.setattr("wallet.wind_down.report.send_mail", fail)
    report_owed()
    monkeypatch.undo()
    settings.OWED_REPORT_EMAIL = ["auditor@example.org"]
    assert OwedReport.objects.unmailed().count() == 1
    report_owed()

    assert len(mail.outbox) == 1
    assert not OwedReport.objects.unmailed().exists()


def test_wind_down_reports_are_immutable_and_staff_read_them(client):
    owed(Offer.PROHIBITED)
    [report] = report_owed()

    for rows, change in ((OwedLine, {"wallets_minor": 0}), (OwedReport, {"currency": "EUR"})):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.objects.update(**change)
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.objects.all().delete()
    client.force_login(a_person("Finance"))
    page = client.get(reverse("admin:wallet_owedreport_change", args=[report.pk])).text
    assert "Karnataka, India" in page
    assert "₹800.00" in page


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_make_one_report_and_send_it_once(settings):
    settings.OWED_REPORT_EMAIL = ["auditor@example.org"]
    owed()

    def work(_worker):
        try:
            return len(report_owed())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as workers:
        made = sum(workers.map(work, range(2)))

    assert made == 1
    assert OwedLine.objects.count() == 1
    assert len(mail.outbox) == 1
