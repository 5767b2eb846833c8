"""XLSX files have numbers, dates and sum formulas."""

import io
import zipfile
from xml.etree import ElementTree

import pytest

from tests.builders.books.full_books import Desk
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)
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
