"""Dashboard: right figures for permitted staff, with a fixed number of queries."""

import re
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from django.utils import timezone
from moneyed import Money

from core.pages.charts import Value, bar_chart
from core.redis import counters
from staff.access.roles import make_roles
from staff.dashboard.dashboard import dashboard
from staff.dashboard.figures import books, system
from staff.dashboard.week import player_headlines
from staff.monitoring.metrics import queue_depths
from tests.builders.staff.people import clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_game, make_table
from tests.builders.tables.playing import run_out
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from wallet.audit import freezes
from wallet.audit.models import AuditRun, WithdrawalFreeze
from wallet.stakes import stakes

pytestmark = [pytest.mark.django_db, pytest.mark.extended]


def context_of(rf, person):
    """Return the template context of the page for this person."""
    request = rf.get("/admin/")
    request.user = person
    return dashboard(request, {})


def all_figures(context):
    """Return the figures and queues of the page: number, tone and URL by label."""
    found = {
        figure.label: (figure.number, figure.tone, figure.url)
        for _, part in context["parts"]
        for figure in part
    }
    for row in (*context["pending"], *context["clear"]):
        found[str(row.queue.label)] = (str(row.number), row.note, row.queue.url)
    return found


@pytest.fixture
def figures(rf):
    """Return the figures of the page for a role: number and tone by label."""

    def read(role=""):
        person = clerk(is_superuser=not role)
        if role:
            make_roles(apps)
            person.groups.add(Group.objects.get(name=role))
        found = all_figures(context_of(rf, person))
        return {label: (number, tone) for label, (number, tone, _) in found.items()}

    return read


