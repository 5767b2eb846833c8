"""Messages to support: from players and visitors, with own attachments, answered by staff."""

from uuid import uuid4

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from core.exceptions import Refusal
from core.http import rates
from players.accounts.models import User
from players.cases import help_requests
from players.cases.models import Case, HelpRequest, RemarkEmail
from players.exceptions import SharedInterest, TooManyReplies
from players.notifications.models import Notification
from players.notifications.texts import path_of
from players.tasks import mail_notifications
from staff.cases.queue import Filters, queue
from tests.builders.staff.people import a_person, clerk
from tests.builders.wallet.players import fund, make_player, make_stake, verify_email
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db
WRITTEN = {"subject": "My bonus", "text": "Where is it?"}


@pytest.fixture(autouse=True)
def _fresh(fresh_cache):
    """Count requests from zero."""


@pytest.fixture
def me(client):
    player = make_player()
    verify_email(player)
    client.force_login(player)
    return player


def write(client, **more):
    return client.post(reverse("write-to-us"), WRITTEN | more, follow=True)


def case_page(asked):
    return reverse("case", args=["players.helprequest", asked.pk])


def written_by(player=None, *, email="", subject="x"):
    said = {"language": "en", "subject": subject, "text": "y"}
    return help_requests.write_to_support(player=player, email=email, **said)


def answer(by, asked):
    return help_requests.answer_request(request_id=asked.pk, by=by, answer="Yes")


def pending(viewer):
    return [row[:2] for row in queue(viewer, Filters())]


def test_player_and_staff_write_in_one_conversation(client, me, django_capture_on_commit_callbacks):
    client.cookies["language"] = client.cookies["django_language"] = "hi"
    support = a_person("Support")

    write(client)
    asked = HelpRequest.objects.get()
    thread = reverse("thread", args=[Case.objects.get().public_id])
    client.post(thread, {"text": "Please."})
    client.force_login(support)
    shown = client.get(case_page(asked)).text
    with django_capture_on_commit_callbacks(execute=True):
        client.post(case_page(asked), {"act": "answer", "text": "It is released by playing."})
    mail_notifications()
    client.force_login(me)
    page = client.get(thread).text

    assert (asked.player, asked.language, asked.email) == (me, "hi", "")
    assert "हिन्दी" in shown
    assert "Where is it?" in shown
    texts = [page.index(text) for text in ("Where is it?", "Please.", "It is released")]
    assert texts == sorted(texts)
    notification = Notification.objects.get(player=me, kind="staff_message")
    assert path_of(notification) == thread
    [letter] = mail.outbox
    assert letter.to == [me.email]
    assert thread in letter.body
    assert pending(support) == []

    client.post(thread, {"text": "Thank you."})

    assert pending(support) == [("players.helprequest", asked.pk)]


def test_visitor_gets_the_answer_by_email(client):
    support = a_person("Support")

    write(client)
    assert not HelpRequest.objects.exists()  # Without an address.
    page = write(client, email="Visitor@example.com")
    asked = HelpRequest.objects.get()
    client.force_login(support)
    client.post(case_page(asked), {"act": "answer", "text": "Sign up first."})
    mail_notifications()
    mail_notifications()

    assert "visitor@example.com" in page.text.lower()
    assert (asked.player, asked.email) == (None, "visitor@example.com")
    [letter] = mail.outbox
    assert letter.to == ["visitor@example.com"]
    assert "Sign up first." in letter.body
    assert "My bonus" in letter.body
    assert HelpRequest.objects.get().answered_by == support


def test_visitor_is_asked_by_email_and_the_case_stays_open(client):
    support = a_person("Support")
    write(client, email="visitor@example.com")
    asked = HelpRequest.objects.get()
    client.force_login(support)

    shown = client.get(case_page(asked)).text
    client.post(case_page(asked), {"act": "message", "text": "Which bonus?"})
    mail_notifications()

    assert "Send by e-mail" in shown
    [letter] = mail.outbox
    assert (letter.to, "Which bonus?" in letter.body) == (["visitor@example.com"], True)
    assert pending(support) == [("players.helprequest", asked.pk)]


def test_guest_may_leave_an_address(client):
    guest = make_player(is_guest=True, email=None)
    client.force_login(guest)

    write(client)
    write(client, email="guest@example.com")

    assert [*HelpRequest.objects.order_by("pk").values_list("player", "email")] == [
        (guest.pk, ""),
        (guest.pk, "guest@example.com"),
    ]


