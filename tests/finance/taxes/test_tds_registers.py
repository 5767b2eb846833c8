"""TDS registers of withdrawals and year ends (RB 11.4), and the player's page of a year."""

import io
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.urls import reverse
from pypdf import PdfReader

from finance.reports.frame.report import FULL
from players.identity.tax_numbers import give_tax_number
from tests.builders.books.full_books import Desk
from tests.builders.books.tokens import valid_token
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import (
    give_back,
    history_of_the_vector,
    let_years_pass,
    make_winner,
    operator_registration,
    send,
    win,
    withdraw,
)
from wallet.ledger.days import site_day
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year, quarter, year_name
from wallet.tax.models import Withholding
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db(transaction=True)
OWED = """
    SELECT coalesce(sum(e.amount_minor), 0) FROM wallet_entry e
    JOIN wallet_account a ON a.id = e.account_id WHERE a.kind = 'tds_payable'
"""


def owed():
    with connection.cursor() as cursor:
        cursor.execute(OWED)
        return cursor.fetchone()[0]


def test_year_end_tds_is_deducted_on_31_march(desk):
    # C 1000, B 34000, 41000 withdrawn with 6000 of it taxed, 5000 left (research, example 4).
    player = make_winner(deposit=1000)
    let_years_pass()
    fund(player, deposit=34000_00)
    win(player, 11000)
    withdraw(player, 25000), withdraw(player, 16000)
    let_years_pass()
    withholding.settle_past_years(player=player, currency="INR")
    last = financial_year(site_day()) - 1

    march = date(last + 1, 3, 31).isoformat()
    [row] = desk.page("tds-deductions", **{"from": march, "to": march})["results"]

    assert (row["reason"], row["quarter"], row["deducted_on"]) == ("year_end", "Q4", march)
    assert (row["year"], row["winnings"], row["tax"]) == (year_name(last), "5000.00", "1500.00")
    form = ("26Q", "194BA") if last < 2026 else ("140", "393(3)")
    assert (row["return_form"], row["section"]) == form
    by_year = {one["year"]: one for one in desk.page("tds-certificates")["results"]}
    certificate = by_year[year_name(last)]
    assert (certificate["tax"], certificate["certificate_form"]) == (
        "3300.00",
        "16A" if last < 2026 else "131",
    )
    assert certificate["tax_q4_minor"] >= 1500_00
    assert desk.page("tds-quarters")["totals"]["INR"]["owed_minor"] == owed()


def test_tds_returned_in_a_later_year_reduces_that_years_quarter(desk):
    withdrawal = withdraw(make_winner(winnings=1000), 1000)
    let_years_pass()
    give_back(withdrawal)
    this = financial_year(site_day())

    rows = desk.page("tds-quarters")["results"]

    names = ("year", "tax", "returned", "owed")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (year_name(this - 1), "300.00", "0.00", "300.00"),
        (year_name(this), "0.00", "300.00", "-300.00"),
    ]
    assert desk.page("tds-quarters")["totals"]["INR"]["owed_minor"] == owed() == 0


def test_tds_quarters_have_form_payment_code_and_tax_parts_by_payee(desk):
    abroad = make_winner(winnings=1000)
    abroad.country = "AE"
    abroad.save(update_fields=["country"])
    withdraw(abroad, 1000)
    withdraw(make_winner(winnings=100), 100)
    # A later change of residence does not change earlier deductions.
    abroad.country = "IN"
    abroad.save(update_fields=["country"])

    rows = desk.page("tds-deductions")["results"]
    quarters = desk.page("tds-quarters")["results"]
    certificates = desk.page("tds-certificates")["results"]

    names = ("payee", "return_form", "section", "payment_code", "tax", "surcharge", "cess")
    expected = [
        ("non_resident", "144", "393(3)", "1060", "312.00", "0.00", "12.00"),
        ("resident", "140", "393(3)", "1060", "30.00", "0.00", "0.00"),
    ]
    assert [tuple(row[name] for name in names) for row in rows] == expected
    assert sorted(tuple(row[name] for name in names) for row in quarters) == sorted(expected)
    of_certificates = ("payee", "certificate_form", "section", "payment_code", "tax", "cess")
    assert sorted(tuple(row[name] for name in of_certificates) for row in certificates) == [
        ("non_resident", "131", "393(3)", "1060", "312.00", "12.00"),
        ("resident", "131", "393(3)", "1060", "30.00", "0.00"),
    ]
    assert desk.page("tds-quarters")["totals"]["INR"]["owed_minor"] == 342_00


