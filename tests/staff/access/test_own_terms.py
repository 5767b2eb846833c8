"""Staff cannot play in games whose terms they set or on which they acted."""

import pytest
from django.urls import reverse
from django.utils import timezone

from players.exceptions import SharedInterest
from tables.exceptions import NoTableFits
from tables.games import opening as lobby
from tables.integrity.moderation import rulings
from tables.lobby import quick_seat
from tables.lobby.offers import LobbyFilter
from tables.lobby.table_templates import actions as templates
from tables.lobby.table_templates import profiles
from tables.models.seats import Seat
from tables.models.templates import TableTemplate
from tables.seats import seating
from tests.builders.staff.acts import WHY, boss
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tables.playing import deal_at
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tournaments.tournaments import enter, make_template
from tests.builders.wallet.players import acts, admit_to_cash, fund
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from tournaments.planning import opening

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


def open_one(template, by):
    return opening.open_by_hand(template=template, starts_at=None, by=by, now=timezone.now())


def enter_by_api(client, player, tournament):
    client.force_login(player)
    url = f"/api/v1/tournaments/{tournament.public_id}/entry/"
    return client.post(url, {}, content_type="application/json")


def test_staff_cannot_enter_a_tournament_that_they_opened(client):
    staff = boss()
    tournament = open_one(make_template(start_rule="when_full"), staff)

    refused = enter_by_api(client, staff, tournament)

    assert (refused.status_code, refused.json()["code"]) == (409, "shared_interest")
    assert not Entry.objects.exists()
    assert enter_by_api(client, boss(), tournament).status_code == 201


def test_staff_cannot_enter_tournaments_of_a_template_they_changed():
    staff = boss()
    template = make_template(start_rule="when_full")
    template.guarantee_minor = 50_000_00
    opening.change_template(template=template, by=staff)
    [tournament] = opening.keep_scheduled(timezone.now())

    with pytest.raises(SharedInterest):
        registration.register(tournament_id=tournament.pk, player=staff)

    assert len(enter(tournament)) == 1


def test_a_form_sent_unchanged_sets_no_terms():
    staff = boss()
    template = make_template(start_rule="when_full")
    opening.change_template(template=template, by=staff)
    tournament = open_one(template, boss())

    assert not acts().filter(by=staff).exists()
    assert registration.register(tournament_id=tournament.pk, player=staff).pk


def table_of(currency, *, by):
    """Return a table of a template that this member of staff has just created."""
    rules = make_rules()
    template = TableTemplate(slug="own", name="Own", entry_minor=10_00, currency=currency)
    template.profile = profiles.register_profile(rules)
    templates.change_template(template=template, rules=rules, by=by)
    return lobby.restock(template_id=template.pk)


def cash_player(**overrides):
    player = make_player(**overrides)
    admit_to_cash(player)
    fund(player, deposit=100_00)
    return player


def test_staff_cannot_play_for_money_at_a_table_they_set_up(client):
    staff = cash_player(is_staff=True)
    table = table_of("INR", by=staff)
    client.force_login(staff)

    url = f"/api/v1/tables/{table.public_id}/seats/"
    refused = client.post(url, {}, content_type="application/json")
    page = client.post(reverse("table-join", args=[table.public_id]), follow=True).content.decode()
    with pytest.raises(NoTableFits):
        quick_seat.sit_down(player=staff, wanted=LobbyFilter(currency="INR"))

    assert (refused.status_code, refused.json()["code"]) == (409, "shared_interest")
    assert "You cannot join a game that you set up" in page
    assert not Seat.objects.exists()
    assert seating.join(table_id=table.pk, player=cash_player()).pk


def test_staff_try_out_a_table_for_play_points():
    staff = boss()

    assert seating.join(table_id=table_of("PTS", by=staff).pk, player=staff).pk


def test_staff_who_voided_a_deal_cannot_join_the_table():
    """Otherwise staff could void a rival's good hand and then take the free seat."""
    table, staff = make_points_table(currency="INR"), cash_player(is_staff=True)
    for _ in range(2):
        seating.join(table_id=table.pk, player=cash_player())
    rulings.void_deal(deal_id=deal_at(table).pk, by=staff, **WHY)

    with pytest.raises(SharedInterest):
        seating.join(table_id=table.pk, player=staff)
