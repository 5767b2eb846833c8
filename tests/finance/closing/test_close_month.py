"""A month of sample data, closed by the documentation's example script over a live server.

The journal, the balances and the tax registers are compared with separate SQL sums; the script
checks the others (`test_reports.py` compares all of them with the journal).
"""

import csv
import json
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection

from core.db.binaries import CHECKOUT
from devtools.sample_data.generation import generate_sample_data
from finance.reports.catalogue import SCOPES
from finance.reports.frame.models import DailyClose
from tests.builders.books.tokens import valid_token
from tests.builders.processes.live_server import running
from tests.builders.staff.people import lay_roles
from wallet.ledger.days import site_day

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.extended,
    pytest.mark.process,
    pytest.mark.timeout(900),
]
SCRIPT = CHECKOUT / "docs" / "examples" / "close_month.py"
# Days of sample data: a few, and a month.
SPANS = [
    pytest.param(5, marks=pytest.mark.soak),
    pytest.param(30, marks=[pytest.mark.soak, pytest.mark.timeout(7_200)]),
]
MOVED = """
    SELECT e.currency, a.kind, sum(e.amount_minor) FILTER (WHERE t.booked_on >= %(first)s),
        sum(e.amount_minor)
    FROM wallet_entry e JOIN wallet_transfer t ON t.id = e.transfer_id
        JOIN wallet_account a ON a.id = e.account_id
    WHERE t.booked_on <= %(last)s GROUP BY 1, 2
"""
SUPPLIES = """
    SELECT c.place, c.bps::text, count(*), sum(c.credited_minor), sum(c.tax_minor),
        sum(c.tax_minor) FILTER (WHERE c.place = 'IN-KA'), min(i.number), max(i.number)
    FROM wallet_gstcharge c JOIN wallet_transfer t ON t.id = c.transfer_id
        JOIN wallet_invoice i ON i.charge_id = c.id
    WHERE t.booked_on BETWEEN %(first)s AND %(last)s GROUP BY 1, 2
"""
WITHHELD = """
    SELECT count(*) FILTER (WHERE w.tax_minor > 0), coalesce(sum(w.tax_minor), 0),
        coalesce(sum(w.tax_minor) FILTER (WHERE back.booked_on BETWEEN %(first)s AND %(last)s), 0),
        count(DISTINCT w.player_id) FILTER (WHERE w.tax_minor > 0)
    FROM wallet_withholding w LEFT JOIN wallet_transfer back ON back.reverses_id = w.transfer_id
    WHERE w.deducted_on BETWEEN %(first)s AND %(last)s
"""


@pytest.fixture(params=SPANS)
def month(request, calendar, test_database, tmp_path):
    """Generate sample data for the last days of the previous month, and close it by the script."""
    lay_roles()
    last = site_day().replace(day=1) - timedelta(days=1)
    generated = generate_sample_data(
        days=request.param,
        seed="a month",
        password="x" * 12,
        progress=lambda line: None,
        ends_on=last,
    )
    sys.stdout.write(f"{generated}\n")
    token = valid_token(*SCOPES, name="Month")
    environment = test_database | {"FINANCE_RATE": "100000/min"}
    with running("web", environment, tmp_path / "web.log") as (port, _process):

        def close(*options, token=token, month=f"{last:%Y-%m}", folder="month"):
            command = [sys.executable, SCRIPT, f"http://127.0.0.1:{port}", token, month]
            return subprocess.run(
                [*command, "--out", tmp_path / folder, *options],
                capture_output=True,
                text=True,
                check=False,
            )

        close.days = {"first": last.replace(day=1), "last": last}
        yield close


def ask(sql, days):
    with connection.cursor() as cursor:
        cursor.execute(sql, days)
        return cursor.fetchall()


def rows_of(folder, name):
    lines = (folder / f"{name}.csv").read_text().splitlines(keepends=True)
    return list(csv.DictReader(line for line in lines if not line.startswith("# ")))


