"""Menu badges: pending work is counted for permitted staff, and each list shows it."""

import re

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from staff.access.roles import make_roles
from staff.dashboard.queues import QUEUES
from tests.builders.staff.people import clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tournaments.tournaments import enter, make_tournament, start
from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import fund, make_player
from tournaments.rounds import stopping
from wallet.audit.models import WithdrawalFreeze
from wallet.corrections import adjustments
from wallet.deposits import terms as deposit_terms
from wallet.deposits.models import StaffTask
from wallet.tax.models import PayeeKind
from wallet.tax.residence import declare_residence

pytestmark = pytest.mark.django_db


@pytest.fixture
def work():
    """One row in nearly every queue; a separate clerk requests the actions."""
    asks = clerk()
    make_withdrawal()
    complain(played_deal())
    source, target = fund(make_player())["winnings"], fund(make_player())["deposit"]
    adjustments.request_adjustment(
        source=source, target=target, amount=Money(5, "INR"), reason="Paid twice", by=asks
    )
    StaffTask.objects.create(kind=StaffTask.Kind.SESSION_ENDED, details="Look at this")
    deposit_terms.request_term(hours=24, begins_at=timezone.now(), reason="Cards", by=asks)
    tournament = make_tournament()
    enter(tournament, 3)
    start(tournament)
    stopping.ask_to_abort(tournament_id=tournament.pk, by=asks, reason="A fault")
    declare_residence(player_id=make_player().pk, kind=PayeeKind.NON_RESIDENT, country="AE")
    WithdrawalFreeze.objects.create(reason="A drill")


def badges(client, person):
    """Return the groups of the menu for this person, and the entries with a badge."""
    client.force_login(person)
    page = client.get(reverse("admin:core_auditentry_changelist")).content.decode()
    [menu] = re.findall(r'<div id="nav-sidebar-apps".*?</ol>\s*</div>\s*</div>', page, re.DOTALL)
    groups = re.findall(r"<h2[^>]*>\s*(\w+)", menu)
    entries = re.findall(r"<a href.*?</a>", menu, re.DOTALL)
    texts = [" ".join(re.sub(r"<[^>]+>", " ", entry).split()) for entry in entries]
    counted = re.compile(r"\w+ (\D+?) (\d+(?:, \d+ late)?)$")
    return groups, dict(found.groups() for text in texts if (found := counted.match(text)))


@pytest.mark.extended
def test_menu_counts_pending_work_in_four_groups_without_zeros(client, work):
    assert badges(client, clerk(is_superuser=True)) == (
        ["Play", "Money", "People", "System"],
        {
            "Tournament actions": "1",
            "Disputes": "1",
            "Withdrawals": "1",
            "Adjustments": "1",
            "Tasks for staff": "1",
            "Deposit terms": "1",
            "Withdrawal freezes": "1",
            "Cases": "2",
            "Tax residences": "1",
        },
    )


@pytest.mark.extended
def test_menu_names_late_withdrawals(client, settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": -1, "approved": 48}
    make_withdrawal()

    _, counts = badges(client, clerk(is_superuser=True))

    assert counts["Withdrawals"] == "1, 1 late"


def test_a_queue_is_for_those_who_may_see_its_list():
    make_roles(apps)
    person = clerk()
    person.groups.add(Group.objects.get(name="Operations"))

    models = {queue.model for queue in QUEUES if queue.is_for(person)}

    acts_on_tournaments = {"tournaments_staffaction", "tournaments_ticketrefund"}
    on_tables = {"tables_dispute", "tables_finding", "tables_playerreport", "tables_reviewflag"}
    assert models == on_tables | acts_on_tournaments


@pytest.mark.extended
def test_the_list_of_a_queue_shows_what_it_counts(client, work):
    client.force_login(clerk(is_superuser=True))

    for queue in QUEUES:
        listed = client.get(queue.url)
        assert listed.status_code == 200, queue.model
        assert listed.context["cl"].result_count == queue.count(), queue.model