def rake_a_game():
    """Settle a game of two at 100.00 with a rake of 20.00."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=winner), make_stake(escrow=escrow)]
    prizes = [(winner, Money(180, "INR"))]
    stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key=f"finish:{escrow.pk}")


def test_dashboard_counts_pending_work(figures, settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": -1, "approved": 48}
    _, second = make_withdrawal(), make_withdrawal()
    step("approve", second)
    complain(played_deal())

    seen = figures()

    assert seen["Withdrawals to decide"] == ("1", "1 later than promised")
    assert seen["Withdrawals to pay"] == ("1", "")
    assert seen["Open disputes"] == ("1", "")
    assert seen["Adjustments to decide"] == ("0", "")


def test_the_longest_waiting_queue_is_first_and_empty_ones_are_listed_apart(rf):
    withdrawal = make_withdrawal()
    complain(played_deal())

    context = context_of(rf, clerk(is_superuser=True))

    rows = {str(row.queue.label): row for row in context["pending"]}
    assert list(rows) == ["Withdrawals to decide", "Open disputes"]
    assert rows["Withdrawals to decide"].since == withdrawal.requested_at
    assert "Findings to decide" in {str(row.queue.label) for row in context["clear"]}


def test_players_of_the_week_are_compared_with_the_week_before():
    make_game(players=3)
    now = timezone.now()

    [played, joined] = player_headlines(now)
    [later, _] = player_headlines(now + timedelta(days=8))

    assert (played.number, played.change, played.days[-1]) == ("3", "", 3)
    assert (later.number, later.change, sum(later.days)) == ("0", "-100 %", 3)
    assert (joined.number, len(joined.points.split())) == ("3", 14)


def test_dashboard_counts_tables_and_reports_a_stopped_clock(figures):
    make_table()
    make_game(players=3)
    run_out(make_game(players=2), seconds=200)
    make_tournament()

    seen = figures()

    assert seen["Live tables"] == ("3", "")
    assert seen["Players at tables"] == ("5", "")
    assert seen["Stuck tables"] == ("1", "bad")
    assert seen["Tournaments running"] == ("0", "")
    assert seen["Clock"] == ("never ran", "bad")


def test_dashboard_without_rake_shows_zero(figures):
    assert figures("Finance")["Rake today"] == ("0", "")


def test_dashboard_shows_ledger_figures(figures):
    rake_a_game()
    fund(make_player(), deposit=50_00)
    freezes.check_books()
    WithdrawalFreeze.objects.create(reason="The audit found 1 differences")

    seen = figures()

    assert seen["Rake today"] == ("₹20.00", "")
    assert seen["Owed to players"] == ("₹230.00", "")
    assert seen["Last audit"] == ("ledger balanced", "")
    assert seen["Withdrawals"] == ("frozen", "bad")


@pytest.mark.parametrize(
    ("ahead", "note", "tone"),
    [
        (timedelta(seconds=-90), "1 min 30 s ago", ""),
        (timedelta(seconds=1), "0 s ago", ""),
        (timedelta(hours=9), "time is in the future: check the servers' clocks", "warn"),
    ],
)
def test_the_last_audit_is_never_a_negative_time_ago(ahead, note, tone):
    freezes.check_books()
    now = AuditRun.objects.get().ran_at - ahead

    found = {one.label: one for one in books(make_player(is_superuser=True), now, {})}

    assert (found["Last audit"].note, found["Last audit"].tone) == (note, tone)


@pytest.mark.parametrize(
    ("role", "sees", "sees_not"),
    [
        ("Support", {"Open disputes", "Live tables"}, {"Rake today", "Owed to players"}),
        ("Finance", {"Rake today", "Owed to players", "Live tables"}, {"Open disputes"}),
        ("Operations", {"Open disputes", "Live tables"}, {"Rake today", "Withdrawals to decide"}),
    ],
)
def test_dashboard_shows_only_permitted_figures(figures, role, sees, sees_not):
    rake_a_game()

    seen = set(figures(role))

    assert sees <= seen
    assert not sees_not & seen


def test_the_page_costs_as_many_queries_however_much_there_is(rf):
    boss = clerk(is_superuser=True)

    def queries():
        with CaptureQueriesContext(connection) as asked:
            context_of(rf, boss)
        return len(asked)

    rake_a_game()
    make_table()
    make_withdrawal()
    few = queries()
    for _ in range(3):
        rake_a_game()
        make_table()
        make_withdrawal()

    assert queries() == few <= 72


def test_every_figure_leads_to_a_list_that_opens(rf):
    make_withdrawal()
    boss = clerk(is_superuser=True)

    urls = {url for _, _, url in all_figures(context_of(rf, boss)).values() if url}

    assert len(urls) > 10
    for url in urls:
        request = rf.get(url)
        request.user, request.session = boss, {}
        view = resolve(request.path)
        assert view.func(request).status_code == 200, url


def test_charts_need_no_inline_script_or_style(client):
    rake_a_game()
    client.force_login(clerk(is_superuser=True))

    page = client.get(reverse("admin:index")).content.decode()

    [desk] = re.findall(r'<div class="desk">.*?</small></p>', page, flags=re.DOTALL)
    assert '<canvas class="chart" role="img" aria-label="Rake by day, INR"' in desk
    assert '<td class="number">₹20.00</td>' in desk
    assert not re.findall(r"<script|<style| style=| on\w+=", desk)


def test_bars_fill_the_chart_and_losses_hang_below():
    chart = bar_chart("Rake", [Value("1", 30, ""), Value("2", -10, "")])

    up, down = chart.bars
    assert (up.y, up.height) == (16, 75)
    assert (down.y, down.height, down.is_below) == (91, 25, True)
    assert (chart.zero, chart.peak) == (91, up)
    assert bar_chart("Nothing", []).bars == []


def test_dashboard_reports_an_unavailable_broker(settings, figures):
    settings.REDIS_URL = "redis://127.0.0.1:1"

    assert figures()["Queues"] == ("unknown", "bad")


def test_messages_are_counted_and_their_queues_named():
    queue = "exports"
    client = counters.client()
    client.lpush(queue, "{}")
    try:
        (waiting,) = (
            one
            for one in system(clerk(is_superuser=True), timezone.now())
            if "waiting" in one.label
        )
        depths = queue_depths()
    finally:
        client.lpop(queue)

    assert waiting.number == str(sum(depths.values()))
    assert waiting.note == ", ".join(f"{name} {depth}" for name, depth in depths.items() if depth)
    assert f"{queue} {depths[queue]}" in waiting.note
