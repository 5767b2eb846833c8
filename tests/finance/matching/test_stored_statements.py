"""Bank statements: storage and matching with payouts and settlements."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.urls import reverse

from finance.matching.models import BankLine, BankStatement
from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.staff.people import a_person
from tests.builders.wallet.payout_desk import make_sent
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day

pytestmark = pytest.mark.django_db(transaction=True)
REPORT = "bank-reconciliation"
FILES = Path(__file__).parent / "files"
MT940 = """:20:STMT
:25:HDFC/001234567890
:28C:1/1
:60F:C{day}INR1000,00
:61:{day}C97,64NTRFNEFT//UTRSETL1
:86:NEFT CR UTRSETL1 GATEWAY
:61:{day}D70,00NTRF{reference}//UTR99
:86:NEFT payout {reference}
:61:{day}D11,80NCHGCHARGES
:86:Charges of the bank
:62F:C{day}INR1015,84
-
"""


def statement_of(sent):
    return MT940.format(day=f"{site_day():%y%m%d}", reference=sent.short_reference).encode()


def settle(*references):
    lines = [
        settled_line(f"pay_{name}", 100_00, fee=2_00, tax=36, settlement=name)
        for name in references
    ]
    return ask_for(settlement_file(*lines), by=make_player(is_staff=True))


def test_stored_statement_matches_payouts_and_settlements(desk):
    sent = make_sent()
    settle("setl1", "setl2")

    stored = desk.send_statement(statement_of(sent)).json()
    page = desk.page(REPORT, file=stored["sha256"])

    shown = [
        (
            row["outcome"],
            row["theirs_minor"],
            row["ours_minor"],
            row["withdrawal"],
            row["settlement"],
        )
        for row in page["results"]
    ]
    assert shown == [
        ("matched", 97_64, 97_64, None, "setl1"),
        ("matched", -70_00, -70_00, str(sent.public_id), None),
        ("missing ours", -11_80, None, None, None),
        ("missing theirs", None, 97_64, None, "setl2"),
    ]
    totals = page["totals"]["INR"]
    assert (totals["matched"], totals["missing_ours"], totals["missing_theirs"]) == (2, 1, 1)
    assert (totals["theirs_minor"], totals["ours_minor"]) == (15_84, 125_28)
    assert (stored["line_count"], stored["statements"][0]["closing_minor"]) == (3, 1015_84)


def test_bank_statement_is_stored_once_and_append_only(desk):
    body = statement_of(make_sent())

    first, second = desk.send_statement(body), desk.send_statement(body)

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() | {"warnings": []} == second.json()
    assert (BankStatement.objects.count(), BankLine.objects.count()) == (1, 3)
    with pytest.raises(DatabaseError):
        BankLine.objects.update(amount_minor=1)
    with pytest.raises(DatabaseError):
        BankStatement.objects.all().delete()


def held(name):
    return (FILES / name).read_bytes()


def test_each_account_of_a_file_is_a_statement_of_its_own(desk):
    stored = desk.send_statement(held("camt-two-accounts.xml")).json()

    accounts = [
        (one["account"], one["opening_minor"], one["closing_minor"]) for one in stored["statements"]
    ]
    assert accounts == [("••••0001", 1000_00, 930_00), ("••••0999", 55_00, 60_00)]
    rows = desk.page(REPORT, file=stored["sha256"])["results"]
    assert [(row["account"], row["theirs_minor"]) for row in rows] == [
        ("••••0001", -70_00),
        ("••••0999", 5_00),
    ]
    listed = desk.client.get(reverse("finance-bank-statements"), headers=desk.headers).json()
    assert [one["sha256"] for one in listed["results"]] == [stored["sha256"]]


def test_balance_that_does_not_continue_another_file_is_a_warning(desk):
    desk.send_statement(held("camt-empty-day.xml"))
    later = held("camt-empty-day.xml").replace(b"2026-05-04", b"2026-05-06")
    goes_on, breaks = later, later.replace(b"1000.00", b"900.00")

    [warning] = desk.send_statement(breaks).json()["warnings"]

    assert "₹1,000.00" in warning
    assert "₹900.00" in warning
    days = BankStatement.objects.values_list("first_day", "line_count")
    assert sorted((f"{day:%d}", count) for day, count in days) == [("04", 0), ("06", 0)]
    assert "same days" in desk.send_statement(goes_on).json()["warnings"][0]


def test_refusal_over_rest_names_the_place_and_nothing_is_stored(desk):
    answer = desk.send_statement(held("mt940-trunc.sta"))

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_file")
    [fault] = answer.json()["lines"]
    assert (fault["position"], fault["code"]) == ("statement 1", "balance_differs")
    assert fault["expected"] == "₹860.00"
    assert not BankStatement.objects.exists()


def test_settlement_matches_one_line_of_its_amount(desk):
    settle("setl1")
    day = site_day()
    rows = ["date,text,amount", f"{day},UTRSETL1,97.63", f"{day},UTRSETL1,97.64"]

    stored = desk.send_statement("\n".join(rows).encode()).json()

    page = desk.page(REPORT, file=stored["sha256"])
    assert [row["outcome"] for row in page["results"]] == ["amount differs", "credit"]


@pytest.mark.parametrize(
    "row",
    [
        *("x,1.00,INR", "2026-11-01,1.005,INR", "2026-11-01,1.00,USD", "2026-11-01,1e30,INR"),
        *("9999-12-31,1.00,INR", "0001-01-01,1.00,INR"),
        pytest.param(f"2026-11-01,1.00,INR,{'x' * 10_001}", id="a text without end"),
    ],
)
def test_bank_statement_with_an_unstorable_line_is_refused(desk, row):
    answer = desk.send_statement(f"date,amount,currency,text\n{row},words".encode())

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_file")
    assert not BankStatement.objects.exists()


def test_bank_statement_page_shows_unmatched_lines_first(client):
    sent, person = make_sent(), a_person("Finance")
    client.force_login(person)

    answer = client.post(
        reverse("admin:finance_bankstatement_add"),
        {"file": SimpleUploadedFile("statement.sta", statement_of(sent))},
        follow=True,
    )

    page = answer.text
    assert "2 not matched" in page
    assert page.index("missing ours") < page.index(str(sent.public_id))
    assert BankStatement.objects.get().staff == person
    wrong = {"file": SimpleUploadedFile("w.csv", b"date,text,amount\n1.1.2026,x,1")}
    refused = client.post(reverse("admin:finance_bankstatement_add"), wrong)
    assert "Line 2" in refused.text
