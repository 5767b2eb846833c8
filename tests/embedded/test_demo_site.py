"""What a demo opens with: a table of every variant, each of which can be sat down at."""

import pytest

from embedded.site import players_and_tables as demo_site
from tables.games import PROFILES
from tables.seats import seating
from tables.table.models import Table
from tables.table.profile_models import TableTemplate
from tables.table.rules import rules_of
from tests.builders.tables.tables import make_player, reread
from tournaments.planning.template_models import TournamentTemplate

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.extended
def test_a_demo_offers_every_variant_to_practise_and_says_nothing_twice():
    for _ in range(2):
        demo_site.furnish(password="marigold-felt-27")

    practised = {
        rules_of(template.profile).name.removesuffix("-quick")
        for template in TableTemplate.objects.filter(bots_fill=True)
    }
    assert practised == set(PROFILES) - {"rummycentral-points"}
    assert TableTemplate.objects.count() == Table.objects.count() == len(demo_site.OFFERS)
    assert not TableTemplate.objects.exclude(currency="PTS").exists()
    templates = {template.slug: template for template in TournamentTemplate.objects.all()}
    assert templates.pop("evening-knockout-101").tournaments.exists()
    assert {template.tournaments.count() for template in templates.values()} == {1}
    player = make_player()
    for table in Table.objects.all():
        seating.join(table_id=table.pk, player=player)
        seat = table.seats.get(player=player)
        seating.leave(seat_id=seat.pk)
        assert reread(table).escrow.balance_minor == 0
