"""The case page: take, rank, note, write to the player, and answer."""

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from core.admin.previews import SHOWN
from core.models import AuditEntry
from players.cases.actions import take_case
from players.cases.models import CannedAnswer, Case, Remark
from players.exceptions import CaseTaken
from players.notifications.models import Notification
from staff.cases.kinds import DISPUTES, TASKS
from tables.integrity.moderation.dispute_models import Dispute
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import SUPERUSER, a_person, clerk, clerk_who_may, promote
from tests.builders.staff.previews import previewed
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import make_player
from wallet.deposits.models import GatewayEvent, StaffTask
from wallet.deposits.payment_models import PaymentReturn
from wallet.gateways.sandbox_page import Sent

pytestmark = [pytest.mark.django_db, pytest.mark.extended]


@pytest.fixture
def dispute():
    return complain(played_deal())


def url_of(row):
    return reverse("case", args=[row._meta.label_lower, row.pk])


def test_case_page_has_all_actions_from_the_report_to_the_answer(client, dispute):
    by = a_person("Support")
    client.force_login(by)
    page = url_of(dispute)

    def do(act, **sent):
        return client.post(page, {"act": act, **sent}, follow=True).text

    assert page in client.get(reverse("cases")).text
    do("take")
    do("rank", priority="1", due_at="2027-01-02T10:30")
    do("note", text="The replay shows nothing odd.")
    do("message", text="Which step do you mean?")
    client.force_login(dispute.seat.player)
    client.post(reverse("thread", args=[Case.objects.get().public_id]), {"text": "The first one."})
    client.force_login(by)
    shown = client.get(page).text
    done = do("answer", text="It ran as it should.")

    case, answered = Case.objects.get(), Dispute.objects.get(pk=dispute.pk)
    assert (case.owner, case.priority) == (by, Case.Priority.URGENT)
    assert timezone.localtime(case.due_at).strftime("%Y-%m-%d %H:%M") == "2027-01-02 10:30"
    for words in ("nothing odd", "Which step", "The first one.", dispute.text):
        assert words in shown
    assert (answered.status, answered.answer) == ("answered", "It ran as it should.")
    assert '<span class="tag good">closed</span>' in done
    acts = (
        AuditEntry.objects.filter(by=by, about=dispute.seat.player)
        .order_by("pk")
        .values_list("act", flat=True)
    )
    assert [*acts] == ["give", "rank", "note", "message", "answer"]
    notification = Notification.objects.get(player=dispute.seat.player)
    assert (notification.kind, notification.subject) == (
        "staff_message",
        "your complaint about a deal",
    )


def test_canned_answer_is_filled_in_in_the_players_language(client, dispute):
    canned = CannedAnswer.objects.create(title="Busy", english="We look.", hindi="हम देखते हैं।")
    client.force_login(a_person("Support"))
    player = dispute.seat.player

    english = client.get(url_of(dispute), {"canned": canned.pk}).text
    player.language = "hi"
    player.save()
    hindi = client.get(url_of(dispute), {"canned": canned.pk}).text
    chosen = client.get(url_of(dispute), {"canned": canned.pk, "language": "en"}).text

    assert "We look.</textarea>" in english
    assert "हम देखते हैं।</textarea>" in hindi
    assert "We look.</textarea>" in chosen
    assert client.get(url_of(dispute), {"canned": "x", "language": "zz"}).status_code == 200


def test_refusals_are_shown_and_write_nothing(client, dispute):
    rival = dispute.deal.deal_seats.get(position=3).seat.player
    promote(rival)
    task = StaffTask.objects.create(kind="session_ended", details="Look at this")
    client.force_login(rival)

    shared = client.post(url_of(dispute), {"act": "take"}).text
    client.force_login(clerk(is_superuser=True))
    nobody = client.post(url_of(task), {"act": "message", "text": "Hello"}).text
    empty = client.post(url_of(dispute), {"act": "note", "text": " "}).text
    rank = {"act": "rank", "priority": "1", "due_at": "9999-01-01T00:00"}
    endless = client.post(url_of(dispute), rank).text

    assert "(shared_interest)" in shared
    assert "(case_has_no_player)" in nobody
    assert "Fill in the form." in empty
    assert "Fill in the form." in endless
    assert client.post(url_of(dispute), {"act": "burn"}).status_code == 400
    assert client.post(url_of(task), {"act": "answer", "text": "x"}).status_code == 403
    assert not Remark.objects.exists()
    assert not Case.objects.exists()


def test_cases_are_assigned_only_to_active_staff(client, dispute):
    client.force_login(clerk(is_superuser=True))
    colleague, player = clerk(), dispute.seat.player

    client.post(url_of(dispute), {"act": "give", "owner": colleague.pk})
    client.post(url_of(dispute), {"act": "give", "owner": player.pk})

    assert Case.objects.get().owner == colleague
    client.post(url_of(dispute), {"act": "give", "owner": ""})
    assert Case.objects.get().owner is None