def test_answer_is_sent_again_after_a_failure_and_then_given_up(monkeypatch):
    asked = written_by(email="a@example.com")
    answer(a_person("Support"), asked)
    now = timezone.now()

    def fail(*args, **kwargs):
        raise OSError("no mail server")

    with monkeypatch.context() as patched:
        patched.setattr(help_requests, "send_mail", fail)
        assert help_requests.mail_answers(now=now) == 0
    # The next attempt is due after a minute.
    assert help_requests.mail_answers(now=now) == 0
    later = now + help_requests.RETRY_DELAYS[1] * 2
    assert [help_requests.mail_answers(now=later) for _ in range(2)] == [1, 0]
    assert RemarkEmail.objects.get().tries == 2


def test_attachment_is_an_own_transfer(client, me):
    mine, other = make_stake(player=me).transfer, make_stake().transfer
    support = a_person("Support")

    form = client.get(reverse("contact"), {"about": mine.public_id}).text
    for stranger in (other.public_id, uuid4()):
        assert f'value="{stranger}"' not in client.get(reverse("contact"), {"about": stranger}).text
        write(client, about=str(stranger))
    assert not HelpRequest.objects.exists()
    write(client, about=str(mine.public_id))
    asked = HelpRequest.objects.get()
    client.force_login(support)
    shown = client.get(case_page(asked)).text

    assert f'value="{mine.public_id}" selected' in form
    assert asked.about == mine.public_id
    assert reverse("admin:wallet_transfer_change", args=[mine.pk]) in shown


def test_latest_games_and_payments_are_offered(client, me):
    for _ in range(5):
        fund(me, deposit=1_00)
    make_stake(player=me)

    page = client.get(reverse("contact")).text

    newest = Transfer.objects.order_by("-pk").values_list("public_id", flat=True)
    offered = [str(each) in page for each in newest]
    assert offered == [True] * 4 + [False] * 3  # The game, and three of six deposits.


def test_staff_answer_no_message_of_their_own():
    support = a_person("Support")
    verify_email(support)
    # The second is written without signing in, with the address of the account.
    signed_in, visitor = written_by(support), written_by(email=support.email)

    for asked in (signed_in, visitor):
        with pytest.raises(SharedInterest):
            answer(support, asked)
        answer(a_person("Support"), asked)
    assert HelpRequest.objects.unanswered().count() == 0


def test_a_day_has_a_limit_of_messages(monkeypatch):
    monkeypatch.setattr(help_requests, "REQUESTS_PER_DAY", 2)
    player = make_player()

    for who in ({"player": player}, {"email": "a@example.com"}):
        for _ in range(2):
            written_by(**who)
        with pytest.raises(TooManyReplies):
            written_by(**who)


def test_messages_are_limited_by_address(client, settings):
    settings.THROTTLES = settings.THROTTLES | {
        "support": rates.Rates(None, rates.parse_rate("2/h"))
    }

    answers = [write(client, email=f"a{number}@example.com") for number in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert client.get(reverse("contact")).status_code == 200
    assert HelpRequest.objects.count() == 2


def test_invalid_messages_are_refused_in_the_form(client, me):
    for wrong in ({"text": "\u202e"}, {"subject": "a\u202eb"}, {"text": ""}, {"text": "x" * 2_001}):
        page = write(client, **wrong)
        assert "errorlist" in page.text
    with pytest.raises(Refusal):
        written_by()
    assert not HelpRequest.objects.exists()


def test_message_is_neither_changed_nor_answered_twice():
    asked = written_by(make_player())
    answer(a_person("Support"), asked)

    with pytest.raises(Refusal):
        answer(a_person("Support"), asked)
    for change in ({"text": "z"}, {"answered_at": None, "answered_by": None}):
        with pytest.raises(DatabaseError), transaction.atomic():
            HelpRequest.objects.filter(pk=asked.pk).update(**change)


def test_others_find_no_conversation(client, me):
    asked = written_by(make_player(), subject="Secret")
    thread = reverse("thread", args=[Case.objects.get(row=asked.pk).public_id])

    assert client.get(thread).status_code == 404
    assert client.post(thread, {"text": "x"}).status_code == 404
    assert "Secret" not in client.get(reverse("messages")).text
    client.force_login(clerk())
    assert client.get(case_page(asked)).status_code == 403
    assert User.objects.filter(help_requests=asked).count() == 1
