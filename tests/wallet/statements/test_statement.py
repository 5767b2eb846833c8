"""The statement shows a player's own entries once each, with filters."""

import csv
import io
import re
from datetime import date, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from django.core import signing
from django.db import connection
from django.db.models import Q
from django.urls import reverse
from moneyed import Money
from pypdf import PdfReader

from tests.builders.wallet.filters import SENSELESS_ON_PAGES
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.bonuses import play_points
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.statements import acts, table
from wallet.statements import pdf as statement_pdf
from wallet.statements.statement import Statement, StatementRow, latest_keys
from wallet.tax.invoices.models import Registration

pytestmark = pytest.mark.django_db


def pages(client, **chosen):
    """Follow the links as a reader would; return the pages' texts."""
    texts = []
    address = f"{reverse('wallet-statement')}?{urlencode(chosen)}"
    while address:
        texts.append(client.get(address).content.decode())
        links = re.findall(r'href="(\?[^"]*before=[^"]+)"', texts[-1])
        address = links and reverse("wallet-statement") + links[0].replace("&amp;", "&")
    return texts


def amounts(*texts):
    found = r"amount (?:in|out)\">\+?(-?₹?[\d,.]+)"
    return [a.replace("₹", "") for t in texts for a in re.findall(found, t)]


def rows_of(response):
    text = b"".join(response.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_statement_shows_each_event_and_the_balance_after_it():
    player = make_player()
    fund(player, deposit=120_00)
    stakes.take_stake(
        player=player,
        escrow=make_escrow(),
        entry=Money(100, "INR"),
        rake_bps=0,
        key="buyin:1:1",
        memo="Pool 101",
    )

    rows = [StatementRow(entry) for entry in Statement(player=player).page(size=9)]

    assert [(row.text, row.bucket) for row in rows] == [
        ("Entry paid: Pool 101", "Deposit"),
        ("Deposit", "Deposit"),
    ]
    moved = [(row.entry.amount_minor, row.entry.balance_after_minor) for row in rows]
    assert moved == [(-100_00, 20_00), (120_00, 120_00)]


@pytest.mark.extended
def test_filters_choose_and_stay_from_page_to_page(client, me):
    play_points.grant_sign_up(player=me)
    for _ in range(30):
        fund(me, deposit=5_00)

    assert len(amounts(*pages(client, currency="INR", kind="deposit"))) == 30
    assert amounts(*pages(client, currency="PTS", kind="points")) == ["10,000"]
    assert amounts(*pages(client, currency="PTS", kind="deposit")) == []


def test_statement_of_a_month_has_its_sums(client, me):
    fund(me, deposit=5_00)
    month = f"{Transfer.objects.get().booked_on:%Y-%m}"

    page = client.get(reverse("wallet-statement"), {"period": month}).text

    assert amounts(page) == ["5.00"]
    assert page.count("<dd>₹0.00</dd>") == 1  # The balance at the beginning.
    assert page.count("<dd>₹5.00</dd>") == 1  # At the end.


@pytest.mark.extended
def test_each_day_has_its_own_entries_however_many_came_later(me, owner):
    for units in (1, 2, 3, 4):
        with owner(), connection.cursor() as cursor:  # A day goes by.
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("UPDATE wallet_transfer SET booked_on = booked_on - 1")
            cursor.execute("UPDATE wallet_entry SET booked_on = booked_on - 1")
            cursor.execute("SET LOCAL session_replication_role = DEFAULT")
        fund(me, deposit=units * 100)
    today = Transfer.objects.latest("pk").booked_on
    [first, second, third] = [today - timedelta(days=days) for days in (3, 2, 1)]

    def found(**days):
        entries = Statement(me, **days).page(size=9)
        return [str(entry.amount.amount) for entry in entries]

    assert found(booked_from=second, booked_to=second) == ["2.00"]
    assert found(booked_from=second, booked_to=third) == ["3.00", "2.00"]
    assert found(booked_from=third) == ["4.00", "3.00"]
    assert found(booked_to=second) == ["2.00", "1.00"]
    assert found(booked_to=first - timedelta(days=1)) == []
    assert found(booked_from=first, booked_to=today) == ["4.00", "3.00", "2.00", "1.00"]


@pytest.mark.parametrize("chosen", SENSELESS_ON_PAGES)
def test_page_ignores_unknown_filters_with_a_message_and_the_file_refuses_them(client, me, chosen):
    fund(me, deposit=5_00)
    url = reverse("wallet-statement")

    page = client.get(url, {"currency": "INR"} | chosen, follow=True)

    kept = "" if "currency" in chosen else "?currency=INR"
    assert page.redirect_chain == [(f"{url}{kept}", 302)]
    assert "The link contained unknown filters, which were ignored." in page.text
    assert amounts(page.text) == ["5.00"]
    assert client.get(reverse("wallet-statement-file"), chosen).status_code == 400


@pytest.mark.parametrize(
    "made_up",
    [lambda: "17", lambda: signing.dumps(17), lambda: signing.dumps({"page": 2})],
    ids=["a number", "a signed number", "a signed page"],
)
def test_a_made_up_cursor_is_refused(client, me, made_up):
    """Nor is anything taken that was signed for another use."""
    cursor = made_up()

    assert client.get(reverse("wallet-statement"), {"before": cursor}).status_code == 400


def test_the_file_holds_the_same_entries(client, me, monkeypatch):
    monkeypatch.setattr(acts, "READ", 4)
    monkeypatch.setattr(table, "CHUNK", 3)
    for units in range(1, 11):
        fund(me, deposit=units * 100)
    fund(make_player(), deposit=987_65)

    rows = rows_of(client.get(reverse("wallet-statement-file"), {"currency": "INR"}))

    assert [row["Amount"] for row in rows] == [f"{units}.00" for units in range(10, 0, -1)]
    assert rows[0]["Balance"] == "55.00"


def test_the_file_has_the_times_of_the_account_and_is_the_same_each_time(client, me):
    me.time_zone = "America/New_York"
    me.save()
    fund(me, deposit=5_00)
    at = Transfer.objects.get().created_at
    month = {"period": f"{Transfer.objects.get().booked_on:%Y-%m}"}

    first, again = (client.get(reverse("wallet-statement-file"), month) for _ in range(2))

    content = first.getvalue()
    assert content == again.getvalue()
    assert content.startswith(b"\xef\xbb\xbf")
    [row] = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    new_york = at.astimezone(ZoneInfo("America/New_York"))
    assert row["Date and time (America/New_York)"] == f"{new_york:%Y-%m-%d %H:%M}"
    assert first["Content-Disposition"].endswith(f'"statement-INR-{month["period"]}.csv"')


def test_the_file_runs_no_formula(client, me):
    mine = accounts.open_player_accounts(player=me, currency="INR")
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    posting.post(
        key="evil",
        kind=Transfer.Kind.ADJUSTMENT,
        entries=[(suspense, -1), (mine["deposit"], 1)],
        memo="\n=HYPERLINK(1)",
    )
    [row] = rows_of(client.get(reverse("wallet-statement-file")))

    assert not row["Description"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row["Amount"] == "0.01"


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("wallet", 302),
        ("wallet-statement", 302),
        ("wallet-statement-file", 302),
        ("wallet-statement-print", 302),
        ("api-wallet", 403),
        ("api-statement", 403),
    ],
)
def test_wallet_and_statement_need_a_player(client, name, status):
    assert client.get(reverse(name)).status_code == status


def test_a_page_takes_few_questions(client, me, django_assert_max_num_queries):
    for _ in range(30):
        fund(me, deposit=1_00)

    with django_assert_max_num_queries(12):
        client.get(reverse("wallet-statement"))


@pytest.mark.parametrize(
    ("kind", "has_an_index"),
    [("bonus", True), ("withdrawal", True), ("buy_in", False), ("prize", False)],
)
def test_a_rare_kind_is_read_without_the_others(kind, has_an_index):
    """From an index of its own; what most entries are of is found among the latest."""
    player = make_player()
    account = fund(player, deposit=5_00)["deposit"]

    rows = latest_keys(account.pk, Q(kind=kind), size=50)

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = rows.explain()
    assert ("wallet_entry_of_a_rare_kind" in plan) == has_an_index
    assert "wallet_transfer" not in plan
    assert not rows


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
