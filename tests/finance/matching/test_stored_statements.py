"""Bank statements: storage and matching with payouts and settlements."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.urls import reverse

from core.models import AuditEntry
from finance.matching.actions import explain_rows
from finance.matching.comparison import open_rows
from finance.matching.models import BankExplanation, BankLine, BankStatement
from players.exceptions import SharedInterest
from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.staff.people import a_person
from tests.builders.wallet.payout_desk import make_sent, step
from tests.builders.wallet.players import make_player
from wallet.ledger.days import site_day
from wallet.withdrawals import withdrawals

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


def test_bank_statement_is_stored_once(desk):
    body = statement_of(make_sent())

    first, second = desk.send_statement(body), desk.send_statement(body)

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() | {"warnings": []} == second.json()
    assert (BankStatement.objects.count(), BankLine.objects.count()) == (1, 3)


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


UNSTORABLE = [
    *("x,1.00,INR", "2026-11-01,1.005,INR", "2026-11-01,1.00,USD", "2026-11-01,1e30,INR"),
    *("9999-12-31,1.00,INR", "0001-01-01,1.00,INR", f"2026-11-01,1.00,INR,{'x' * 10_001}"),
]


def test_statement_with_an_unstorable_line_is_refused_with_its_place(desk):
    for row in UNSTORABLE:
        answer = desk.send_statement(f"date,amount,currency,text\n{row},words".encode())
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_file"), row[:80]
    answer = desk.send_statement(held("mt940-trunc.sta"))
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_file")
    [fault] = answer.json()["lines"]
    assert (fault["position"], fault["code"]) == ("statement 1", "balance_differs")
    assert fault["expected"] == "₹860.00"
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


def mt940(account, lines):
    day, total = f"{site_day():%y%m%d}", 1000_00 + sum(minor for minor, _ in lines)
    rows = "".join(
        f":61:{day}{'C' if minor > 0 else 'D'}{abs(minor) // 100},{abs(minor) % 100:02}NTRFNONREF\n"
        f":86:{text}\n"
        for minor, text in lines
    )
    return (
        f":20:A\n:25:{account}\n:28C:1/1\n:60F:C{day}INR1000,00\n{rows}"
        f":62F:C{day}INR{total // 100},{total % 100:02}\n-\n"
    ).encode()


def outcomes(desk, stored):
    rows = desk.page(REPORT, file=stored.json()["sha256"])["results"]
    return [(row["outcome"], row["theirs_minor"], row["withdrawal"]) for row in rows]


@pytest.mark.parametrize(
    "other", ["50200000010001", pytest.param("50200000000001", id="part of a day")]
)
def test_payout_in_another_statement_of_the_day_is_not_missing(desk, other):
    """Two accounts may end in the same digits, and a bank may send a day in two files."""
    here, there = make_sent(), make_sent()
    for sent, utr in ((here, "UTR1"), (there, "UTR2")):
        withdrawals.mark_paid(withdrawal_id=sent.pk, by=make_player(is_staff=True), remark=utr)

    one = desk.send_statement(mt940("50200000000001", [(-70_00, "NEFT UTR1")]))
    two = desk.send_statement(mt940(other, [(-70_00, "NEFT UTR2")]))

    assert outcomes(desk, one) == [("matched", -70_00, str(here.public_id))]
    assert outcomes(desk, two) == [("matched", -70_00, str(there.public_id))]


@pytest.fixture
def clerk(client):
    person = a_person("Finance")
    client.force_login(person)
    return person


def explain(client, page, rows, reason="Bank charges"):
    return client.post(page, {"row": rows, "reason": reason}, follow=True)


def test_explained_row_is_no_longer_open_and_keeps_its_outcome(client, clerk, desk):
    sent = make_sent()
    lines = [(-70_00, f"NEFT {sent.short_reference}"), (-11_80, "CHARGES"), (5_00, "INTEREST")]
    stored = desk.send_statement(mt940("50200000000001", lines))
    statement = BankStatement.objects.get()
    page = reverse("admin:finance_bankstatement_matching", args=[statement.pk])
    assert "2 open" in client.get(page).text

    one = explain(client, page, ["missing ours, line 2", f"matched, line 1, {sent.public_id}"])
    assert "1 row explained" in one.text
    both = explain(client, page, ["credit, line 3", "missing ours, line 2"], "Interest")

    assert "nothing open" in both.text
    assert open_rows(site_day(), site_day()) == [(statement, 0)]
    rows = desk.page(REPORT, file=stored.json()["sha256"])["results"]
    assert [(row["outcome"], row["explanation"]) for row in rows] == [
        ("matched", None),
        ("missing ours", f"Bank charges ({clerk})"),
        ("credit", f"Interest ({clerk})"),
    ]
    acts = AuditEntry.objects.filter(act="explain").values_list("by", "row", "reason")
    assert sorted(acts) == [
        (clerk.pk, str(statement.pk), "Bank charges"),
        (clerk.pk, str(statement.pk), "Interest"),
    ]
    with pytest.raises(DatabaseError):
        BankExplanation.objects.update(reason="Another")


def test_explanation_is_about_one_outcome_of_a_row(client, clerk, desk):
    sent = make_sent()
    body = mt940("50200000000001", [(-70_00, f"NEFT {sent.short_reference}")])
    step("mark_failed", sent)
    desk.send_statement(body)
    statement = BankStatement.objects.get()
    page = reverse("admin:finance_bankstatement_matching", args=[statement.pk])
    explain(client, page, [f"noted as refused, line 1, {sent.public_id}"], "Asked the bank")
    assert "nothing open" in client.get(page).text

    # The same payout again, before it: this line is then the second of the two.
    earlier = f"date,text,amount\n{site_day() - timedelta(days=1)},{sent.short_reference},-70.00"
    desk.send_statement(earlier.encode())

    assert "1 open" in client.get(page).text


@pytest.mark.usefixtures("clerk")
def test_explanation_without_a_reason_or_an_open_row_is_refused(client, desk):
    desk.send_statement(mt940("50200000000001", [(-11_80, "CHARGES")]))
    page = reverse("admin:finance_bankstatement_matching", args=[BankStatement.objects.get().pk])

    for rows, reason, message in (
        (["missing ours, line 1"], " ", "reason_missing"),
        (["missing ours, line 1"], "a\u202eb", "bad_text"),
        (["missing ours, line 2"], "Charges", "nothing_to_explain"),
        ([], "Charges", "nothing_to_explain"),
    ):
        assert message in explain(client, page, rows, reason).text
    assert not BankExplanation.objects.exists()


def test_staff_cannot_explain_their_own_payout_and_other_roles_none(client, desk):
    own = make_sent()
    desk.send_statement(mt940("50200000000001", [(-60_00, f"NEFT {own.short_reference}")]))
    statement, row = BankStatement.objects.get(), f"amount differs, line 1, {own.public_id}"

    with pytest.raises(SharedInterest):
        explain_rows(statement_id=statement.pk, keys={row}, reason="Because", by=own.player)
    client.force_login(a_person("Support"))
    page = reverse("admin:finance_bankstatement_matching", args=[statement.pk])
    assert explain(client, page, [row]).status_code == 403
    assert not BankExplanation.objects.exists()
