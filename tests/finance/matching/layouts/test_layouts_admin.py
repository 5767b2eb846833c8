"""Staff declare the layout of their bank's CSV, see its first lines, and upload files with it."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.models import AuditEntry
from finance.matching.layouts.models import CsvLayout
from finance.matching.models import BankStatement
from tests.builders.staff.people import a_person

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "admin:finance_csvlayout_add"
SAMPLE = b"""Bank of Somewhere;;;
Account No;50100000000077;;
Tag;Zweck;Soll;Haben;Saldo
04.05.2026;MIETE REF12345678;1.500,00;;8.500,00
05.05.2026;GUTSCHRIFT;;12,50;8.512,50
;SUMME;1.500,00;12,50;
"""
DECLARED = {
    "title": "Somewhere",
    "delimiter": ";",
    "encoding": "",
    "account": "Account No",
    "date": "Tag",
    "date_format": "DD.MM.YYYY",
    "text": "Zweck",
    "figures": ",.",
    "debit": "Soll",
    "credit": "Haben",
    "balance": "Saldo",
    "footer": "SUMME",
}


def sample(body=SAMPLE):
    return SimpleUploadedFile("sample.csv", body)


@pytest.fixture
def finance(client):
    client.force_login(a_person("Finance"))
    return client


def test_layout_is_previewed_then_saved_and_recorded(finance):
    preview = finance.post(
        reverse(ADD), DECLARED | {"sample": sample(), "preview_sample": "1"}
    ).content.decode()

    assert not CsvLayout.objects.exists()
    assert "2 lines are read." in preview
    assert 'name="preview_sample"' in preview
    assert "Account ••••0077." in preview
    assert "The balances prove them: ₹10,000.00 to ₹8,512.50." in preview
    for shown in ("line 4", "4 May 2026", "-₹1,500.00", "MIETE REF12345678", "₹12.50"):
        assert shown in preview, shown

    kept = base64.b64encode(SAMPLE).decode()
    assert kept in preview  # The next preview needs no second choice of the file.
    again = finance.post(
        reverse(ADD), DECLARED | {"kept": kept, "preview_sample": "1"}
    ).content.decode()
    assert "2 lines are read." in again

    assert finance.post(reverse(ADD), DECLARED | {"kept": kept}).status_code == 302
    layout = CsvLayout.objects.get()
    entry = AuditEntry.objects.get(kind="finance.csvlayout")
    assert (entry.act, entry.row) == ("add", str(layout.pk))
    assert "Saldo" in entry.after


UNFIT = [
    ({"figures": ".,"}, "Line 4: column Soll: &#x27;1.500,00&#x27; is not an amount"),
    ({"date_format": "MM/DD/YYYY"}, "column Tag: &#x27;04.05.2026&#x27; is not a day"),
    ({"footer": ""}, "Line 6: columns Soll and Haben both have an amount"),
    ({"delimiter": ","}, "no row has these headings, once each"),
    ({"debit": "", "credit": "", "amount": "Soll", "side": "Haben"}, "signs of both sides"),
    ({"debit": ""}, "a credit column needs a debit column|a debit column needs"),
]
UNREADABLE = [
    ({}, "Choose a file to preview."),
    ({"sample": (256 * 1024 + 1) * b"x"}, "Choose a file of at most 256 KB."),
    ({"kept": "%"}, "Choose a file to preview."),
]


def test_layout_that_does_not_read_its_sample_is_refused(finance):
    for change, error in UNFIT:
        for button in ({}, {"preview_sample": "1"}):
            page = finance.post(reverse(ADD), DECLARED | change | {"sample": sample()} | button)
            assert page.status_code == 200
            assert any(one in page.text for one in error.split("|")), change
    for sent, error in UNREADABLE:
        files = {name: sample(body) for name, body in sent.items() if name == "sample"}
        page = finance.post(reverse(ADD), DECLARED | {"preview_sample": "1"} | sent | files)
        assert error in page.text, error
    assert not CsvLayout.objects.exists()


def own_layout():
    parted = {name: value for name, value in DECLARED.items() if name != "encoding"}
    return CsvLayout.objects.create(**parted)


def test_upload_recognizes_an_own_layout_or_reads_with_the_chosen_one(finance):
    page = reverse("admin:finance_bankstatement_add")
    refused = finance.post(page, {"file": sample()}).text
    own_layout()
    wrong = finance.post(page, {"file": sample(), "layout": "hdfc"}).text
    assert "the columns must be date, text, and amount or debit and credit" in refused
    assert "no row has these headings" in wrong
    assert "Withdrawal Amt. | Debit Amount" in wrong

    for layout in ({}, {"layout": f"own-{CsvLayout.objects.get().pk}"}):
        assert finance.post(page, {"file": sample()} | layout).status_code == 302

    statement = BankStatement.objects.get()
    assert (statement.format, statement.account) == ("Somewhere", "••••0077")
    assert (statement.opening_minor, statement.closing_minor) == (10000_00, 8512_50)


def test_files_that_two_layouts_read_differently_need_a_choice(finance):
    own = {"amount": "amount", "text": "text", "date": "date"}
    for title, notation in (("Europe", "DD/MM/YYYY"), ("America", "MM/DD/YYYY")):
        CsvLayout.objects.create(title=title, date_format=notation, **own)
    page = reverse("admin:finance_bankstatement_add")

    def upload(day):
        body = f"date,text,amount\n{day},A,5.00\n".encode()
        return finance.post(page, {"file": sample(body)})

    assert "choose one of America, Europe" in upload("04/05/2026").content.decode()
    assert upload("13/05/2026").status_code == 302  # No month 13: only one of them can read it.
    assert BankStatement.objects.get().format == "Europe"


def test_api_reads_with_a_named_layout(desk):
    own_layout()
    name = f"own-{CsvLayout.objects.get().pk}"

    answers = [desk.send_statement(SAMPLE, layout=layout) for layout in ("nowhere", "hdfc", name)]

    assert [one.status_code for one in answers] == [400, 400, 201], answers[-1].json()
    assert "there is no layout" in answers[0].json()["detail"]
    assert answers[1].json()["lines"][0]["code"] == "unknown_columns"
