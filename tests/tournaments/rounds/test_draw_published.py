"""The published data of the draw can be verified with Python alone."""

import runpy

import pytest
from django.urls import reverse

from tests.builders.tournaments.tournaments import enter, make_tournament, start
from tournaments.entries.models import Entry

pytestmark = pytest.mark.django_db
faults = runpy.run_path("docs/examples/check_draw.py")["faults"]


@pytest.fixture
def tournament():
    """Seven drawn entries, and three late ones at a table of their own."""
    tournament = make_tournament(late_minutes=20)
    enter(tournament, 7)
    tournament = start(tournament)
    enter(tournament, 3)
    return tournament


@pytest.fixture
def draw(client, tournament):
    return client.get(reverse("tournament-draw-api", args=[tournament.public_id])).json()


@pytest.mark.extended
def test_the_documented_program_repeats_the_draw(draw):
    assert (len(draw["order"]), len(draw["late"])) == (7, 3)
    assert faults(draw) == []


@pytest.mark.extended
def test_documented_program_detects_an_altered_draw(draw):
    first, second, *others = draw["order"]

    assert faults(draw | {"order": [second, first, *others]}) == ["This seed draws another order."]
    assert len(faults(draw | {"seed": "00" * 32})) == 2
    assert faults(draw | {"order": [*draw["order"], draw["late"][0]]})


@pytest.mark.extended
def test_table_numbers_follow_from_the_order(tournament, draw):
    tables = tournament.rounds.get().round_tables.order_by("no")
    seated = [set(table.seatings.values_list("entry__public_id", flat=True)) for table in tables]

    ids = [entry["entry"] for entry in draw["order"]]
    late = [entry["entry"] for entry in draw["late"]]
    assert [set(map(str, table)) for table in seated] == [
        *(set(ids[first::3]) for first in range(3)),
        set(late),
    ]


@pytest.mark.extended
def test_the_page_lists_late_entries_apart_from_the_draw(client, tournament):
    page = client.get(reverse("tournament-draw", args=[tournament.public_id])).text

    drawn, _, late = page.partition("Late entries")
    for entry in Entry.objects.select_related("player"):
        assert entry.player.handle in (late if entry.is_late else drawn)
