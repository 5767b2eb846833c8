"""What the live table tells of its randomness, and what it keeps to itself (RB 12.1)."""

import json
import re
from uuid import uuid4

import pytest
from rest_framework.test import APIClient
from rest_framework.utils.encoders import JSONEncoder

import rummy
from core.api.openapi import as_json
from tables.history.fairness import seeds
from tables.models.tables import Table
from tables.seats import client_seeds, seating
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.points_tables import make_points_game, play_deal, sit_in
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def with_gap():
    return make_game(players=3, rules=make_rules(gap_seconds=60))


def test_view_before_the_toss_names_givers_of_seeds_but_no_other_text():
    table = make_table(seats_max=3, rules=make_rules(start_seconds=60))
    one, two = (seating.join(table_id=table.pk, player=make_player()) for _ in "12")
    client_seeds.give_client_seed(seat_id=one.pk, text="marigold")

    mine, others = table_view(table, one.player), table_view(table, two.player)

    assert (mine.fairness.deal_no, mine.next_commitment) == (1, table.deals.get().commitment)
    assert mine.fairness.given_by == others.fairness.given_by == [one.player.handle]
    assert (mine.fairness.my_client_seed, mine.fairness.can_add) == ("marigold", False)
    assert (others.fairness.my_client_seed, others.fairness.can_add) == (None, True)
    assert "marigold" not in json.dumps(as_json(others), cls=JSONEncoder)
    assert not table_view(table, None).fairness.can_add


def test_at_a_points_table_a_newcomer_does_not_see_the_seed_of_an_earlier_deal():
    table = make_points_game()
    play_deal(table, 0, 20)
    newcomer = sit_in(table)

    view, player = table_view(table, newcomer.player), table_view(table, seat_at(table, 1).player)

    seed = deal_at(table).reveal.server_seed
    assert (player.fairness.last_deal_no, player.fairness.last_server_seed) == (1, seed)
    assert (view.fairness.last_deal_no, view.fairness.last_server_seed) == (None, None)


def test_between_deals_the_last_seed_is_open_to_the_seats_alone(with_gap):
    table = with_gap
    deal = drop_out(table)

    seen, public = table_view(table, seat_at(table, 1).player), table_view(table, None)

    assert (seen.fairness.last_deal_no, seen.fairness.deal_no) == (1, 2)
    assert seen.fairness.last_server_seed == deal.reveal.server_seed
    assert seen.next_commitment == public.next_commitment == table.deals.get(no=2).commitment
    assert (public.fairness.last_server_seed, public.fairness.last_deal_no) == (None, None)
    spectator = json.dumps(as_json(public), cls=JSONEncoder)
    assert deal.reveal.server_seed not in spectator


def test_no_answer_contains_the_seed_or_other_hands_of_a_deal_in_play():
    table = make_game(players=3, rules=make_rules(gap_seconds=0))
    drop_out(table)
    live = deal_at(table)
    seed = seeds.unseal(live.secret).hex()
    me = seat_at(table, 1)
    client = APIClient()
    client.force_login(me.player)
    base = f"/api/v1/tables/{table.public_id}/"
    take_turn(table)

    body = {"move_id": str(uuid4()), "expected_version": reread(table).version, "move": "ds"}
    answers = [
        client.get(base),
        client.get(f"{base}public/"),
        client.post(f"{base}moves/", body, "json"),
        client.get(f"{base}sheet/"),
        client.get(f"{base}deals/1/history.txt"),
        client.get(f"{base}deals/2/history.txt"),
        client.get(f"/tables/{table.public_id}/"),
        client.get(f"/history/{table.public_id}/"),
        client.get(f"/history/{table.public_id}/1/0/"),
        client.put(f"{base}client-seed/", {"text": "x"}, "json"),
    ]

    state = fold_of(live).state
    hands = {" ".join(hand_of(table, position)) for position in (2, 3)}
    stock = " ".join(map(str, state.stock[:5]))
    for answer in answers:
        shown = answer.content.decode()
        assert seed not in shown
        assert not any(hand in shown for hand in hands)
        assert stock not in shown
    (view,) = (answer.json() for answer in answers[:1])
    assert not any("hand" in seat for seat in view["seats"])
    assert sorted(view["me"]["hand"]) == sorted(hand_of(table, 1))


def cards_told(view):
    """Every card code in a view as it is sent; ids and hashes are lower case."""
    return set(re.findall(r"\b(?:PJ|[A2-9TJQK][CDHS])\b", json.dumps(view, cls=JSONEncoder)))


@pytest.mark.extended
def test_through_a_whole_deal_a_view_holds_no_card_its_viewer_may_not_know():
    table = make_game(players=3)
    deal = deal_at(table)
    secret = seeds.unseal(deal.secret).hex()
    viewers = [seat_at(table, position).player for position in (1, 2, 3)] + [None]
    hidden_somewhere = 0
    lain_open = set()

    while reread(table).phase in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        state = fold_of(deal).state
        family = rummy.family_of(state.rules)
        lain_open |= set(state.pile)  # Every player has seen this card.
        public = [*lain_open, state.wild, *rummy.parse_cards(deal.toss)]
        if state.phase == "showing":
            shown = state.seats[state.winner - 1]
            public += [*shown.hand, state.finish]
        for position, viewer in enumerate(viewers, start=1):
            own = state.seats[position - 1].hand if viewer else ()
            view = as_json(table_view(table, viewer))
            answer, known = cards_told(view), set(map(str, [*public, *own]))
            assert answer <= known
            assert secret not in json.dumps(view, cls=JSONEncoder)
            hidden_somewhere += len({str(c) for seat in state.seats for c in seat.hand} - known)
        position = state.to_act or min(state.waiting)
        seen, legal = family.view(state, position), family.legal_moves(state, position)
        # Two who drop at once would end the deal before there is much to see.
        legal = [each for each in legal if not isinstance(each, rummy.Drop)]
        move(
            table,
            position,
            rummy.bots.choose(seen, legal).text,
            **({"window_id": deal.meld_window, "expected_version": None} if state.waiting else {}),
        )

    assert fold_of(deal).ply > 5
    assert hidden_somewhere > 100


def test_a_view_between_deals_takes_a_few_queries_more(django_assert_max_num_queries, with_gap):
    table = with_gap
    drop_out(table)
    assert reread(table).phase == Table.Phase.BETWEEN
    client_seeds.give_client_seed(seat_id=seat_at(table, 2).pk, text="x")
    viewer = seat_at(table, 1).player

    with django_assert_max_num_queries(10):
        view = table_view(table, viewer)

    assert view.fairness.given_by == [seat_at(table, 2).player.handle]
