"""A player's tax page equals their TDS certificate."""

import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from pypdf import PdfReader

from players.identity.tax_numbers import give_tax_number
from tests.builders.books.full_books import Desk
from tests.builders.wallet.tax_office import (
    give_back,
    history_of_the_vector,
    let_years_pass,
    make_winner,
    operator_registration,
    withdraw,
)
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year, quarter, year_name

pytestmark = pytest.mark.django_db(transaction=True)


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
