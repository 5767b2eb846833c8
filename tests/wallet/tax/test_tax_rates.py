"""Tax rates by date: initial rows from the law, appended by staff, never rewritten."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from tests.builders.wallet.cashier_desk import make_deposit, tell
from wallet.gateways.sandbox_page import Sent
from wallet.tax.models import TaxRate
from wallet.tax.rates import rate_on

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


@pytest.mark.parametrize(
    ("tax", "day", "bps"),
    [
        ("gst", date(2023, 9, 30), None),
        ("gst", date(2023, 10, 1), 2_800),
        ("gst", date(2025, 9, 21), 2_800),
        ("gst", date(2025, 9, 22), 4_000),
        ("tds", date(2023, 3, 31), None),
        ("tds", date(2023, 4, 1), 3_000),
        ("tds", date(2030, 1, 1), 3_000),
    ],
)
def test_rates_follow_the_law_by_date(tax, day, bps):
    rate = rate_on(tax, "INR", day)

    assert (rate and rate.bps) == bps
    assert rate_on(tax, "EUR", day) is None


def test_latest_rate_of_a_day_corrects_the_earlier():
    day = timezone.localdate() + timedelta(days=3)
    for bps in (500, 1_800):
        TaxRate.objects.create(
            tax="gst", starts_on=day, bps=bps, treatment="inclusive", law="x", added_by="t"
        )

    assert rate_on("gst", "INR", day).bps == 1_800
    assert rate_on("gst", "INR", day - timedelta(days=1)).bps == 4_000


@pytest.mark.parametrize("days", [0, -1, -1000])
def test_no_rate_begins_before_tomorrow(owner, days):
    row = TaxRate(
        tax="gst",
        starts_on=timezone.localdate() + timedelta(days=days),
        bps=1,
        treatment="inclusive",
        law="x",
        added_by="t",
    )

    with pytest.raises(IntegrityError, match="tomorrow"), transaction.atomic():
        row.save()
    with owner(), pytest.raises(IntegrityError, match="tomorrow"), transaction.atomic():
        row.save()


@pytest.mark.parametrize(
    "wrong",
    [
        {"bps": 0},
        {"bps": -1},
        {"bps": 10_000},
        {"treatment": "none"},
        {"treatment": "withheld"},
        {"tax": "tds"},
        {"law": ""},
    ],
)
def test_invalid_rates_are_refused_by_the_database(wrong):
    fields = {
        "tax": "gst",
        "starts_on": timezone.localdate() + timedelta(days=9),
        "bps": 1_800,
        "treatment": "inclusive",
        "law": "x",
        "added_by": "t",
    }

    with pytest.raises(IntegrityError), transaction.atomic():
        TaxRate.objects.create(**fields | wrong)


@pytest.mark.parametrize(("table", "column"), [("taxrate", "bps"), ("gstcharge", "tax_minor")])
def test_owner_of_the_schema_does_not_rewrite_taxes(owner, table, column):
    tell(make_deposit(), Sent())

    with owner(), pytest.raises(IntegrityError, match="kept"), transaction.atomic():
        connection.cursor().execute(f"UPDATE wallet_{table} SET {column} = 1")
