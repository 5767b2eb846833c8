"""The statement as PDF: same lines and filters as the page, own entries only, limited length."""

import io
import re

import pytest
from django.urls import reverse
from pypdf import PdfReader

from tests.builders.wallet.players import fund, make_player
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.statements import pdf as statement_pdf

pytestmark = pytest.mark.django_db


@pytest.fixture
def asha(client):
    player = make_player(handle="asha")
    client.force_login(player)
    return player


def text_of(client, **query):
    response = client.get(reverse("wallet-statement-print"), query)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    assert response["Content-Disposition"] == 'attachment; filename="statement.pdf"'
    return [page.extract_text() for page in PdfReader(io.BytesIO(response.content)).pages]


def test_statement_pdf_has_every_line_with_its_balance(client, asha):
    fund(asha, deposit=1_234_50)
    fund(asha, winnings=1)
    fund(make_player(), deposit=9_99)

    [page] = text_of(client)

    assert "Statement of asha" in page
    assert page.count("INR 1,234.50") == 2  # The amount and the balance afterwards.
    assert page.count("INR 0.01") == 2
    assert "Page 1 of 1" in page
    assert "9.99" not in page


def test_statement_pdf_keeps_the_filters(client, asha):
    fund(asha, deposit=5_00)
    fund(asha, currency="PTS", deposit=7_00)

    [page] = text_of(client, currency="PTS", kind="deposit", booked_from="2020-01-01")

    assert "7 PTS" in page
    assert "INR" not in page
    assert "Deposit, PTS, from 2020-01-01" in page
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

    assert len(pages) == 3
    shown = [int(number) for page in pages for number in re.findall(r"no (\d+)\.", page)]
    assert shown == list(range(120, 0, -1))


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
    monkeypatch.setattr(statement_pdf, "LINES_MAX", 1)
    fund(asha, deposit=5_00)
    assert len(text_of(client)) == 1
    fund(asha, deposit=5_00)

    page = client.get(reverse("wallet-statement-print"), {"currency": "INR"}, follow=True)

    assert page.redirect_chain == [(reverse("wallet-statement") + "?currency=INR", 302)]
    assert "A PDF can hold 1 lines" in page.content.decode()
