"""Messages between staff and a player."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import translation

from players.cases import actions
from players.cases.models import Case, Remark
from players.exceptions import BadRemark, TooManyReplies
from players.notifications.models import Notification
from players.notifications.texts import path_of, text_of
from staff.cases.kinds import DISPUTES
from tables.accounts.own_data import own_data
from tests.builders.staff.people import clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db


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
