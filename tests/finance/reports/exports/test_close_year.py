"""The command close_year: files, hashes, totals and errors."""

import hashlib
import json
import resource
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from finance.closing import actions as closing
from finance.reports.catalogue import REPORTS
from finance.reports.exports.year import write_year
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.tax_office import let_years_pass, make_winner, unguarded, withdraw
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year, last_day

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]
ON_ONE_DAY = """
    INSERT INTO wallet_bookedday (day, ended_at, boundary, closed_at)
        VALUES (%(day)s, now(), 0, now());
    UPDATE wallet_transfer SET booked_on = %(day)s;
    UPDATE wallet_entry SET booked_on = %(day)s;
    UPDATE wallet_gstcharge SET charged_on = %(day)s;
    UPDATE wallet_withholding SET deducted_on = %(day)s;
"""


@pytest.fixture
def year():
    """Return a past year with a deposit and a withdrawal."""
    tell(make_deposit(), Sent())
    withdraw(make_winner(winnings=500), 400)
    let_years_pass()
    return financial_year(site_day()) - 1


def close(day):
    """Close a day as if everything had been booked on it."""
    adopted = ["wallet_bookedday", "wallet_gstcharge", "wallet_withholding"]
    with unguarded(adopts=adopted) as cursor:
        cursor.execute(ON_ONE_DAY.replace("%(day)s", f"'{day}'"))
    return closing.close_day(day=day)


def test_close_year_writes_all_files_with_valid_hashes(year, tmp_path):
    last = close(last_day(year))
    errors = StringIO()

    call_command("close_year", year, out=tmp_path / "year", stdout=StringIO(), stderr=errors)

    manifest = json.loads((tmp_path / "year" / "manifest.json").read_text())
    names = {path.name for path in (tmp_path / "year").iterdir()} - {"manifest.json"}
    assert {file["name"] for file in manifest["files"]} == names
    assert {file["report"] for file in manifest["files"]} == {
        report.name for report in REPORTS if not report.wants_file
    }
    # Other users of the machine must not read names, bank accounts and tax numbers.
    assert (tmp_path / "year").stat().st_mode & 0o077 == 0
    for file in manifest["files"]:
        body = (tmp_path / "year" / file["name"]).read_bytes()
        assert (hashlib.sha256(body).hexdigest(), len(body)) == (file["sha256"], file["bytes"])
    totals = manifest["control_totals"]
    assert totals["gst-invoices"]["INR"] == {
        "documents": 1,
        "taxable_value_minor": 100_00,
        "tax_minor": 40_00,
    }
    assert totals["tds-quarters"]["INR"]["tax_minor"] == 120_00
    assert totals["journal"]["INR"]["in_minor"] == totals["trial-balance"]["INR"]["in_minor"] > 0
    assert manifest["control_hash"] == last.control_hash
    assert "players with INR are not settled" in errors.getvalue()
    with pytest.raises(CommandError, match="not empty"):
        call_command("close_year", year, out=tmp_path / "year")


@pytest.mark.extended
def test_close_year_writes_no_sheet_of_a_report_with_too_many_rows(year, tmp_path, monkeypatch):
    close(last_day(year))
    monkeypatch.setattr("finance.reports.exports.year.SHEET_ROWS_MAX", 1)

    list(write_year(year=year, folder=tmp_path / "year"))

    files = json.loads((tmp_path / "year" / "manifest.json").read_text())["files"]
    kinds = {}
    for file in files:
        kinds.setdefault(file["report"], set()).add(file["format"])
    short = {file["report"] for file in files if file["format"] == "csv" and file["rows"] <= 1}
    assert "journal" not in short
    assert {report for report, written in kinds.items() if "xlsx" in written} == short


def test_a_year_whose_last_day_is_not_closed_is_refused(year, tmp_path):
    with pytest.raises(CommandError, match="year_not_closed"):
        call_command("close_year", year, out=tmp_path / "year")

    assert not (tmp_path / "year").exists()


def test_close_year_refuses_an_invalid_year(tmp_path):
    for year in ("0", "9999", "-1"):
        with pytest.raises(CommandError, match="a year from 2000 to 2999"):
            call_command("close_year", year, out=tmp_path / "year")
    assert not (tmp_path / "year").exists()


def test_close_year_on_a_full_disk_leaves_no_manifest(year, tmp_path):
    close(last_day(year))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        with pytest.raises(CommandError, match="is incomplete"):
            call_command("close_year", year, out=tmp_path / "year", stdout=StringIO())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert not (tmp_path / "year" / "manifest.json").exists()


def test_two_runs_at_once_do_not_write_into_one_folder(year, tmp_path):
    close(last_day(year))
    first = write_year(year=year, folder=tmp_path / "year")
    next(first)

    with pytest.raises(FileExistsError):
        list(write_year(year=year, folder=tmp_path / "year"))

    assert not (tmp_path / "year" / "manifest.json").exists()
    list(first)
    assert (tmp_path / "year" / "manifest.json").exists()
