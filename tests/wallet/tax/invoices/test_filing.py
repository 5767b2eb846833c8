"""Tax filing: gapless invoice numbers, and dated rows that cannot change booked days."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.urls import reverse

from tests.builders.processes.threads import at_once
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import let_years_pass, unguarded
from wallet.audit.audit import row_findings
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year
from wallet.tax.invoices.invoices import issue_invoices
from wallet.tax.invoices.models import Invoice, Registration, TaxForm
from wallet.tax.models import GstCharge, TaxRate

pytestmark = pytest.mark.usefixtures("lawful")


def make_charge():
    deposit = make_deposit()
    tell(deposit, Sent())
    return deposit.gst_charges.get()


def append_rate(starts_on):
    return TaxRate.objects.create(
        tax="gst", starts_on=starts_on, bps=1_800, treatment="inclusive", law="x", added_by="t"
    )


@pytest.mark.django_db(transaction=True)
def test_two_that_issue_at_once_number_each_charge_once_and_without_gaps():
    charges = [make_charge() for _ in range(5)]
    let_years_pass()

    issued = at_once([transaction.atomic(issue_invoices)] * 2)

    assert sorted(issued) == [0, 5]
    year = financial_year(site_day()) - 1
    numbered = Invoice.objects.order_by("number").values_list("year", "number", "charge")
    assert list(numbered) == [(year, no, one.pk) for no, one in enumerate(charges, 1)]
    assert row_findings() == ()


@pytest.mark.django_db
def test_invoices_cannot_be_inserted_or_numbers_skipped(owner):
    charge = make_charge()
    year = financial_year(charge.charged_on)
    row = (
        "INSERT INTO wallet_invoice (charge_id, year, number, issued_at) VALUES (%s, %s, %s, now())"
    )

    with pytest.raises(ProgrammingError, match="denied"), transaction.atomic():
        connection.cursor().execute(row, [charge.pk, year, 1])
    for wrong in ((year, 2), (year - 1, 1)):
        with owner(), pytest.raises(IntegrityError, match="follow"), transaction.atomic():
            connection.cursor().execute(row, [charge.pk, *wrong])
    with owner():
        connection.cursor().execute(row, [charge.pk, year, 1])
        with pytest.raises(IntegrityError, match="kept"), transaction.atomic():
            connection.cursor().execute("DELETE FROM wallet_invoice")


@pytest.mark.django_db
def test_a_rate_from_before_something_booked_under_the_old_one_is_refused():
    charge = make_charge()
    tomorrow = site_day() + timedelta(days=1)
    append_rate(tomorrow)
    with unguarded(adopts=["wallet_gstcharge"]):
        GstCharge.objects.filter(pk=charge.pk).update(charged_on=tomorrow)

    with pytest.raises(IntegrityError, match="already booked"), transaction.atomic():
        append_rate(tomorrow)

    append_rate(tomorrow + timedelta(days=1))


@pytest.mark.django_db(transaction=True)
def test_charge_booked_while_a_rate_is_appended_refuses_the_rate():
    charge = make_charge()
    tomorrow = site_day() + timedelta(days=1)

    with pytest.raises(IntegrityError, match="already booked"):
        append_while_somebody_books(charge, tomorrow)

    assert not TaxRate.objects.filter(starts_on=tomorrow).exists()


@transaction.atomic
def append_while_somebody_books(charge, day):
    """Append a rate and commit it after midnight, when a deposit of the day has been credited."""

    def book():
        with transaction.atomic(), unguarded(adopts=["wallet_gstcharge"]):
            GstCharge.objects.filter(pk=charge.pk).update(charged_on=day)

    append_rate(day)
    assert at_once([book]) == [None]


@pytest.mark.django_db
def test_superusers_append_forms_and_registrations(client):
    clerk = make_player(is_staff=True, is_superuser=True)
    client.force_login(clerk)
    charge = make_charge()
    assert issue_invoices() == 0  # A day that may still grow is not numbered.
    day = (site_day() + timedelta(days=1)).isoformat()
    form = {"tax": "gst", "payee": "resident", "starts_on": day, "return_form": "GSTR-9X"}
    form |= {"section": "x", "large_above": "125000.50"}
    fields = {
        "starts_on": day,
        "legal_name": "Khel",
        "address": "1 MG Road",
        "state": "KA",
        "gstin": "29AABCP1234D1ZU",
        "tan": "BLRK12345A",
    }
    add_form, add_registration = (
        reverse(f"admin:wallet_{name}_add") for name in ("taxform", "registration")
    )

    early = client.post(add_form, form | {"starts_on": charge.charged_on.isoformat()})
    of_tds = client.post(add_form, form | {"tax": "tds"})
    wrong = client.post(add_registration, fields | {"gstin": "29X"})
    assert f"Enter a day after {charge.charged_on}" in early.text
    assert "Only GST has this limit." in of_tds.text
    assert "Enter 15 letters and digits" in wrong.text
    assert not TaxForm.objects.filter(return_form="GSTR-9X").exists()
    client.post(add_form, form)
    client.post(add_registration, fields)

    added = TaxForm.objects.get(return_form="GSTR-9X")
    assert (added.added_by, added.large_above_minor) == (clerk.actor, 12_500_050)
    assert Registration.objects.get().tan == "BLRK12345A"
    page = client.get(reverse("admin:wallet_taxform_change", args=[added.pk])).text
    assert "₹125,000.50" in page or "₹1,25,000.50" in page
    assert "large_above_minor" not in page


@pytest.mark.django_db
def test_each_form_is_listed_with_its_payee_kind_payment_code_and_rate(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))

    page = client.get(reverse("admin:wallet_taxform_changelist"), {"tax__exact": "tds"}).text

    cells = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    for row in (
        ("Not resident in India", "144", "1060", "30 %, 4 % cess", "131", "393(3)"),
        ("Resident in India", "140", "1060", "30 %", "131", "393(3)"),
    ):
        assert re.search(".{1,40}".join(map(re.escape, row)), cells), row
