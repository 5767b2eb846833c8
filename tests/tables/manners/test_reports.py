"""Reports about players, and the decision that both are notified of."""

import re
from functools import partial

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from players.exceptions import SharedInterest
from players.notifications.models import Notification
from players.notifications.texts import text_of
from staff.cases.kinds import REPORTS
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tables.exceptions import BadReport, ReportDecided, ReportPending, TooManyReports
from tables.manners import actions
from tables.manners.models import Block, PlayerReport
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk_who_may
from tests.builders.tables.deals import take_turn
from tests.builders.tables.disputes import played_deal, send_report
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import deal_at, seat_at
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def finished_deal():
    return played_deal()


def hidden(page):
    """Return the hidden fields of the form of a report."""
    return dict(re.findall(r'type="hidden" name="(deal_no|ply)" value="(\d+)"', page))


def decide(report, by=None, outcome="warned", note="The moves show it."):
    by = by or clerk_who_may()
    return actions.decide_report(report_id=report.pk, by=by, outcome=outcome, note=note)


@pytest.mark.parametrize(
    "changed",
    [
        {"handle": "nobody"},
        {"handle": "the reporter"},
        {"handle": "a stranger"},
        {"player": "a stranger"},
        {"kind": "weather"},
        {"text": " \n"},
        {"text": "x" * 2001},
        {"text": "\x00"},
        {"deal_no": 9},
        {"ply": 99},
        {"ply": -1},
    ],
    ids=str,
)
def test_refused_report_leaves_no_row(finished_deal, changed):
    reporter = finished_deal.deal_seats.get(position=1).seat.player
    if changed.get("handle") == "the reporter":
        changed = {"handle": reporter.handle}
    if changed.get("handle") == "a stranger":
        changed = {"handle": make_player().handle}
    if "player" in changed:
        changed = {"player": make_player()}

    with pytest.raises(BadReport):
        send_report(finished_deal, **changed)

    assert not PlayerReport.objects.exists()


def test_one_report_about_a_player_of_a_game_is_open_and_ten_are_sent_a_day(
    finished_deal, monkeypatch
):
    deal = finished_deal
    third = deal.deal_seats.get(position=3).seat.player
    first = send_report(deal)
    with pytest.raises(ReportPending):
        send_report(deal, kind="other")
    send_report(deal, handle=third.handle)
    decide(first, outcome="no_breach")
    send_report(deal)

    monkeypatch.setattr(actions, "REPORTS_PER_DAY", 3)
    decide(PlayerReport.objects.pending().get(reported=third))
    with pytest.raises(TooManyReports):
        send_report(deal, handle=third.handle)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_send_one_report():
    deal = played_deal()

    answers = at_once([partial(send_report, deal)] * 2)

    assert sorted(type(each).__name__ for each in answers) == ["PlayerReport", "ReportPending"]


@pytest.mark.parametrize(
    ("outcome", "for_reporter", "for_reported"),
    [
        ("no_breach", "found no breach of the rules", "found no breach of the rules"),
        ("warned", "have taken action", "This is a warning"),
        ("restricted", "have taken action", "restricted your account"),
    ],
)
def test_outcome_goes_to_both_and_names_no_reporter(
    client, finished_deal, outcome, for_reporter, for_reported
):
    report = send_report(finished_deal)
    decide(report, outcome=outcome)
    with pytest.raises(ReportDecided):
        decide(report)

    sent = Notification.objects.filter(player__in=[report.reporter, report.reported])
    texts = {each.player: text_of(each) for each in sent}
    assert set(texts) == {report.reporter, report.reported}
    assert for_reporter in texts[report.reporter]
    assert for_reported in texts[report.reported]
    client.force_login(report.reported)
    page = client.get(reverse("people")).text
    assert "Decisions about your conduct" in page
    said = "\n".join((page.split("Decisions about")[1], texts[report.reported]))
    assert report.reporter.handle not in said
    assert finished_deal.table.name not in said
    assert report.text not in said


