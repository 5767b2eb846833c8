"""Holds by staff: permissions, audit entries and effects."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone, translation

from core.models import AuditEntry
from players.accounts.models import User
from players.eligibility import holds
from players.eligibility.hold_models import Hold
from players.eligibility.verdicts import Act, may
from players.exceptions import ReasonMissing, StaffAccount
from tables.accounts.own_data import own_data
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db
PLAY, DEPOSIT, WITHDRAW = Hold.Kind.PLAY, Hold.Kind.DEPOSIT, Hold.Kind.WITHDRAW


def test_a_hold_on_play_has_no_date_and_ends_when_it_is_lifted():
    player, by = make_player(), clerk()
    hold = hold_player(player, PLAY, by=by)

    verdict = may(player, Act.POINTS)

    assert (verdict.code, verdict.since, verdict.until) == ("play_held", None, None)
    assert hold.reason not in verdict.sentence
    with translation.override("hi"):
        assert may(player, Act.POINTS).sentence != verdict.sentence
    holds.lift_hold(hold_id=hold.pk, by=by, reason="Explained")
    assert may(player, Act.POINTS).is_allowed


def test_each_step_is_on_record_and_repeating_it_changes_nothing():
    player, by = make_player(), clerk()
    ask = {"player_id": player.pk, "kind": WITHDRAW, "by": by}

    hold = holds.set_hold(**ask, reason="The bank asks")
    assert holds.set_hold(**ask, reason="Again") == hold
    for _ in range(2):
        holds.lift_hold(hold_id=hold.pk, by=by, reason="The bank is content")

    entries = AuditEntry.objects.filter(by=by, about=player).order_by("pk")
    assert [(entry.act, entry.reason) for entry in entries] == [
        ("hold", "The bank asks"),
        ("lift", "The bank is content"),
    ]


def test_hold_needs_a_reason_another_person_and_for_staff_a_superuser():
    with pytest.raises(ReasonMissing):
        holds.set_hold(player_id=make_player().pk, kind=PLAY, by=clerk(), reason=" ")
    with pytest.raises(StaffAccount):
        holds.set_hold(player_id=clerk().pk, kind=PLAY, by=clerk(), reason="x")
    by, now = clerk(), timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        Hold.objects.create(player=by, kind=DEPOSIT, reason="x", set_by=by, set_at=now)

    assert not Hold.objects.exists()


def test_hold_is_neither_rewritten_nor_deleted():
    hold = hold_player(make_player(), PLAY)
    holds.lift_hold(hold_id=hold.pk, by=clerk(), reason="Explained")

    for write in (
        lambda: Hold.objects.update(reason="Another"),
        lambda: Hold.objects.update(lifted_at=timezone.now()),
        lambda: Hold.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            write()


def test_a_held_player_signs_in_and_sees_their_money(client):
    open_region("IN-KA")
    player = make_depositor()
    fund(player, deposit=500_00)
    for kind in Hold.Kind:
        hold_player(player, kind)
    client.force_login(player)

    wallet = client.get(reverse("wallet"))
    deposit = client.get(reverse("start-deposit"))

    assert "₹500.00" in wallet.text
    assert "Deposits are on hold" in deposit.text
    assert User.objects.get(pk=player.pk).is_active
    assert [row["kind"] for row in own_data(player)["holds"]] == ["play", "deposit", "withdraw"]
