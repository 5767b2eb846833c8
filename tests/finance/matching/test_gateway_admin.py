"""Gateway files in the admin: upload and comparison with the ledger."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.models import AuditEntry
from finance.matching.models import GatewayFile
from tests.builders.books.full_books import SANDBOX_COLUMNS
from tests.builders.books.gateway_files import line, pay
from tests.builders.staff.people import a_person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]

ADD = "admin:finance_gatewayfile_add"


@pytest.fixture
def bookkeeper(client):
    person = a_person("Finance")
    client.force_login(person)
    return person


def upload(client, text, **more):
    sent = SimpleUploadedFile("day.csv", text.encode())
    return client.post(reverse(ADD), {"provider": "sandbox", "file": sent}, **more)


@pytest.mark.extended
def test_uploaded_gateway_file_is_compared_with_the_ledger(client, bookkeeper):
    same, minor = pay()
    other, other_minor = pay(50)
    unheard, _ = pay(70)
    text = SANDBOX_COLUMNS + line(same, minor) + line(other, other_minor - 1) + line("pay_x", 5)

    shown = upload(client, text, follow=True)

    file = GatewayFile.objects.get()
    page = reverse("admin:finance_gatewayfile_reconciliation", args=[file.pk])
    assert shown.redirect_chain == [(page, 302)]
    [of_rupees] = shown.context["comparison"].sums
    assert (of_rupees.currency, of_rupees.counts, of_rupees.agrees) == ("INR", (1, 1, 1, 1), False)
    differing = [
        (row["outcome"], row["reference"]) for row in shown.context["comparison"].differing
    ]
    assert differing == [
        ("amount differs", other),
        ("missing ours", "pay_x"),
        ("missing theirs", unheard),
    ]
    assert all(name in shown.text for name in (other, "pay_x", unheard))
    assert same not in shown.text
    assert (file.staff, file.uploaded_by, file.line_count) == (bookkeeper, None, 3)
    act = AuditEntry.objects.get(kind="finance.gatewayfile")
    assert (act.by, act.act, act.row) == (bookkeeper, "upload", str(file.pk))
    assert "uploaded before" in upload(client, text, follow=True).text
    assert GatewayFile.objects.count() == AuditEntry.objects.filter(act="upload").count() == 1
    assert (
        bookkeeper.handle
        in client.get(reverse("admin:finance_gatewayfile_change", args=[file.pk])).text
    )


def test_gateway_file_with_bad_lines_is_not_stored(client, bookkeeper):
    answer = upload(client, SANDBOX_COLUMNS + "gift,a,a,INR,5,2026-08-27\n<b>,1\n")

    _, second, third = answer.context["adminform"].form.errors.get_json_data()["file"]
    assert second["message"].startswith("Line 2: ")
    assert "unknown_kind" in second["message"]
    assert third["message"].startswith("Line 3: ")
    assert "<b>,1" not in answer.text
    wrong = client.post(reverse(ADD), {"provider": "paypal"})
    assert set(wrong.context["adminform"].form.errors) == {"provider", "file"}
    assert not GatewayFile.objects.exists()


def test_gateway_files_are_forbidden_without_the_permission(client, bookkeeper):
    upload(client, SANDBOX_COLUMNS + line("pay_1", 100))
    page = reverse("admin:finance_gatewayfile_reconciliation", args=[GatewayFile.objects.get().pk])

    for role in ("Support", "Operations"):
        client.force_login(a_person(role))
        assert client.get(page).status_code == 403
        assert upload(client, SANDBOX_COLUMNS).status_code == 403
    assert GatewayFile.objects.count() == 1
