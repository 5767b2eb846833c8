"""A player's dispute about a deal: who may open it, its stored data, and its answer."""

import hashlib
import re

import pytest
from django.contrib import admin
from django.urls import reverse

from players.exceptions import SharedInterest
from rummy.history import files as history
from staff.cases.queue import Filters, queue
from tables import models
from tables.exceptions import (
    BadDispute,
    DealNotFinished,
    DisputeNotPending,
    DisputePending,
    DisputeTooLate,
    NotAllowed,
    TooManyDisputes,
)
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.settlement import scoring
from tests.builders.staff.people import clerk_who_may, promote
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import at_once, deal_at, hand_of, move
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def finished_deal():
    return played_deal()


def test_dispute_stores_the_history_file_of_the_deal(finished_deal):
    deal = finished_deal

    opened = complain(deal)

    kept = Dispute.objects.get()
    assert (kept.pk, kept.status, kept.ply) == (opened.pk, "open", 1)
    assert history.loads(kept.evidence).commitment == deal.commitment
    assert kept.evidence_sha256 == hashlib.sha256(kept.evidence.encode()).hexdigest()


@pytest.mark.parametrize(
    ("refusal", "changed"),
    [
        (DealNotFinished, {"deal_no": 2}),
        (NotAllowed, {"player": "a stranger"}),
        (BadDispute, {"ply": -1}),
        (BadDispute, {"ply": 99}),
        (BadDispute, {"text": " \n"}),
        (BadDispute, {"text": "x" * 2001}),
        (BadDispute, {"category": "weather"}),
        (DisputeTooLate, {"days": 0}),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, dict) else case.__name__,
)
def test_refused_dispute_leaves_no_row(settings, finished_deal, refusal, changed):
    facts = changed | ({"player": make_player()} if "player" in changed else {})
    settings.DISPUTE_DAYS = facts.pop("days", settings.DISPUTE_DAYS)

    with pytest.raises(refusal):
        complain(finished_deal, **facts)

    assert Dispute.objects.count() == 0


def test_player_has_one_open_dispute_per_deal_until_it_is_answered(finished_deal):
    deal = finished_deal
    first = complain(deal)
    with pytest.raises(DisputePending):
        complain(deal)
    complain(deal, player=deal.deal_seats.get(position=2).seat.player)
    disputes.answer_dispute(dispute_id=first.pk, by=clerk_who_may(), answer="It did not.")

    complain(deal)

    assert Dispute.objects.count() == 3


def test_disputes_of_a_player_are_limited_per_day(settings, finished_deal):
    settings.DISPUTES_PER_DAY = 2
    deal, clerk_on_duty = finished_deal, clerk_who_may()
    for _ in range(2):
        opened = complain(deal)
        disputes.answer_dispute(dispute_id=opened.pk, by=clerk_on_duty, answer="Looked into.")

    with pytest.raises(TooManyDisputes):
        complain(deal)

    complain(deal, player=deal.deal_seats.get(position=2).seat.player)
    assert Dispute.objects.count() == 3


def test_dispute_is_taken_answered_and_closed_in_this_order(finished_deal):
    opened, by = complain(finished_deal), clerk_who_may()
    with pytest.raises(DisputeNotPending):
        disputes.close_dispute(dispute_id=opened.pk, by=by)
    with pytest.raises(BadDispute):
        disputes.answer_dispute(dispute_id=opened.pk, by=by, answer=" ")

    steps = [
        disputes.take_dispute(dispute_id=opened.pk, by=by),
        disputes.answer_dispute(dispute_id=opened.pk, by=by, answer="Your bank was spent."),
        disputes.close_dispute(dispute_id=opened.pk, by=by),
    ]

    assert [step.status for step in steps] == ["assigned", "answered", "closed"]
    with pytest.raises(DisputeNotPending):
        disputes.answer_dispute(dispute_id=opened.pk, by=by, answer="Something else.")
    assert Dispute.objects.get().answer == "Your bank was spent."


def test_staff_cannot_answer_disputes_of_their_own_games(client, finished_deal):
    deal = finished_deal
    complainant, rival, beside = (deal.deal_seats.get(position=at).seat.player for at in (1, 2, 3))
    dispute = complain(deal)
    assert dispute.seat.player == complainant

    for player in (rival, beside):
        promote(player)
        with pytest.raises(SharedInterest):
            disputes.take_dispute(dispute_id=dispute.pk, by=player)
    client.force_login(rival)
    page = admin_page("change", dispute.pk)
    refused = client.post(page, {"answer": "I won."}, follow=True)

    assert "shared_interest" in refused.text
    dispute.refresh_from_db()
    assert dispute.status == "open"


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_open_one_dispute():
    deal = played_deal()

    answers = at_once([lambda: complain(deal), lambda: complain(deal)])

    assert sorted(type(answer).__name__ for answer in answers) == ["Dispute", "DisputePending"]
    assert Dispute.objects.count() == 1


def admin_page(what, *arguments):
    return reverse(f"admin:tables_dispute_{what}", args=arguments)


def press(client, action, dispute):
    return client.post(
        admin_page("changelist"), {"action": action, "_selected_action": [dispute.pk]}
    )


def test_staff_take_answer_and_close_a_dispute_in_the_admin(client, finished_deal):
    opened = complain(finished_deal)
    by = clerk_who_may("view_dispute", "answer_dispute", "replay_any_deal")
    client.force_login(by)

    queue = client.get(admin_page("changelist")).content.decode()
    press(client, "take", opened)
    page = client.get(admin_page("change", opened.pk)).content.decode()
    without = client.post(admin_page("change", opened.pk), {"answer": ""})
    client.post(admin_page("change", opened.pk), {"answer": "Your bank was spent."})
    press(client, "close", opened)

    assert opened.seat.player.handle in queue
    replay = reverse("replay", args=[opened.deal.table.public_id, opened.deal.no, 1])
    assert f'href="{replay}"' in page
    assert "rummy deal 2\n" in page
    assert re.search(r"Disputes\s*</span>\s*<span[^>]*>\s*1\s*<", queue)
    assert without.status_code == 200
    kept = Dispute.objects.get()
    assert (kept.status, kept.answer, kept.assignee) == ("closed", "Your bank was spent.", by)
    assert client.get(replay).status_code == 200
    assert client.get(admin_page("add")).status_code == 403
    assert client.post(admin_page("delete", opened.pk)).status_code == 403


def test_staff_without_the_permission_see_disputes_but_cannot_answer(client, finished_deal):
    opened = complain(finished_deal)
    client.force_login(clerk_who_may("view_dispute"))

    press(client, "take", opened)
    answer = client.post(admin_page("change", opened.pk), {"answer": "No."})

    assert answer.status_code == 403
    assert Dispute.objects.get().status == "open"
    assert client.get(admin_page("change", opened.pk)).status_code == 200


def test_dispute_from_the_table_page_is_about_the_end_of_the_deal(client, finished_deal):
    deal = finished_deal
    client.force_login(deal.deal_seats.get(position=1).seat.player)

    table = client.get(reverse("table", args=[deal.table.public_id])).text
    form = client.get(reverse("dispute-end", args=[deal.table.public_id, deal.no]), follow=True)
    [(address, _status)] = form.redirect_chain
    client.post(address, {"category": "score", "text": "They counted twice."})

    assert "Dispute the last deal" in table
    opened = Dispute.objects.get()
    assert opened.ply == deal.moves.count()
    waiting = queue(make_player(is_staff=True, is_superuser=True), Filters())
    assert [row[:2] for row in waiting] == [("tables.dispute", opened.pk)]


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
