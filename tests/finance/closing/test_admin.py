"""Read-only admin of closes and exports."""

import pytest
from django.urls import reverse

from finance.closing import actions as closing
from finance.reconciliation.models import GatewayFile
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.models import DailyClose, DailyTotal
from tests.builders.books.full_books import SANDBOX_COLUMNS, Desk, a_day_passes
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staff(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def page(model, what="changelist", *args):
    return reverse(f"admin:finance_{model._meta.model_name}_{what}", args=args)


def test_a_close_is_shown_with_its_totals(staff):
    fund(make_player(), deposit=123_45)
    a_day_passes()
    [close] = closing.close_days()

    assert close.control_hash in staff.get(page(DailyClose)).content.decode()
    shown = staff.get(page(DailyClose, "change", close.pk)).content.decode()
    assert shown.count("123.45") >= DailyTotal.objects.count() == 2
    assert staff.post(page(DailyClose, "change", close.pk), {"games": 7}).status_code == 403


def test_export_is_shown_with_its_token_and_query(staff, client):
    Desk(client).ask("journal", to="2026-01-31")
    export = Export.objects.get()

    shown = staff.get(page(Export)).content.decode()

    assert export.sha256 in shown
    assert "desk" in shown
    assert staff.get(page(Export, "add")).status_code == 403
    assert staff.post(page(Export, "delete", export.pk), {"post": "yes"}).status_code == 403


def test_gateway_files_and_export_jobs_are_read_only(staff, client, settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)
    desk = Desk(client)
    sha256 = desk.upload(SANDBOX_COLUMNS).json()["sha256"]
    asked = {"report": "journal", "format": "csv"}
    address = reverse("finance-exports")
    client.post(address, asked, content_type="application/json", headers=desk.headers)

    assert sha256 in staff.get(page(GatewayFile)).content.decode()
    assert "Queued" in staff.get(page(ExportJob)).content.decode()
    assert staff.get(page(ExportJob, "add")).status_code == 403
    file = GatewayFile.objects.get()
    assert staff.post(page(GatewayFile, "delete", file.pk), {"post": "yes"}).status_code == 403
