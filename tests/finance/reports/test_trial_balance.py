"""The trial balance: sums, pagination, and the record of exports."""

import csv
import hashlib
import io
import zipfile
from xml.etree import ElementTree

import pytest
from django.db import IntegrityError, ProgrammingError
from django.test import override_settings
from django.urls import reverse

from finance.reports.exports.models import Export
from finance.tokens.actions import create_token
from tests.builders.books.full_books import Desk, a_day_passes
from tests.builders.wallet.players import fund, make_player, make_stake
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def get(client):
    _, text = create_token(name="test", scopes=["trial-balance"], created_by=None)

    def get(**params):
        headers = {"Authorization": f"Bearer {text}"}
        return client.get(reverse("finance-trial-balance"), params, headers=headers)

    return get


def test_trial_balance_rows_of_every_account_kind(get):
    fund(make_player(), deposit=100_00)
    a_day_passes()
    make_stake()
    today = Transfer.objects.latest("pk").booked_on

    page = get(**{"from": today}).json()

    rows = {row.pop("account_kind"): row for row in page["results"]}
    names = ("opening_minor", "in_minor", "out_minor", "closing_minor", "entries")
    assert {kind: [row[name] for name in names] for kind, row in rows.items()} == {
        "deposit": [100_00, 100_00, 100_00, 100_00, 2],
        "escrow": [0, 100_00, 0, 100_00, 1],
        "gateway_clearing": [-100_00, 0, 100_00, -200_00, 1],
    }
    assert page["totals"]["INR"] == {
        "opening_minor": 0,
        "in_minor": 200_00,
        "out_minor": 200_00,
        "closing_minor": 0,
        "entries": 4,
    }
    now = {a.kind: a.balance_minor for a in Account.objects.filter(version__gt=0, player=None)}
    assert rows["escrow"]["closing_minor"] == now["escrow"]
    assert rows["gateway_clearing"]["closing_minor"] == now["gateway_clearing"]


def test_each_response_is_recorded_with_its_hash(get):
    fund(make_player(), deposit=100_00)

    sent = [get(tz="Asia/Kolkata").content]
    sent += [b"".join(get(format=name).streaming_content) for name in ("csv", "xlsx")]

    shown = Export.objects.order_by("pk").values_list("format", "rows", "sha256", "token__name")
    hashes = [hashlib.sha256(body).hexdigest() for body in sent]
    assert list(shown) == [
        (name, 2, sha256, "test")
        for name, sha256 in zip(("json", "csv", "xlsx"), hashes, strict=True)
    ]
    assert Export.objects.earliest("pk").filters == "tz=Asia/Kolkata"
    assert len(list(csv.reader(sent[1].decode().splitlines()))) == 8 + 1 + 2 + 1


def test_interrupted_response_is_recorded_as_unfinished(get):
    fund(make_player(), deposit=100_00)

    response = get(format="csv")
    response.close()

    export = Export.objects.get()
    assert (export.finished_at, export.rows, export.sha256) == (None, None, "")


def test_export_record_cannot_be_changed(get):
    get()
    for act in (
        lambda: Export.objects.update(sha256="0" * 64),
        lambda: Export.objects.update(report="journal"),
        lambda: Export.objects.all().delete(),
    ):
        with pytest.raises((IntegrityError, ProgrammingError)):
            act()


def test_too_many_requests_of_a_token_are_refused(get):
    with override_settings(FINANCE_RATE="2/min"):
        answers = [get() for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "throttled"


SPACE = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def test_a_sheet_has_numbers_dates_a_frozen_header_and_sums(client):
    fund(make_player(), deposit=12_34)
    desk = Desk(client)
    names = desk.page("journal")["results"][0].keys()
    columns = dict(zip(names, range(len(names)), strict=True))

    response = desk.ask("journal", format="xlsx")
    file = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    sheet = ElementTree.fromstring(file.read("xl/worksheets/sheet1.xml"))  # noqa: S314

    assert "spreadsheetml.sheet" in response["Content-Type"]
    for shown in (b"Journal", b"definition_version", b"gateway_clearing", b"control totals"):
        assert shown in file.read("xl/worksheets/sheet1.xml")
    rows = sheet.findall(".//m:row", SPACE)
    of_first = {cell.get("r").rstrip("0123456789"): cell for cell in rows[9]}
    letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for name in ("amount", "booked_on", "created_at"):
        cell = of_first[letter[columns[name]]]
        assert (cell.get("t"), cell.get("s") is not None) == (None, True), name
    place = letter[columns["amount"]]
    cells = sheet.findall(".//m:c", SPACE)
    amounts = {float(c[0].text) for c in cells if c.get("r") in (f"{place}10", f"{place}11")}
    assert amounts == {12.34, -12.34}
    pane = sheet.find(".//m:pane", SPACE)
    assert (pane.get("state"), pane.get("ySplit")) == ("frozen", "9")
    [formula] = [one.text for one in sheet.findall(".//m:f", SPACE)]
    code = letter[columns["currency"]]
    assert formula == f'SUMIF(${code}$10:${code}$11,"INR",${place}$10:${place}$11)'
