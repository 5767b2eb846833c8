"""Staff see taxes, append future rates, and place money in suspense."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import (
    let_years_pass,
    make_winner,
    send,
    withdraw,
)
from wallet.gateways.sandbox_page import Sent
from wallet.tax.models import GstCharge, TaxRate, Withholding

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


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


def test_a_superuser_appends_a_rate_in_their_name(client, clerk):
    client.post(reverse("admin:wallet_taxrate_add"), rate())

    made = TaxRate.objects.get(law="A new law")
    assert (made.bps, made.added_by) == (1_800, clerk.actor)
    listed = client.get(reverse("admin:wallet_taxrate_changelist")).content.decode()
    assert (clerk.handle in listed, clerk.actor in listed) == (True, False)


@pytest.mark.extended
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"starts_on": timezone.localdate().isoformat()}, "tomorrow at the earliest"),
        ({"starts_on": "2020-01-01"}, "tomorrow at the earliest"),
        ({"starts_on": ""}, "required"),
        ({"starts_on": "9999-01-01"}, "Choose a year"),
        ({"bps": "0"}, "Enter a rate from 0 to less than 100 percent"),
        ({"bps": "100"}, "Enter a rate from 0 to less than 100 percent"),
        ({"treatment": "withheld"}, "Only tax on winnings is withheld"),
        ({"law": ""}, "required"),
    ],
)
def test_invalid_rate_is_refused_on_the_page(client, clerk, wrong, words):
    before = TaxRate.objects.count()

    page = client.post(reverse("admin:wallet_taxrate_add"), rate(**wrong))

    assert page.status_code == 200
    assert words in page.content.decode()
    assert TaxRate.objects.count() == before


def test_staff_who_are_not_superusers_append_no_rate(client, clerk):
    clerk.is_superuser = False
    clerk.save()

    assert client.post(reverse("admin:wallet_taxrate_add"), rate()).status_code == 403
    assert not TaxRate.objects.filter(law="A new law").exists()


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
