"""A player's complaint about a deal: who may open it, what it keeps, how it is answered."""

import hashlib
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from players.exceptions import SharedInterest
from rummy.history import files as history
from staff.cases.queue import Filters, queue
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
from tests.builders.staff.people import clerk_who_may
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import at_once
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def finished_deal():
    return played_deal()


def test_a_dispute_keeps_the_deals_history_file(finished_deal):
    deal = finished_deal

    opened = complain(deal)

    kept = Dispute.objects.get()
    assert (kept.pk, kept.status, kept.ply) == (opened.pk, "open", 1)
    assert history.loads(kept.evidence).commitment == deal.commitment
    assert kept.evidence_sha256 == hashlib.sha256(kept.evidence.encode()).hexdigest()


def test_a_deal_in_play_cannot_be_disputed(finished_deal):
    deal = finished_deal

    with pytest.raises(DealNotFinished):
        complain(deal, deal_no=2)

    assert Dispute.objects.count() == 0


def test_who_was_not_dealt_in_is_refused(finished_deal):
    with pytest.raises(NotAllowed):
        complain(finished_deal, player=make_player())

    assert Dispute.objects.count() == 0


@pytest.mark.parametrize(
    "wrong",
    [{"ply": -1}, {"ply": 99}, {"text": " \n"}, {"text": "x" * 2001}, {"category": "weather"}],
)
def test_a_dispute_says_what_and_where(wrong, finished_deal):
    with pytest.raises(BadDispute):
        complain(finished_deal, **wrong)

    assert Dispute.objects.count() == 0


def test_one_of_a_player_waits_for_each_deal_and_another_may_follow_the_answer(finished_deal):
    deal = finished_deal
    first = complain(deal)
    with pytest.raises(DisputePending):
        complain(deal)
    complain(deal, player=deal.deal_seats.get(position=2).seat.player)
    disputes.answer_dispute(dispute_id=first.pk, by=clerk_who_may(), answer="It did not.")

    complain(deal)

    assert Dispute.objects.count() == 3


def test_after_thirty_days_it_is_too_late(settings, finished_deal):
    deal = finished_deal
    settings.DISPUTE_DAYS = 0

    with pytest.raises(DisputeTooLate):
        complain(deal)

    assert Dispute.objects.count() == 0
    assert timezone.now() - deal.reveal.revealed_at < timedelta(hours=1)


def test_a_player_opens_only_so_many_within_a_day(settings, finished_deal):
    settings.DISPUTES_PER_DAY = 2
    deal, clerk_on_duty = finished_deal, clerk_who_may()
    for _ in range(2):
        opened = complain(deal)
        disputes.answer_dispute(dispute_id=opened.pk, by=clerk_on_duty, answer="Looked into.")

    with pytest.raises(TooManyDisputes):
        complain(deal)

    complain(deal, player=deal.deal_seats.get(position=2).seat.player)
    assert Dispute.objects.count() == 3


def test_it_is_taken_answered_and_closed_in_this_order(finished_deal):
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


def test_staff_cannot_decide_about_a_game_of_their_own(finished_deal):
    deal = finished_deal
    opened = complain(deal)

    with pytest.raises(SharedInterest):
        disputes.take_dispute(dispute_id=opened.pk, by=deal.deal_seats.get(position=3).seat.player)

    assert Dispute.objects.get().status == "open"


@pytest.mark.django_db(transaction=True)
def test_pressing_send_twice_opens_one_dispute():
    deal = played_deal()

    answers = at_once([lambda: complain(deal), lambda: complain(deal)])

    assert sorted(type(answer).__name__ for answer in answers) == ["Dispute", "DisputePending"]
    assert Dispute.objects.count() == 1


@pytest.mark.parametrize("by_its_owner", [False, True])
def test_the_facts_of_a_dispute_cannot_be_changed(by_its_owner, owner, finished_deal):
    before = complain(finished_deal).evidence
    refused = "append-only|keeps" if by_its_owner else "permission denied"

    for statement in (
        "UPDATE tables_dispute SET evidence = 'another'",
        "UPDATE tables_dispute SET text = 'I withdraw'",
        "DELETE FROM tables_dispute",
    ):
        with (
            owner() if by_its_owner else nullcontext(),
            connection.cursor() as cursor,
            pytest.raises(DatabaseError, match=refused),
            transaction.atomic(),
        ):
            cursor.execute(statement)

    assert Dispute.objects.get().evidence == before


def admin_page(what, *arguments):
    return reverse(f"admin:tables_dispute_{what}", args=arguments)


def press(client, action, dispute):
    return client.post(
        admin_page("changelist"), {"action": action, "_selected_action": [dispute.pk]}
    )


