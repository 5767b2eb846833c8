"""Tax rates by date: initial rows from the law, appended by superusers, never rewritten."""

from contextlib import nullcontext
from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import let_years_pass, make_winner, send, withdraw
from wallet.gateways.sandbox_page import Sent
from wallet.tax.arithmetic import Rate
from wallet.tax.models import GstCharge, TaxRate, Withholding
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


@pytest.fixture
def clerk(client):
    clerk = make_player(is_staff=True, is_superuser=True)
    client.force_login(clerk)
    return clerk


def rate(**overrides):
    day = timezone.localdate() + timedelta(days=1)
    fields = {
        "tax": "gst",
        "currency": "INR",
        "payee": "resident",
        "starts_on": day.isoformat(),
        "bps": "18",
    }
    return fields | {"treatment": "inclusive", "law": "A new law"} | overrides


@pytest.mark.extended
@pytest.mark.soak
def test_staff_see_what_was_withheld_and_charged_by_month(client, clerk):
    player = make_winner(winnings=1000)
    make_winner(deposit=1)  # Nobody settles last year for this one, nor for who lost the thousand.
    let_years_pass()
    withdraw(make_winner(winnings=50), 50)
    sent = send(withdraw(player, 100))
    tell(make_deposit(), Sent())

    for row in (Withholding.objects.first(), GstCharge.objects.get(), sent):
        page = reverse(f"admin:wallet_{row._meta.model_name}_change", args=[row.pk])
        assert client.get(page).status_code == 200
    withheld = client.get(reverse("admin:wallet_withholding_changelist")).content.decode()
    charged = client.get(reverse("admin:wallet_gstcharge_changelist")).content.decode()
    assert "₹15.00" in withheld
    assert "2 players are not settled" in withheld
    assert "₹40.00" in charged


TODAY = timezone.localdate().isoformat()
CORRECT = {"tax": "gst", "bps": 1_800, "treatment": "inclusive", "law": "x", "added_by": "t"}
PAIRS = {"tax": "tds", "payee": "non_resident", "bps": 3_000, "treatment": "withheld"}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        *(({"days": days}, "tomorrow") for days in (0, -1, -1000)),
        *(({"bps": bps}, "") for bps in (0, -1, 10_000)),
        *(({"treatment": treatment}, "") for treatment in ("none", "withheld")),
        ({"tax": "tds"}, ""),
        ({"law": ""}, ""),
        *(
            (PAIRS | {"surcharges": pairs}, "surcharges")
            for pairs in ([[10, 100], [10, 200]], [[10, 0]], [[10]], [[0, 100]])
        ),
    ],
)
def test_invalid_rate_is_refused_by_the_database(owner, wrong, match):
    days = wrong.get("days", 9)
    given = {name: value for name, value in wrong.items() if name != "days"}
    row = TaxRate(**CORRECT | given, starts_on=timezone.localdate() + timedelta(days=days))

    for role in (nullcontext, owner):
        with role(), pytest.raises(IntegrityError, match=match), transaction.atomic():
            row.save()


def test_rate_appended_on_the_page_is_checked_and_names_who_added_it(client, clerk):
    url = reverse("admin:wallet_taxrate_add")
    of_abroad = {"tax": "tds", "payee": "non_resident", "bps": "30", "cess_bps": "4"}
    of_abroad = rate(treatment="withheld", **of_abroad)
    surcharges = ("5000000", "5000000: 0", "5000000: 10\n5000000: 15", "x: 1", "1: 100")
    for wrong, words in (
        *((rate(starts_on=day), "tomorrow at the earliest") for day in (TODAY, "2020-01-01")),
        (rate(starts_on=""), "required"),
        (rate(starts_on="9999-01-01"), "Choose a year"),
        *((rate(bps=bps), "Enter a rate from 0 to less than 100 percent") for bps in ("0", "100")),
        (rate(treatment="withheld"), "Only tax on winnings is withheld"),
        (rate(law=""), "required"),
        *((of_abroad | {"surcharges": each}, "one surcharge per line") for each in surcharges),
        (of_abroad | {"tax": "gst", "treatment": "exclusive"}, "Only tax that is withheld"),
    ):
        page = client.post(url, wrong)
        assert page.status_code == 200, wrong
        assert words in page.text, wrong
    assert not TaxRate.objects.filter(law="A new law").exists()

    client.post(url, rate())
    client.post(url, of_abroad | {"surcharges": "5000000: 10\r\n10000000: 12.5\r\n"})

    gst, tds = TaxRate.objects.filter(law="A new law").order_by("pk")
    assert (gst.bps, gst.added_by) == (1_800, clerk.actor)
    assert tds.surcharges == [[500000000, 1_000], [1000000000, 1_250]]
    assert (tds.cess_bps, tds.at(500000001)) == (400, Rate(3_000, 1_000, 400))
    listed = client.get(reverse("admin:wallet_taxrate_changelist")).text
    assert "12.5 % above 10,000,000" in listed
    assert (clerk.handle in listed, clerk.actor in listed) == (True, False)
    clerk.is_superuser = False
    clerk.save()
    assert client.post(url, rate()).status_code == 403
