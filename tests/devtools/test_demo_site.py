"""A new demo has a table of every variant, and players can sit down at each."""

import pytest
from moneyed import Money

from devtools.demo import SAMPLE_STAFF
from devtools.demo_site import players_and_tables as demo_site
from devtools.sample_data import people
from players.accounts.models import User
from players.identity.models import IdentityCheck
from tables.games import PROFILES
from tables.models.tables import Table
from tables.models.templates import TableTemplate
from tables.seats import seating
from tables.state.rules import rules_of
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import reread
from tests.builders.wallet.cashier_desk import start_deposit, tell
from tests.builders.wallet.players import fund
from tournaments.planning.template_models import TournamentTemplate
from wallet.audit.audit import row_findings
from wallet.gateways.sandbox_page import Sent

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_names_all_staff_of_the_sample_data():
    assert set(SAMPLE_STAFF) == set(people.STAFF)


@pytest.mark.extended
def test_audit_of_a_new_demo_is_clean():
    demo_site.furnish(password="marigold-felt-27")

    assert IdentityCheck.objects.count() == 2
    assert row_findings() == ()


@pytest.mark.extended
def test_a_demo_offers_every_variant_to_practise_and_says_nothing_twice():
    open_region("IN-KA")
    for _ in range(2):
        demo_site.furnish(password="marigold-felt-27")

    practised = {
        rules_of(template.profile).name.removesuffix("-quick")
        for template in TableTemplate.objects.filter(bots_fill=True)
    }
    assert practised == set(PROFILES) - {"rummycentral-points"}
    assert TableTemplate.objects.count() == Table.objects.count() == len(demo_site.OFFERS)
    for_money = TableTemplate.objects.exclude(currency="PTS").values_list("slug", flat=True)
    assert set(for_money) == {"duel-101-cash", "points-cash"}
    templates = {template.slug: template for template in TournamentTemplate.objects.all()}
    for slug in ("evening-knockout-101", "evening-freeroll"):
        assert templates.pop(slug).tournaments.exists()
    assert {template.tournaments.count() for template in templates.values()} == {1}
    player = fund(make_player(country="IN", region="KA"), deposit=100_00)["deposit"].player
    for table in Table.objects.all():
        seating.join(table_id=table.pk, player=player)
        seat = table.seats.get(player=player)
        seating.leave(seat_id=seat.pk)
        assert reread(table).escrow.balance_minor == 0


@pytest.mark.extended
def test_a_player_of_the_demo_pays_in_and_sits_down_for_money(client):
    open_region("IN-KA")
    demo_site.furnish(password="marigold-felt-27")
    asha = User.objects.get(handle="asha")
    client.force_login(asha)

    wallet = client.get("/wallet/").content.decode()
    tell(start_deposit(player=asha, amount=Money(200, "INR")), Sent())
    table = Table.objects.get(template__slug="duel-101-cash")
    seating.join(table_id=table.pk, player=asha)

    assert "/wallet/deposit/" in wallet
    assert "/wallet/withdraw/" in wallet
    assert reread(table).escrow.balance_minor == 50_00
