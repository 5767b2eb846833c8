"""A month of sample data, closed by the documentation's example script over a live server.

The journal and the balances are compared with separate SQL sums; the script
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