def test_case_of_a_colleague_cannot_be_taken_but_assigned(client, dispute):
    first, second = a_person("Support"), a_person("Support")
    page = url_of(dispute)
    said = []
    for person in (first, first, second):
        client.force_login(person)
        said.append(client.post(page, {"act": "take"}, follow=True).text)

    assert Case.objects.get().owner == first
    assert ["The case is assigned to you." in text for text in said] == [True, True, False]
    assert "case_taken" in said[2]
    client.post(page, {"act": "give", "owner": second.pk})
    assert Case.objects.get().owner == second


@pytest.mark.django_db(transaction=True)
def test_concurrent_takes_of_a_case_give_it_to_one(dispute):
    subject = DISPUTES.subject(dispute)
    takers = [make_player(is_staff=True) for _ in range(2)]

    answers = at_once([partial(take_case, subject=subject, by=by) for by in takers])

    [refusal] = [one for one in answers if isinstance(one, Exception)]
    assert isinstance(refusal, CaseTaken)
    assert Case.objects.get().owner in takers


def test_case_of_an_invisible_row_is_not_found(client, dispute):
    client.force_login(a_person("Finance"))

    assert client.get(url_of(dispute)).status_code == 404
    assert client.get(reverse("case", args=["players.user", 1])).status_code == 404
    client.force_login(clerk())
    assert client.get(reverse("cases")).status_code == 403
    assert client.get(url_of(dispute)).status_code == 403


def test_support_alone_answers_a_dispute(client, dispute):
    client.force_login(a_person("Operations"))

    page = client.get(url_of(dispute)).text

    assert 'value="note"' in page
    assert 'value="answer"' not in page
    assert client.post(url_of(dispute), {"act": "answer", "text": "x"}).status_code == 403


def test_dispute_has_a_sentence_as_title_and_the_table_at_its_step(client, dispute):
    client.force_login(a_person("Support"))

    page = client.get(url_of(dispute))
    listed = client.get(reverse("cases")).text

    title = DISPUTES.sentence(dispute)
    assert title.startswith(f"{dispute.seat.player.handle} ")
    assert title in listed
    board = page.context["board"]
    assert (board.ply, len(board.seats)) == (dispute.ply, dispute.deal.deal_seats.count())
    assert all(hand.hand in page.text for _seat, hand in board.seats)


def test_person_without_the_right_to_replay_sees_no_board(client, dispute):
    client.force_login(clerk_who_may("view_case", "view_dispute"))

    page = client.get(url_of(dispute))

    assert page.status_code == 200
    assert page.context["board"] is None
    assert "meld-row" not in page.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("lawful")
def test_payment_made_twice_is_credited_by_the_button_that_says_what_it_posts(client):
    tell(make_deposit(100), Sent(), Sent(payment=2))
    task = TASKS.rows(clerk()).get()
    client.force_login(a_person(SUPERUSER))

    page = client.get(url_of(task))
    credit = {"choice": "place"}
    shown = previewed(client, url_of(task), credit)
    again = dict(shown.context["again"])
    before = StaffTask.objects.get().done_at
    done = client.post(url_of(task), credit | {SHOWN: again[SHOWN]}, follow=True)

    assert page.context["title"].startswith("Player charged twice: ₹1")
    [place, send_back] = page.context["choices"]
    assert place["effect"].startswith("Posts ₹1")
    assert (send_back["name"], bool(send_back["asks"])) == ("send_back", True)
    assert before is None
    assert "Credited: " in done.text
    assert StaffTask.objects.get().done_at is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("lawful")
def test_task_about_a_dispute_links_to_the_page_of_its_payment(client):
    disputed, ordered = make_deposit(500), make_deposit(200)
    tell(disputed, Sent(), Sent(GatewayEvent.Kind.DISPUTE_OPEN, case="d1"))
    tell(ordered, Sent(surplus_minor=1_00))
    client.force_login(a_person("Finance"))

    about, other = (
        client.get(url_of(StaffTask.objects.get(deposit=deposit))).text
        for deposit in (disputed, ordered)
    )

    case = PaymentReturn.objects.get()
    assert reverse("admin:wallet_paymentreturn_change", args=[case.pk]) in about
    assert "Open the refund or dispute" in about
    assert "Open the refund or dispute" not in other


def test_decisions_are_refused_to_those_without_the_permission(client):
    task = StaffTask.objects.create(kind="session_ended", details="Look at this")
    client.force_login(clerk_who_may("view_case", "change_case", "view_stafftask"))

    assert client.get(url_of(task)).context["choices"] == []
    assert client.post(url_of(task), {"choice": "done"}).status_code == 403
    assert client.post(url_of(task), {"choice": "burn"}).status_code == 400
    assert StaffTask.objects.get().done_at is None
