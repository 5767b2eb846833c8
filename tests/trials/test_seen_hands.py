"""The simulated people report a view that contains another player's cards."""

import pytest

from core.api.openapi import as_json
from tables.view.table_view import table_view
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import seat_at
from tests.trials.people.seen_hands import SeenHands


@pytest.fixture
def noted():
    return []


@pytest.fixture
def views(db):
    """What both players of a table see of it, as the API answers."""
    table = make_game(players=2)
    return [as_json(table_view(table, seat_at(table, position).player)) for position in (1, 2)]


def test_views_with_only_their_viewers_hand_are_compared_and_not_reported(views, noted):
    seen = SeenHands(noted.append)

    for view in views:
        seen.look(view)

    assert noted == ["views compared"]


@pytest.mark.parametrize("as_text", [True, False])
def test_another_players_hand_is_reported_in_any_part_of_a_view(views, noted, as_text):
    seen = SeenHands(noted.append)
    seen.look(views[0])
    hand = views[0]["me"]["hand"]

    views[1]["seats"][0]["position"] = " ".join(hand) if as_text else {"cards": hand}
    seen.look(views[1])

    assert noted == ["views compared", "hidden cards"]


def test_cards_of_an_earlier_deal_are_not_reported(views, noted):
    seen = SeenHands(noted.append)
    seen.look(views[0])
    views[1]["deal"]["no"] += 1
    views[1]["last_deal"] = {"hands": [views[0]["me"]["hand"]]}

    seen.look(views[1])

    assert noted == []
