"""The GST registers as CSV for the Returns Offline Tool of GSTN: headings and rows, nothing else.

Each format is one section of GSTR-1, with the headings of the tool's own template. Codes such as
"29-Karnataka" and days such as "01-Apr-2026" are written as in that template.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from finance.exceptions import BadPeriod, RupeesOnly
from finance.reports.frame.formats import Counted
from finance.reports.frame.report import Question, Row
from finance.taxes.gst import LARGE, SMALL, supplies
from finance.taxes.gst_tables import by_goods_code, documents

RUPEES: Final = "INR"
SUPPLY: Final = {
    "Place Of Supply": "place_of_supply",
    "Applicable % of Tax Rate": "applicable_percent",
    "Rate": "rate",
    "Taxable Value": "taxable_value",
    "Cess Amount": "cess",
    "E-Commerce GSTIN": "ecommerce_gstin",
}


@dataclass(frozen=True)
class Section:
    """A section of the return: the report it is made from, and its headings with their columns."""

    report: str
    rows: Callable[[Question], list[Row]]
    headings: Mapping[str, str]
    # The table of the return, if the report has several.
    table: str = ""

    def parts(self, question: Question, count: Counted) -> Iterator[bytes]:
        """Yield the file; raise `BadPeriod` or `RupeesOnly` before its first part."""
        period = question.period
        if period.first is None or period.first.replace(day=1) != period.last.replace(day=1):
            raise BadPeriod("a return is about one month: request days of one month")
        found = [row for row in self.rows(question) if row.get("table", "") == self.table]
        if any(row.get("currency", RUPEES) != RUPEES for row in found):
            raise RupeesOnly("the return is in rupees: request CSV for other currencies")
        count.rows = len(found)
        return iter([self._file(found)])

    def _file(self, found: list[Row]) -> bytes:
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        writer.writerow(self.headings)
        writer.writerows([_cell(row[name]) for name in self.headings.values()] for row in found)
        return buffer.getvalue().encode()


def _cell(value: Any) -> Any:
    return f"{value:%d-%b-%Y}" if hasattr(value, "strftime") else value


SECTIONS: Final = {
    "gstr1-b2cs": Section("gst-outward-supplies", supplies, {"Type": "type"} | SUPPLY, table=SMALL),
    "gstr1-b2cl": Section(
        "gst-outward-supplies",
        supplies,
        {
            "Invoice Number": "invoice_number",
            "Invoice date": "invoice_date",
            "Invoice Value": "invoice_value",
        }
        | SUPPLY,
        table=LARGE,
    ),
    "gstr1-hsn": Section(
        "gst-hsn-summary",
        by_goods_code,
        {
            "HSN": "hsn",
            "Description": "description",
            "UQC": "unit",
            "Total Quantity": "quantity",
            "Total Value": "total_value",
            "Rate": "rate",
            "Taxable Value": "taxable_value",
            "Integrated Tax Amount": "igst",
            "Central Tax Amount": "cgst",
            "State/UT Tax Amount": "sgst",
            "Cess Amount": "cess",
        },
    ),
    "gstr1-docs": Section(
        "gst-documents",
        documents,
        {
            "Nature of Document": "nature",
            "Sr. No. From": "from_number",
            "Sr. No. To": "to_number",
            "Total Number": "total",
            "Cancelled": "cancelled",
        },
    ),
}
