"""Region changes: append-only rows, two people, a start time (RB 11.6)."""

from datetime import date, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from core.exceptions import AlreadyDecided, CheckerIsMaker
from players.eligibility.places import region_changes, regions
from players.eligibility.places.models import Offer, Region, RegionChange
from players.exceptions import PlaceUnknown, ReasonMissing
from tests.builders.people.region_changes import request_change
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import acts

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
