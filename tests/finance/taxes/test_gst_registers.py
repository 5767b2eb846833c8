"""GST registers of deposits and closed days, compared with SQL sums of the ledger."""

import io

import pytest
from django.db import connection
from django.urls import reverse
from pypdf import PdfReader

from finance.closing import actions as closing
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.tax_office import (
    GSTIN,
    OFFSHORE_GSTIN,
    operator_registration,
    unguarded,
)
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.money import as_money
from wallet.tax.invoices.invoices import invoice_pdf
from wallet.tax.invoices.models import Invoice
from wallet.tax.models import GstCharge

pytestmark = pytest.mark.django_db(transaction=True)
BACK = """
    UPDATE wallet_transfer SET booked_on = booked_on - 1,
        created_at = created_at - '1 day'::interval;
    UPDATE wallet_entry SET booked_on = booked_on - 1;
    UPDATE wallet_gstcharge SET charged_on = charged_on - 1;
"""
OWED = """
    SELECT sum(e.amount_minor) FROM wallet_entry e JOIN wallet_account a ON a.id = e.account_id
    WHERE a.kind = 'gst_payable'
"""


@pytest.fixture(autouse=True)
def _two_states(lawful, db):
    open_region("IN-MH")


def pay(rupees, *, region="KA"):
    deposit = start_deposit(
        player=make_depositor(region=region), amount=as_money(rupees * 100, "INR")
    )
    tell(deposit, Sent())
    return deposit


def register_operator():
    operator_registration(added_by="tests").save()


def yesterday_closes():
    with unguarded(adopts=["wallet_gstcharge"]) as cursor:
        cursor.execute(BACK)
    closing.close_days()


def query_sum(query):
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


def test_deposits_are_invoiced_in_order_when_their_day_closes(desk):
    register_operator()
    for rupees, region in ((100, "KA"), (250, "MH"), (99, "KA")):
        pay(rupees, region=region)
    assert [row["invoice_number"] for row in desk.page("gst-invoices")["results"]] == [None] * 3

    yesterday_closes()

    today = pay(10)
    rows = desk.page("gst-invoices")["results"]
    years = f"{Invoice.objects.first().year % 100:02}{(Invoice.objects.first().year + 1) % 100:02}"
    assert [row["invoice_number"] for row in rows] == [
        *(f"KG{years}/{number:08}" for number in (1, 2, 3)),
        None,
    ]
    names = ("place_of_supply", "taxable_value", "igst", "cgst", "sgst", "invoice_value")
    assert [[row[name] for name in names] for row in rows[:3]] == [
        ["29-Karnataka", "100.00", "0.00", "20.00", "20.00", "140.00"],
        ["27-Maharashtra", "250.00", "100.00", "0.00", "0.00", "350.00"],
        ["29-Karnataka", "99.00", "0.00", "19.80", "19.80", "138.60"],
    ]
    assert not hasattr(today.gst_charges.get(), "invoice")
    # The tax is split as on its later invoice.
    assert (rows[3]["igst"], rows[3]["cgst"], rows[3]["sgst"]) == ("0.00", "2.00", "2.00")


@pytest.mark.parametrize("stored", ["TS", "TG"])
def test_gst_registers_use_the_current_state_code(client, desk, stored):
    """Telangana is IN-TS in ISO 3166-2 and 36 in GST; it must not count as another state."""
    open_region("IN-TS")
    operator_registration(added_by="tests", state=stored, gstin="36ABCDE1234F1Z5").save()
    deposit = pay(100, region="TG")
    deposit.refresh_from_db()
    charge = GstCharge.objects.get()
    with unguarded(adopts=["wallet_gstcharge"]) as cursor:
        cursor.execute("UPDATE wallet_gstcharge SET place = %s", [f"IN-{stored}"])
    yesterday_closes()

    [row] = desk.page("gst-invoices")["results"]
    client.force_login(deposit.player)
    answer = client.get(reverse("wallet-invoice", args=[deposit.transfer.public_id]))

    assert charge.place == "IN-TS"
    assert row["place_of_supply"] == "36-Telangana"
    assert (row["igst"], row["cgst"], row["sgst"]) == ("0.00", "20.00", "20.00")
    text = PdfReader(io.BytesIO(answer.content)).pages[0].extract_text()
    assert "36-Telangana (IN-TS)" in text


def test_gst_outward_supplies_equal_the_ledger_and_list_large_ones(desk):
    register_operator()
    pay(100), pay(50), pay(9000, region="MH"), pay(7000, region="MH")
    with unguarded() as cursor:  # The bound itself, 7000.00 and its tax, is not large.
        cursor.execute("UPDATE wallet_taxform SET large_above_minor = 980000 WHERE tax = 'gst'")
    yesterday_closes()

    page = desk.page("gst-outward-supplies")

    names = ("table", "place_of_supply", "rate", "documents", "taxable_value", "igst", "cgst")
    shown = sorted(tuple(row[name] for name in names) for row in page["results"])
    assert shown == [
        ("5 (B2CL)", "27-Maharashtra", "40", 1, "9000.00", "3600.00", "0.00"),
        ("7 (B2CS)", "27-Maharashtra", "40", 1, "7000.00", "2800.00", "0.00"),
        ("7 (B2CS)", "29-Karnataka", "40", 2, "150.00", "0.00", "30.00"),
    ]
    [large] = [row for row in page["results"] if row["table"] == "5 (B2CL)"]
    assert (large["invoice_value"], large["invoice_number"][-8:]) == ("12600.00", "00000003")
    taxes = ("igst_minor", "cgst_minor", "sgst_minor")
    assert sum(row[name] for row in page["results"] for name in taxes) == query_sum(OWED)
    assert page["totals"]["INR"]["tax_minor"] == query_sum(OWED) == 6460_00


