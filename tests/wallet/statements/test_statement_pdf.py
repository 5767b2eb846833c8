"""The statement as PDF: letterhead, period, sums, the rows of the page, limited length."""

import io
import re
from datetime import date

import pytest
from django.urls import reverse
from pypdf import PdfReader

from tests.builders.wallet.players import fund, make_player
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.statements import pdf as statement_pdf
from wallet.tax.invoices.models import Registration

pytestmark = pytest.mark.django_db


@pytest.fixture
def asha(client):
    player = make_player(handle="asha")
    client.force_login(player)
    return player


def text_of(client, **query):
    response = client.get(reverse("wallet-statement-print"), query)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    assert response["Content-Disposition"].startswith('attachment; filename="statement-')
    content = response.getvalue()
    return [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]


def test_statement_pdf_has_letterhead_period_and_sums(client, asha, settings):
    settings.PUBLIC_URL, settings.CONTACT_EMAIL = "https://rummy.example", "help@rummy.example"
    Registration.objects.create(
        starts_on=date(2020, 1, 1),
        legal_name="Rummy Ltd",
        address="1 MG Road, Bengaluru",
        state="KA",
        gstin="29AAGCB7383J1Z4",
        added_by="test",
    )
    fund(asha, deposit=1_234_50)
    fund(asha, winnings=1)
    fund(make_player(), deposit=9_99)
    day = Transfer.objects.latest("pk").booked_on

    [page] = text_of(client, period=f"{day:%Y-%m}")

    for text in ("Pool Rummy", "Rummy Ltd", "1 MG Road", "https://rummy.example", "asha"):
        assert text in page
    assert f"{day:%B %Y}" in page
    assert f"{day:%Y-%m}-01 to {day:%Y-%m}" in page
    # Opening, the sum of deposits, closing; then two rows with amount and balance.
    assert re.findall(r"INR [\d,.]+", page) == [
        *("INR 0.00", "INR 1,234.51", "INR 1,234.51"),
        *("INR 1,234.50", "INR 1,234.50", "INR 0.01", "INR 1,234.51"),
    ]
    assert "9.99" not in page
    assert "Page 1 of 1" in page
    url = reverse("wallet-statement-print")
    first, again = (client.get(url).getvalue() for _ in range(2))
    assert first == again


def test_statement_pdf_keeps_the_filters(client, asha):
    fund(asha, deposit=5_00)
    fund(asha, currency="PTS", deposit=7_00)

    [page] = text_of(client, currency="PTS", kind="deposit")

    assert "7 PTS" in page
    assert "INR" not in page
    assert "Deposits" in page
    url = reverse("wallet-statement-print")
    assert client.get(url, {"currency": "XXX"}).status_code == 400


@pytest.mark.extended
def test_many_lines_fill_many_pages_each_once(client, asha):
    mine = fund(asha, deposit=100_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    for number in range(1, 121):
        entries = [(mine, -1), (suspense, 1)]
        kind = Transfer.Kind.ADJUSTMENT
        posting.post(key=f"n:{number}", kind=kind, entries=entries, memo=f"no {number}.")

    pages = text_of(client)

    assert len(pages) == 5
    shown = [int(number) for page in pages for number in re.findall(r"no (\d+)\.", page)]
    assert shown == list(range(1, 121))


def test_missing_characters_and_long_texts_are_still_printed(client, asha):
    mine = fund(asha, deposit=100_00)["deposit"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    memo = "₹ रमी (a) " + "x" * 150
    kind = Transfer.Kind.ADJUSTMENT
    posting.post(key="k", kind=kind, entries=[(mine, -1), (suspense, 1)], memo=memo)

    [page] = text_of(client)

    assert "Adjustment: INR  ??? (a) xxx" in page
    assert "x…" in page


def test_too_long_statement_is_refused_with_advice(client, asha, monkeypatch):
    monkeypatch.setattr(statement_pdf, "ROWS_MAX", 1)
    fund(asha, deposit=5_00)
    assert len(text_of(client)) == 1
    fund(asha, deposit=5_00)

    page = client.get(reverse("wallet-statement-print"), {"currency": "INR"}, follow=True)

    assert page.redirect_chain == [(reverse("wallet-statement") + "?currency=INR", 302)]
    assert "A PDF can hold 1 rows" in page.content.decode()