def test_report_of_the_table_page_has_the_step_and_blocks_the_player(client):
    table = make_game(players=3)
    take_turn(table)
    deal = deal_at(table)
    reporter, reported = (seat_at(table, position).player for position in (1, 2))
    client.force_login(reporter)
    address = reverse("report-player", args=[table.public_id])
    assert f"{address}?next=" in client.get(reverse("table", args=[table.public_id])).text
    sent = {"handle": reported.handle, "kind": "program", "text": "Too fast.", "is_blocked": "on"}

    client.post(address, sent | hidden(client.get(address).text))

    report = PlayerReport.objects.get()
    assert (report.deal, report.ply) == (deal, deal.moves.count())
    assert (report.reported, report.kind) == (reported, "program")
    assert Block.objects.filter(player=reporter, blocked=reported).exists()
    client.force_login(make_player())
    assert client.get(address).status_code == 404


def test_report_of_a_replay_has_its_step(client, finished_deal):
    reporter = finished_deal.deal_seats.get(position=1).seat.player
    client.force_login(reporter)
    names = [finished_deal.table.public_id, finished_deal.no, 1]
    replay = client.get(reverse("replay", args=names)).text

    form = client.get(reverse("report-player", args=names[:1]), {"deal": 1, "step": 1}).text

    assert f"{reverse('report-player', args=names[:1])}?deal=1&amp;step=1" in replay
    assert hidden(form) == {"deal_no": "1", "ply": "1"}


def test_support_decides_in_the_admin_and_the_case_shows_the_step(client, finished_deal):
    report = send_report(finished_deal)
    by = a_person("Support")
    client.force_login(by)
    page = reverse("admin:tables_playerreport_change", args=[report.pk])
    case = client.get(reverse("case", args=["tables.playerreport", report.pk])).text

    assert report.text in client.get(page).text
    assert (page in case, report.text in case) == (True, True)
    assert client.post(page, {"outcome": "", "note": "x"}).status_code == 200
    client.post(page, {"outcome": "warned", "note": "Every clock ran out."})
    client.post(page, {"outcome": "no_breach", "note": "Again."})

    report.refresh_from_db()
    assert (report.outcome, report.decided_by, report.note) == (
        "warned",
        by,
        "Every clock ran out.",
    )
    assert not REPORTS.open_rows(REPORTS.rows(by)).exists()


@pytest.mark.parametrize("position", [1, 2, 3], ids=["reporter", "reported", "of the game"])
def test_staff_decide_no_report_of_their_own(client, finished_deal, position):
    report = send_report(finished_deal)
    person = finished_deal.deal_seats.get(position=position).seat.player
    person.is_staff = person.is_superuser = True
    person.save()
    client.force_login(person)

    with pytest.raises(SharedInterest):
        decide(report, by=person)
    queue = client.get(reverse("admin:tables_playerreport_changelist")).context["cl"].queryset

    report.refresh_from_db()
    assert report.outcome == ""
    # The reported person does not see who reported them.
    assert (report in queue) == (position != 2)
    assert (report in REPORTS.rows(person)) == (position != 2)
    assert not Notification.objects.exists()


def test_staff_without_the_permission_do_not_decide(client, finished_deal):
    report = send_report(finished_deal)
    by = clerk_who_may("view_playerreport")
    assert Permission.objects.filter(codename="decide_playerreport").exists()
    client.force_login(by)
    page = reverse("admin:tables_playerreport_change", args=[report.pk])

    assert client.get(page).status_code == 200
    assert client.post(page, {"outcome": "warned", "note": "x"}).status_code == 403


def test_export_has_own_blocks_and_reports_and_closing_deletes_blocks(finished_deal):
    report = send_report(finished_deal)
    actions.block(player=report.reporter, blocked=report.reported)
    actions.block(player=report.reported, blocked=report.reporter)

    own, other = own_data(report.reporter), own_data(report.reported)

    assert [row["name"] for row in own["blocked_players"]] == [report.reported.handle]
    assert [row["text"] for row in own["reports"]] == [report.text]
    assert other["reports"] == []
    assert report.text not in str(other)
    person = make_player()
    actions.block(player=person, blocked=report.reporter)
    actions.block(player=report.reporter, blocked=person)
    close_account(player_id=person.pk)
    assert Block.objects.count() == 2