def test_month_closed_by_the_example_script_equals_sql_sums(month, tmp_path):
    today = site_day()

    done = month("--close")

    assert done.returncode == 0, done.stdout + done.stderr
    assert DailyClose.objects.first().day == today - timedelta(days=1)
    folder = tmp_path / "month"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert all(check["ok"] for check in manifest["checks"])
    assert len(manifest["checks"]) > 20
    assert len(manifest["files"]) == 18 * 2 + 4
    assert_books(folder, month.days)
    assert_taxes(folder, month.days)
    assert any(check["name"].startswith("statement-") for check in manifest["checks"])

    refused = month(folder="refused", token="none")
    early = month(folder="early", month=f"{today:%Y-%m}")

    assert (refused.returncode, early.returncode) == (2, 1)
    assert "401" in refused.stderr
    assert "every day is closed" in early.stdout


def assert_books(folder, days):
    """Check journal, trial balance, rake and liability."""
    found = {(currency, kind): sums for currency, kind, *sums in ask(MOVED, days)}
    journal = Counter()
    for row in rows_of(folder, "journal"):
        journal[row["currency"], row["account_kind"]] += int(row["amount_minor"])
    moved = {key: moved for key, (moved, _) in found.items() if moved}
    assert {key: minor for key, minor in journal.items() if minor} == moved
    closing = {
        (row["currency"], row["account_kind"]): int(row["closing_minor"])
        for row in rows_of(folder, "trial-balance")
    }
    assert closing == {key: closing for key, (_, closing) in found.items()}
    for row in rows_of(folder, "player-liability"):
        assert int(row["balance_minor"]) == closing[row["currency"], row["account_kind"]]
    rake = Counter()
    for row in rows_of(folder, "rake"):
        rake[row["currency"]] += int(row["rake_minor"])
    assert rake["INR"] == moved["INR", "rake"] > 0


def assert_taxes(folder, days):
    """Check GST by place, rate and number, and TDS by deduction, quarter and certificate."""
    supplies = ask(SUPPLIES, days)
    documents = sum(row[2] for row in supplies)
    invoices = rows_of(folder, "gst-invoices")
    assert len(invoices) == len({row["invoice_number"] for row in invoices}) == documents > 20
    by_place = sorted((row[2], row[3], row[4]) for row in supplies)
    assert len(by_place) > 1
    outward = rows_of(folder, "gst-outward-supplies")
    taxes = ("igst_minor", "cgst_minor", "sgst_minor")
    shown = sorted(
        (
            int(row["documents"]),
            int(row["taxable_value_minor"]),
            sum(int(row[name]) for name in taxes),
        )
        for row in outward
    )
    assert shown == by_place
    at_home = sum(row[5] or 0 for row in supplies)
    assert sum(int(r["cgst_minor"]) + int(r["sgst_minor"]) for r in outward) == at_home > 0
    [hsn] = rows_of(folder, "gst-hsn-summary")
    assert int(hsn["taxable_value_minor"]) == sum(row[3] for row in supplies)
    [series] = rows_of(folder, "gst-documents")
    first, last = min(row[6] for row in supplies), max(row[7] for row in supplies)
    numbers = (series["from_number"], series["to_number"])
    assert [int(one.split("/")[1]) for one in numbers] == [first, last]
    assert int(series["total"]) == documents == last - first + 1

    [(deductions, tax, back, players)] = ask(WITHHELD, days)
    rows = [row for row in rows_of(folder, "tds-deductions") if int(row["tax_minor"]) > 0]
    assert len(rows) == deductions
    for name in ("tds-quarters", "tds-certificates"):
        totals = rows_of(folder, name)
        assert sum(int(row["tax_minor"]) for row in totals) == tax
        assert sum(int(row["returned_minor"]) for row in totals) == back
    assert len(rows_of(folder, "tds-certificates")) == players
