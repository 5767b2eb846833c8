"""Requests about own data: one at a time, immutable, and answered by a message."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from players.cases.data_requests import answer_request, ask_about_data
from players.cases.models import DataRequest
from players.exceptions import BadRemark, RequestPending, SharedInterest, TooManyReplies
from staff.cases.queue import Filters, queue
from tables.accounts.own_data import own_data
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk
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
