"""Region changes: append-only rows, two people, a start time (RB 11.6)."""

from datetime import date, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from core.exceptions import AlreadyDecided, CheckerIsMaker
from players.eligibility.places import region_changes, regions
from players.eligibility.places.doubts import declare_place
from players.eligibility.places.models import Offer, Region, RegionChange
from players.exceptions import PlaceUnknown, ReasonMissing
from tests.builders.people.region_changes import request_change
from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db

# S0 sends players of these to another page.
KEPT_OUT = ["AP", "AR", "AS", "KL", "ML", "NL", "OD", "SK", "TN", "TS"]


def ask(**fields):
    return request_change("IN", **fields)


def test_india_and_the_ten_states_are_prohibited_from_the_start():
    kept_out = Region.objects.filter(country="IN").exclude(region="").order_by("region")

    assert list(kept_out.values_list("region", flat=True)) == KEPT_OUT
    assert {regions.offer_in("IN", state) for state in ["", "KA", *KEPT_OUT]} == {Offer.PROHIBITED}
    assert regions.offer_in("DE", "") == Offer.POINTS
    assert regions.offer_in("", "") == Offer.POINTS


def test_the_indian_row_names_the_assent_to_the_act_and_the_day_of_its_rules():
    row = Region.objects.get(country="IN", region="")
    assert row.begins_at.astimezone(ZoneInfo("Asia/Kolkata")).date() == date(2025, 8, 22)
    assert "assent 2025-08-22" in row.reason
    assert "Rules (from 2026-05-01)" in row.reason
    law = Path(settings.BASE_DIR, "docs", "law.md").read_text("utf-8")
    assert "Questions for your lawyers" in law


def test_a_change_takes_two_people_and_begins_at_its_time(clocks):
    maker, checker = clerk(), clerk()
    change = ask(by=maker, begins_in=timedelta(days=2))
    with pytest.raises(CheckerIsMaker):
        region_changes.approve_change(change_id=change.pk, by=maker)

    region_changes.approve_change(change_id=change.pk, by=checker)

    assert regions.offer_in("IN", "KA") == Offer.PROHIBITED
    clocks.move_clock(change.begins_at)
    assert regions.offer_in("IN", "KA") == Offer.ALLOWED
    assert regions.offer_in("IN", "TN") == Offer.PROHIBITED
    noted = acts().filter(kind="players.regionchange").order_by("pk")
    assert list(noted.values_list("act", "by")) == [("ask", maker.pk), ("approve", checker.pk)]


def test_a_change_approved_late_begins_with_its_approval():
    change = ask(begins_in=timedelta(hours=-3))
    before = timezone.now()

    region_changes.approve_change(change_id=change.pk, by=clerk())

    assert Region.objects.get(change=change).begins_at >= before


def test_a_rejected_change_changes_nothing():
    change = ask()
    by = clerk()

    region_changes.reject_change(change_id=change.pk, by=by)
    region_changes.reject_change(change_id=change.pk, by=by)

    assert regions.offer_in("IN", "KA") == Offer.PROHIBITED
    with pytest.raises(AlreadyDecided):
        region_changes.approve_change(change_id=change.pk, by=clerk())
    assert acts().filter(act="reject").count() == 1


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"place": "XX"}, PlaceUnknown),
        ({"place": "IN-QQ"}, PlaceUnknown),
        ({"place": "IN", "reason": "  "}, ReasonMissing),
    ],
)
def test_a_change_names_a_place_and_a_reason(fields, refusal):
    with pytest.raises(refusal):
        request_change(**fields)

    assert not RegionChange.objects.exists()


def test_region_rows_are_never_rewritten():
    change = ask()
    refused = [
        lambda: Region.objects.update(offer=Offer.ALLOWED),
        lambda: Region.objects.all()._raw_delete("default"),
        lambda: RegionChange.objects.filter(pk=change.pk).update(offer=Offer.POINTS),
        lambda: RegionChange.objects.all()._raw_delete("default"),
    ]

    for rewrite in refused:
        with pytest.raises(DatabaseError), transaction.atomic():
            rewrite()


@pytest.mark.django_db(transaction=True)
def test_two_checkers_at_once_decide_once():
    change = ask()

    found = at_once(
        [
            partial(region_changes.approve_change, change_id=change.pk, by=by)
            for by in (clerk(), clerk())
        ]
    )

    assert sorted(isinstance(one, AlreadyDecided) for one in found) == [False, True]
    assert Region.objects.filter(change=change).count() == 1


