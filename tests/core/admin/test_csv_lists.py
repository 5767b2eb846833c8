"""Every admin list can be exported as CSV with its columns, by staff who may view it."""

import csv
import io

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse

from core.admin import csv_lists
from core.models import AuditEntry
from tests.builders.people.every_page import player_with_every_kind
from tests.builders.staff.people import a_person, clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.wallet.payout_desk import make_withdrawal
from wallet.deposits.models import StaffTask

pytestmark = [pytest.mark.django_db, pytest.mark.extended]


def exported(client, name, rows, **query):
    """Return the lines of a list's export, its headings first."""
    url = reverse(f"admin:{name}_changelist")
    sent = {"action": "export_csv", ACTION_CHECKBOX_NAME: [row.pk for row in rows], **query}
    answer = client.post(url, sent)
    assert answer.status_code == 200, answer
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_selected_rows_are_exported_with_the_columns_of_the_list(client):
    by = a_person("Support")
    client.force_login(by)
    dispute, _other = complain(played_deal()), complain(played_deal())

    headings, *lines = exported(client, "tables_dispute", [dispute])

    assert len(lines) == 1
    [row] = [dict(zip(headings, line, strict=True)) for line in lines]
    assert row["Player"] == dispute.seat.player.handle  # A link in the list.
    assert row["Category"] == "The clock or my connection"
    assert row["Opened at"] == dispute.opened_at.isoformat()
    entry = AuditEntry.objects.get(by=by, act="export")
    assert (entry.act, entry.after) == ("export", "list=tables.dispute\nrows=1")


def test_a_formula_stays_text_and_a_long_list_is_refused(client, monkeypatch):
    client.force_login(a_person("Finance"))
    tasks = [
        StaffTask.objects.create(kind="session_ended", details=text) for text in ("=1+1", "Look")
    ]

    lines = exported(client, "wallet_stafftask", tasks)
    monkeypatch.setattr(csv_lists, "ROWS_MAX", 1)
    url = reverse("admin:wallet_stafftask_changelist")
    sent = {"action": "export_csv", ACTION_CHECKBOX_NAME: [task.pk for task in tasks]}
    refused = client.post(url, sent, follow=True).text

    assert "'=1+1" in {cell for line in lines for cell in line}
    assert "at most 1 rows" in refused


def test_export_needs_permission_to_view_the_list(client):
    client.force_login(a_person("Operations"))
    withdrawal = make_withdrawal()

    url = reverse("admin:wallet_withdrawal_changelist")
    sent = {"action": "export_csv", ACTION_CHECKBOX_NAME: [withdrawal.pk]}

    assert client.post(url, sent).status_code == 403
    assert not AuditEntry.objects.filter(act="export").exists()


@pytest.mark.usefixtures("lawful")
def test_every_list_offers_it_and_shows_columns_it_can_read(rf):
    request = rf.get("/")
    request.user = clerk(is_superuser=True)
    player_with_every_kind()
    read = set()

    for model, page in admin.site._registry.items():
        assert "export_csv" in page.get_actions(request), model
        names = list(page.get_list_display(request))
        for row in page.get_queryset(request)[:1]:
            assert len([csv_lists._cell(page, name, row) for name in names]) == len(names)
            read.add(model)

    assert len(read) >= 20
