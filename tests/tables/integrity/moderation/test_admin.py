"""The admin of tables is read-only and shows no card of a running deal."""

import pytest
from django.contrib import admin
from django.urls import reverse

from tables import models
from tables.settlement import scoring
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import deal_at, hand_of, move

pytestmark = pytest.mark.django_db

SHOWN = (
    models.Table,
    models.Deal,
    models.Move,
    models.Score,
    models.Elimination,
    models.RuleProfile,
)


@pytest.fixture
def staff(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def page(model, what, *arguments):
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{what}", args=arguments)


@pytest.mark.extended
def test_every_list_and_record_opens_and_nothing_can_be_added_or_deleted(staff, game_of_two):
    table = game_of_two
    move(table, 1, "drop")
    scoring.settle_deal(deal_id=deal_at(table).pk)

    for model in SHOWN:
        assert staff.get(page(model, "changelist")).status_code == 200
        assert staff.get(page(model, "add")).status_code == 403
        for record in model.objects.all()[:1]:
            assert staff.get(page(model, "change", record.pk)).status_code == 200
            assert staff.post(page(model, "delete", record.pk)).status_code == 403
            assert staff.post(page(model, "change", record.pk), {}).status_code == 403


def test_moves_are_shown_once_their_deal_is_settled(staff, game_of_two):
    table = game_of_two
    move(table, 1, "ds")
    deal = deal_at(table)
    before = staff.get(page(models.Move, "changelist")).content.decode()
    move(table, 1, f"x {hand_of(table, 1)[0]}")
    move(table, 2, "drop")
    scoring.settle_deal(deal_id=deal.pk)

    after = staff.get(page(models.Move, "changelist")).content.decode()

    assert "p1 ds" not in before
    assert "p1 ds" in after


def test_seeds_are_not_in_the_admin_and_not_printed(game_of_two):
    table = game_of_two
    secret = deal_at(table).secret

    assert models.DealSecret not in admin.site._registry
    assert repr(secret) == str(secret) == f"secret of deal {secret.pk}"
    assert bytes(secret.encrypted_seed).startswith(b"gAAAA")