# One of each kind; `tests/players/accounts/test_region_codes.py` has all codes and names.
GIVEN = [
    ("IN", "TG", "TS"),
    ("IN", "IN-TG", "TS"),
    ("IN", "National Capital Territory of Delhi", "DL"),
    ("US", "OR", "OR"),
    ("DE", "Bayern", "BY"),
    ("DE", "", ""),
]
REFUSED = [("IN", "QQ"), ("US", "TS"), ("DE", "KA"), ("IE", "Bavaria")]


@pytest.fixture
def staff(client):
    by = clerk(is_superuser=True)
    client.force_login(by)
    return by


@pytest.mark.parametrize(("country", "given", "code"), GIVEN)
def test_change_is_requested_by_any_code_or_name(client, staff, country, given, code):
    begins = timezone.localtime() + timedelta(hours=1)
    fields = {
        "country": country,
        "region": given,
        "offer": "points",
        "age_min": "18",
        "begins_at_0": f"{begins:%Y-%m-%d}",
        "begins_at_1": f"{begins:%H:%M:%S}",
        "reason": "An Act",
    }

    answer = client.post(reverse("admin:players_regionchange_add"), fields)

    assert answer.status_code == 302, answer.context["errors"]
    change = RegionChange.objects.get()
    assert (change.country, change.region) == (country, code)


@pytest.mark.parametrize(("country", "given"), REFUSED)
def test_change_in_a_region_that_iso_does_not_have_is_refused(client, staff, country, given):
    asked = {"country": country, "region": given, "offer": Offer.POINTS, "reason": "An Act"}

    with pytest.raises(PlaceUnknown, match=f"has no region '{given}'"):
        region_changes.request_change(**asked, begins_at=timezone.now(), by=staff)
    page = client.post(reverse("admin:players_regionchange_add"), asked | {"age_min": "18"})

    assert f"has no region {given}." in page.text
    assert not RegionChange.objects.exists()


@pytest.mark.parametrize(("country", "given", "code"), GIVEN)
def test_player_declares_a_region_by_any_code_or_name(client, country, given, code):
    player = make_player()
    client.force_login(player)

    for _ in range(2):
        answer = client.post(reverse("place"), {"country": country, "region": given})
        assert answer.status_code == 302, answer.context["form"].errors

    player.refresh_from_db()
    assert (player.country, player.region) == (country, code)


@pytest.mark.parametrize(("country", "given"), REFUSED)
def test_player_cannot_declare_a_region_that_iso_does_not_have(client, country, given):
    player = make_player()
    client.force_login(player)

    answer = client.post(reverse("place"), {"country": country, "region": given})

    player.refresh_from_db()
    assert (answer.status_code, player.country) == (200, "")
    assert "Choose a region of the selected country" in answer.text


def test_place_stored_by_a_withdrawn_code_is_the_same_place(client):
    """Rows with withdrawn codes are named, compared and closed like those with current ones."""
    player = make_player(country="IN", region="TG")
    client.force_login(player)

    same = declare_place(player_id=player.pk, country="IN", region="TS")

    assert (same.pk, same.region) == (player.pk, "TG")
    assert "Telangana, India" in client.get(reverse("account")).text
    assert regions.offer_in("IN", "TG") == regions.offer_in("IN", "TS") == Offer.PROHIBITED
    open_region("IN-TG", Offer.POINTS, begins_at=timezone.now())
    assert regions.offer_in("IN", "TG") == regions.offer_in("IN", "TS") == Offer.POINTS


def test_every_region_of_a_country_with_rows_can_be_chosen(client):
    """A row for Bavaria alone made it the only region that players in Germany could choose."""
    open_region("DE-BY", Offer.POINTS)
    player = make_player()
    client.force_login(player)

    choices = dict(client.get(reverse("place")).context["form"].fields["region"].choices)
    client.post(reverse("place"), {"country": "DE", "region": "BE"})

    assert choices["BE"] == "DE-BE Berlin"
    assert len(choices) == 1 + 36 + 16
    player.refresh_from_db()
    assert (player.country, player.region) == ("DE", "BE")