def test_tax_numbers_are_masked_without_the_scope(desk, client):
    player = make_winner(winnings=100)
    sent = send(withdraw(player, 100))
    withdrawals.mark_paid(withdrawal_id=sent.pk, by=make_player(is_staff=True), remark="UTR12345")
    give_tax_number(player_id=player.pk, number="ABCPE1234F")
    [masked] = desk.page("tds-certificates")["results"]
    text = valid_token("tds-certificates", FULL)
    desk.headers = {"Authorization": f"Bearer {text}"}
    full = desk.page("tds-certificates")

    assert (masked["legal_name"], masked["tax_number"]) == ("Asha Rao", "XXXXXX234F")
    assert full["results"][0]["tax_number"] == "ABCPE1234F"
    assert full["header"]["filters"] == "tax numbers in full"
    assert Withholding.objects.get().tax_minor == 30_00


def sheet(client, player, year):
    client.force_login(player)
    return client.get(reverse("wallet-tax-sheet", args=[year]))


def lines_of(response):
    reader = PdfReader(io.BytesIO(response.content))
    assert len(reader.pages) == 1
    return reader.pages[0].extract_text().splitlines()


def test_tax_sheet_equals_the_tds_certificate(client):
    player = history_of_the_vector()
    give_tax_number(player_id=player.pk, number="ABCPE1234F")
    withdraw(player, 16000, tax=1200)
    year = financial_year(site_day())
    operator_registration(
        starts_on=site_day() - timedelta(days=1),
        legal_name="Marigold Games Private Limited",
        address="1 Church Street, Bengaluru",
        tan="BLRM12345A",
        added_by="finance",
    ).save()

    found = sheet(client, player, year)

    assert found["Content-Type"] == "application/pdf"
    assert found["Content-Disposition"].endswith(f'"tax-withheld-{year_name(year)}.pdf"')
    text = " ".join(lines_of(found))
    [row] = Desk(client).page("tds-certificates")["results"]
    owed, of_quarter = Decimal(row["owed"]), f"tax_q{quarter(site_day())}_minor"
    assert owed == Decimal(row[of_quarter]) / 100 > 1200
    assert f"INR {Decimal(row['winnings']):,}" in text
    assert f"Tax withheld in quarter {quarter(site_day())} INR {owed:,}" in text
    assert f"Tax withheld INR {owed:,}" in text
    for expected in ("Marigold Games Private Limited", "BLRM12345A", player.handle, "393(3)"):
        assert expected in text
    assert "ABCPE1234F" not in text
    assert "234F" in text
    assert sheet(client, player, year).content == found.content


def test_tax_sheet_subtracts_returned_tax(client):
    player = make_winner(winnings=1000)
    give_back(withdraw(player, 1000))

    text = " ".join(lines_of(sheet(client, player, financial_year(site_day()))))

    assert "Winnings taxed INR 0.00" in text
    assert "Tax withheld INR 0.00" in text


def test_tax_sheet_of_an_earlier_year(client):
    player = make_winner(winnings=1000)
    withdraw(player, 1000)
    let_years_pass()
    year = financial_year(site_day())

    before, now = (" ".join(lines_of(sheet(client, player, each))) for each in (year - 1, year))

    assert "Tax withheld INR 300.00" in before
    assert "Tax withheld INR 0.00" in now
    for without_cash in (year + 1, 1990):
        assert sheet(client, player, without_cash).status_code == 404
