"""Only the player sees why their show was wrong and its cost; rules are part of the view."""

import pytest

from core.api.openapi import as_json
from rummy import PROFILES
from tables.settlement import scoring
from tables.view.table_view import table_view
from tests.builders.tables.making import NO_PAUSES, make_game, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.pools import let_time_pass, make_pool

pytestmark = pytest.mark.django_db


def test_faults_of_a_wrong_show_are_sent_only_to_its_player_until_the_next_deal():
    table = make_pool(players=2)
    me, other = (seat_at(table, position).player for position in (1, 2))
    move(table, 1, "ds")
    cards = hand_of(table, 1)
    move(table, 1, f"show {' '.join(cards[:2])} | {' '.join(cards[2:13])} x {cards[13]}")

    during = table_view(reread(table), me).me.wrong_show
    assert {"too_short", "no_pure_sequence"} <= set(during.codes)
    assert during.text.startswith("Too few cards, ")
    assert during.points == 80
    for viewer in (other, None):
        assert "no_pure_sequence" not in str(as_json(table_view(reread(table), viewer)))

    scoring.settle_deal(deal_id=deal_at(table).pk)
    assert reread(table).phase == "between"
    assert table_view(reread(table), me).me.wrong_show == during
    assert table_view(reread(table), other).me.wrong_show is None
    let_time_pass(table)
    assert reread(table).phase == "playing"
    assert table_view(reread(table), me).me.wrong_show is None


def test_group_rules_in_the_view_are_those_of_the_profile():
    pool = table_view(make_table(), None).group_rules
    assert (pool.unmet, pool.unmet_points, pool.life_of_four) == ("all", "sum", "none")
    assert (pool.loose_jokers, pool.max_jokers_per_set) == (False, None)

    vengala = PROFILES["vengala-points"].with_(name="test vengala", **NO_PAUSES)
    other = make_table(rules=vengala, entry_minor=80_00, point_value_minor=1_00)
    rules = table_view(other, None).group_rules
    assert rules.life_of_four == vengala.life_of_four != "none"
    assert as_json(rules)["identical_triples"] == vengala.identical_triples


def test_code_of_a_private_table_is_shown_only_to_its_players():
    table = make_game(players=2)
    assert table_view(table, seat_at(table, 1).player).me.invite_code is None
    table.invite_code = "a-code"
    table.save(update_fields=["invite_code"])

    assert table_view(table, seat_at(table, 1).player).me.invite_code == "a-code"
    assert "a-code" not in str(as_json(table_view(table, None)))
