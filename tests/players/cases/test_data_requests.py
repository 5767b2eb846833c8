"""Requests about own data: one at a time, immutable, and answered by a message."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import translation

from players.cases import actions
from players.cases.data_requests import answer_request, ask_about_data
from players.cases.models import Case, DataRequest, Remark
from players.exceptions import BadRemark, RequestPending, SharedInterest, TooManyReplies
from players.notifications.models import Notification
from players.notifications.texts import path_of, text_of
from staff.cases.kinds import DISPUTES
from staff.cases.queue import Filters, queue
from tables.accounts.own_data import own_data
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db

About = DataRequest.About


def ask(player, about=About.PLACE, text="I have moved to Goa."):
    return ask_about_data(player=player, about=about, text=text)


@pytest.mark.parametrize(
    ("language", "shown", "sent", "waits"),
    [
        ("en", "Ask our staff", "Request sent. The answer will appear", "not answered yet"),
        ("hi", "हमारे कर्मचारियों से कहें", "भेज दिया गया", "अभी जवाब नहीं मिला"),
    ],
)
def test_a_player_asks_staff_answer_and_the_player_reads_it(client, language, shown, sent, waits):
    player, staff = make_player(language=language), a_person("Support")
    client.force_login(player)
    client.cookies["django_language"] = language
    page = reverse("your-data")
    form = client.get(page).content.decode()
    asked = {"about": "deletion", "text": "Delete my <old> messages."}
    after = client.post(page, asked, follow=True).content.decode()
    request = DataRequest.objects.get()
    assert shown in form
    assert sent in after
    assert waits in after
    assert [row[:2] for row in queue(staff, Filters())] == [("players.datarequest", request.pk)]
    case = reverse("case", args=["players.datarequest", request.pk])
    client.force_login(staff)
    client.cookies["django_language"] = "en"
    assert "Delete my &lt;old&gt; messages." in client.get(case).content.decode()

    answer = {"act": "answer", "text": "We keep them for eight years."}
    assert client.post(case, answer).status_code == 302

    request.refresh_from_db()
    assert request.answered_by == staff
    assert not queue(staff, Filters())
    client.force_login(player)
    assert "We keep them for eight years." in client.get(reverse("messages")).content.decode()
    assert waits not in client.get(page).content.decode()
    assert own_data(player)["requests"][0]["text"] == "Delete my <old> messages."


def test_second_open_request_about_the_same_is_refused():
    player = make_player()
    asked = ask(player)

    with pytest.raises(RequestPending):
        ask(player)
    ask(player, About.HANDLE)
    answer_request(request_id=asked.pk, by=clerk(), answer="Done.")
    ask(player)

    assert DataRequest.objects.count() == 3


def test_requests_are_readable_and_at_most_five_a_day():
    player = make_player()
    for wrong in ("  ", "x" * 1001, "a\x00b"):
        with pytest.raises(BadRemark):
            ask(player, text=wrong)
    for about in list(About)[:5]:
        ask(player, about)

    with pytest.raises(TooManyReplies):
        ask(player, list(About)[5])


def test_data_request_is_answered_once_and_not_by_its_player():
    player = make_player(is_staff=True)
    asked = ask(player)
    with pytest.raises(SharedInterest):
        answer_request(request_id=asked.pk, by=player, answer="Granted.")

    answer_request(request_id=asked.pk, by=clerk(), answer="Done.")

    with pytest.raises(RequestPending):
        answer_request(request_id=asked.pk, by=clerk(), answer="Done again.")
    for change in ({"text": "Other"}, {"answered_at": None, "answered_by": None}):
        with pytest.raises(DatabaseError), transaction.atomic():
            DataRequest.objects.filter(pk=asked.pk).update(**change)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_about_the_same_create_one():
    player = make_player()

    outcomes = at_once([lambda: ask(player)] * 2)

    assert sum(isinstance(outcome, RequestPending) for outcome in outcomes) == 1
    assert DataRequest.objects.count() == 1


@pytest.fixture
def case():
    """A case with a note and a message to the player."""
    dispute, by = complain(played_deal()), clerk(is_superuser=True)
    subject = DISPUTES.subject(DISPUTES.rows(by).get(pk=dispute.pk))
    actions.note_on_case(subject=subject, text="A liar?", by=by)
    actions.write_to_player(subject=subject, text="Which step?", by=by)
    return Case.objects.get()


def test_a_player_reads_messages_and_no_notes_and_answers(client, case):
    client.force_login(case.player)

    answer = reverse("thread", args=[case.public_id])
    page = client.get(reverse("messages")).text + client.get(answer).text
    client.post(answer, {"text": "The third."})

    assert "Which step?" in page
    assert "A liar?" not in page
    assert "The third." in client.get(reverse("messages")).text
    assert client.post(answer, {"text": ""}).status_code == 200
    assert Remark.objects.filter(kind="reply").count() == 1
    assert [row["text"] for row in own_data(case.player)["messages"]] == [
        "Which step?",
        "The third.",
    ]


def test_staff_message_is_notified_in_the_players_language(case):
    notification = Notification.objects.get(player=case.player)

    assert text_of(notification) == (
        "You have a message from our staff about: your complaint about a deal."
    )
    with translation.override("hi"):
        assert "your complaint" not in text_of(notification)
    assert path_of(notification) == reverse("thread", args=[case.public_id])


def test_player_answers_only_own_cases_with_a_message(client, case):
    stranger = make_player()
    client.force_login(stranger)
    answer = reverse("thread", args=[case.public_id])

    assert client.post(answer, {"text": "Me too"}).status_code == 404
    assert client.post(reverse("messages"), {"text": "Me too"}).status_code == 405
    assert "Which step?" not in client.get(reverse("messages")).text
    other = Case.objects.create(kind="tables.dispute", row=0, name="d", player=stranger)
    with pytest.raises(Case.DoesNotExist):
        actions.answer_staff(player=stranger, case_id=other.public_id, text="x")


def test_answers_are_readable_and_not_without_end(case, monkeypatch):
    answer = {"player": case.player, "case_id": case.public_id}
    for text in (" ", "x" * 2_001, "\u202e"):
        with pytest.raises(BadRemark):
            actions.answer_staff(**answer, text=text)
    monkeypatch.setattr(actions, "REPLIES_PER_DAY", 2)

    for text in ("one", "two"):
        actions.answer_staff(**answer, text=text)
    with pytest.raises(TooManyReplies):
        actions.answer_staff(**answer, text="three")

    assert Remark.objects.filter(kind="reply").count() == 2


def test_remarks_are_neither_changed_nor_deleted(case):
    for write in (
        lambda: Remark.objects.update(text="Nothing"),
        lambda: Remark.objects.all()._raw_delete("default"),
        lambda: Case.objects.update(player=None),
        lambda: Case.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            write()