def test_staff_take_answer_and_close_it_in_the_admin(client, finished_deal):
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
    assert "rummy deal 1\n" in page
    assert "1 waiting" in queue
    assert without.status_code == 200
    kept = Dispute.objects.get()
    assert (kept.status, kept.answer, kept.assignee) == ("closed", "Your bank was spent.", by)
    assert client.get(replay).status_code == 200
    assert client.get(admin_page("add")).status_code == 403
    assert client.post(admin_page("delete", opened.pk)).status_code == 403


def test_staff_without_the_permission_only_look(client, finished_deal):
    opened = complain(finished_deal)
    client.force_login(clerk_who_may("view_dispute"))

    press(client, "take", opened)
    answer = client.post(admin_page("change", opened.pk), {"answer": "No."})

    assert answer.status_code == 403
    assert Dispute.objects.get().status == "open"
    assert client.get(admin_page("change", opened.pk)).status_code == 200


def test_a_refusal_in_the_admin_is_shown_and_changes_nothing(client, finished_deal):
    deal = finished_deal
    opened = complain(deal)
    judge = deal.deal_seats.get(position=2).seat.player
    judge.is_staff = judge.is_superuser = True
    judge.save()
    client.force_login(judge)

    answer = client.post(admin_page("change", opened.pk), {"answer": "I won."}, follow=True)

    assert "shared_interest" in answer.content.decode()
    assert Dispute.objects.get().status == "open"


def test_a_player_is_reported_from_the_step_by_name(client):
    deal = played_deal()
    own, reported = (deal.deal_seats.get(position=at).seat for at in (1, 2))
    client.force_login(own.player)
    address = reverse("dispute", args=[deal.table.public_id, deal.no, 1])

    page = client.get(address).content.decode()
    sent = {"category": "conduct", "about": reported.player.handle, "text": "They know my cards."}
    client.post(address, sent)

    opened = Dispute.objects.get()
    assert (opened.about, opened.category) == (reported, "conduct")
    assert f'<option value="{reported.player.handle}">' in page
    assert f'<option value="{own.player.handle}">' not in page
    mine = client.get(reverse("disputes")).content.decode()
    assert reported.player.handle in mine


@pytest.mark.parametrize(
    ("language", "link", "question"),
    [
        ("en", "Report a player or the deal", "Which player do you report?"),
        ("hi", "किसी खिलाड़ी या बाज़ी की रिपोर्ट करें", "आप किस खिलाड़ी की रिपोर्ट कर रहे हैं?"),
    ],
)
def test_a_player_is_reported_from_the_table_and_staff_find_it(client, language, link, question):
    deal = played_deal()
    own, reported = (deal.deal_seats.get(position=at).seat.player for at in (1, 2))
    client.force_login(own)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    table = client.get(reverse("table", args=[deal.table.public_id])).content.decode()
    form = client.get(reverse("dispute-end", args=[deal.table.public_id, deal.no]), follow=True)
    [(address, _status)] = form.redirect_chain
    sent = {"category": "conduct", "about": reported.handle, "text": "They know my cards."}
    client.post(address, sent)

    assert link in table
    assert question in form.content.decode()
    opened = Dispute.objects.get()
    assert (opened.about.player, opened.ply) == (reported, deal.moves.count())
    waiting = queue(make_player(is_staff=True, is_superuser=True), Filters())
    assert [row[:2] for row in waiting] == [("tables.dispute", opened.pk)]


def test_a_report_by_the_api_names_another_who_was_dealt_in_and_their_conduct(client):
    deal = played_deal()
    own, reported = (deal.deal_seats.get(position=at).seat.player for at in (1, 2))
    client.force_login(own)
    address = f"/api/v1/tables/{deal.table.public_id}/deals/{deal.no}/disputes/"

    def report(handle, category="conduct"):
        sent = {"ply": 1, "category": category, "text": "They know.", "about": handle}
        return client.post(address, sent, content_type="application/json")

    for handle, category in [
        (own.handle, "conduct"),
        (make_player().handle, "conduct"),
        (reported.handle, "clock"),
    ]:
        refused = report(handle, category)
        assert (refused.status_code, refused.json()["code"]) == (409, "bad_dispute"), handle
    assert not Dispute.objects.exists()

    taken = report(reported.handle)

    assert (taken.status_code, taken.json()["about"]) == (201, reported.handle)


def test_who_is_reported_does_not_answer():
    deal = played_deal()
    reported = deal.deal_seats.get(position=2).seat.player
    dispute = complain(deal, category="conduct", about=reported.handle)
    reported.is_staff = reported.is_superuser = True
    reported.save()

    with pytest.raises(SharedInterest):
        disputes.take_dispute(dispute_id=dispute.pk, by=reported)

    dispute.refresh_from_db()
    assert dispute.status == "open"