def test_sections_of_the_return_are_plain_columns_of_the_offline_tool(desk):
    register_operator()
    pay(100), pay(50), pay(9000, region="MH")
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_taxform SET large_above_minor = 980000 WHERE tax = 'gst'")
    yesterday_closes()
    day = Invoice.objects.first().charge.charged_on
    month = {"from": day.isoformat(), "to": day.isoformat()}

    def section(report, name):
        text = desk.file(report, format=f"gstr1-{name}", **month).decode()
        return text.splitlines()

    year = Invoice.objects.first().year % 100
    number = f"KG{year:02}{year + 1:02}/0000000"
    assert section("gst-outward-supplies", "b2cs") == [
        "Type,Place Of Supply,Applicable % of Tax Rate,Rate,Taxable Value,Cess Amount,E-Commerce GSTIN",  # noqa: E501
        "OE,29-Karnataka,,40,150.00,,",
    ]
    assert section("gst-outward-supplies", "b2cl") == [
        "Invoice Number,Invoice date,Invoice Value,Place Of Supply,Applicable % of Tax Rate,Rate,Taxable Value,Cess Amount,E-Commerce GSTIN",  # noqa: E501
        f"{number}3,{day:%d-%b-%Y},12600.00,27-Maharashtra,,40,9000.00,,",
    ]
    assert section("gst-documents", "docs") == [
        "Nature of Document,Sr. No. From,Sr. No. To,Total Number,Cancelled",
        f"Invoices for outward supply,{number}1,{number}3,3,0",
    ]
    [headings, row] = section("gst-hsn-summary", "hsn")
    assert headings.startswith("HSN,Description,UQC,Total Quantity,Total Value,Rate,Taxable Value,")
    assert row.endswith("OTH-OTHERS,3,12810.00,40,9150.00,3600.00,30.00,30.00,")
    # A section is about one month.
    for period in ({}, {"from": "2026-04-30", "to": "2026-05-01"}):
        answer = desk.ask("gst-documents", format="gstr1-docs", **period)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_period")
    assert desk.ask("gst-invoices", format="gstr1-docs").status_code == 404


def test_gst_invoices_of_a_closed_day_do_not_change(desk):
    pay(100)
    yesterday_closes()
    day = GstCharge.objects.get().charged_on.isoformat()
    days = {"from": day, "to": day}
    files = [desk.file("gst-invoices", format=kind, **days) for kind in ("csv", "xlsx")]

    register_operator()
    pay(30)

    assert [desk.file("gst-invoices", format=kind, **days) for kind in ("csv", "xlsx")] == files


def test_player_can_print_only_their_own_invoice(client):
    register_operator()
    deposit = pay(100)
    yesterday_closes()
    deposit.refresh_from_db()
    url = reverse("wallet-invoice", args=[deposit.transfer.public_id])

    client.force_login(make_depositor())
    assert client.get(url).status_code == 404
    client.force_login(deposit.player)
    answer = client.get(url)

    text = PdfReader(io.BytesIO(answer.content)).pages[0].extract_text()
    number = Invoice.objects.get().name
    for part in (number, GSTIN, "CGST at 20 %", "INR 20.00", "INR 140.00"):
        assert part in text
    receipt = client.get(reverse("wallet-receipt", args=[deposit.transfer.public_id]))
    assert url in receipt.content.decode()
    assert client.get(url).content == answer.content


def test_an_operator_outside_india_charges_integrated_tax_and_files_gstr_5a(desk):
    operator_registration(added_by="tests", gstin=OFFSHORE_GSTIN, state="").save()
    pay(100), pay(50), pay(9000, region="MH")
    with unguarded() as cursor:
        cursor.execute("UPDATE wallet_taxform SET large_above_minor = 1000000 WHERE tax = 'gst'")
    yesterday_closes()

    rows = desk.page("gst-outward-supplies")["results"]
    invoices = desk.page("gst-invoices")["results"]
    [hsn] = desk.page("gst-hsn-summary")["results"]
    [documents] = desk.page("gst-documents")["results"]
    text = PdfReader(io.BytesIO(invoice_pdf(Invoice.objects.get(number=1)))).pages[0].extract_text()

    names = ("return_form", "table", "place_of_supply", "documents", "igst", "cgst", "sgst")
    assert sorted(tuple(row[name] for name in names) for row in rows) == [
        ("GSTR-5A", "5D", "27-Maharashtra", 1, "3600.00", "0.00", "0.00"),
        ("GSTR-5A", "5D", "29-Karnataka", 2, "60.00", "0.00", "0.00"),
    ]
    assert {(row["cgst"], row["sgst"]) for row in invoices} == {("0.00", "0.00")}
    assert sum(row["igst_minor"] for row in rows) == query_sum(OWED) == 3660_00
    # GSTR-5A has neither table.
    assert (hsn["return_form"], documents["return_form"]) == (None, None)
    assert OFFSHORE_GSTIN in text
    assert "IGST at 40 %" in text
    assert "CGST" not in text
    assert "section 14A" in text
