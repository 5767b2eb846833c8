"""Views contain no card of another hand and no card of the stock."""

import json
from uuid import uuid4

import pytest
from rest_framework.test import APIClient
from rest_framework.utils.encoders import JSONEncoder

import rummy
from core.api.openapi import as_json
from rummy import parse_cards
from tables.history.fairness import seeds
from tables.history.games import game_row, games_of, score_sheet
from tables.models.tables import Table
from tables.play.actions import save_groups
from tables.seats import client_seeds, seating
from tables.settlement import scoring
from tables.state.fold import fold_of
from tables.view.cards import open_pile
from tables.view.table_view import table_view
from tests.builders.api import api_client
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.points_tables import make_points_game, play_deal, sit_in
from tests.builders.tables.shared import shared
from tests.builders.tables.views import cards_in, open_cards

pytestmark = pytest.mark.django_db

SHORT = make_rules(limit=81, first_drop=40, middle_drop=80, cap=80)


def test_view_names_no_card_but_the_open_ones_and_the_viewers_own():
    table = make_game(players=3)
    for position in (1, 2):
        move(table, position, "ds")
        move(table, position, f"x {hand_of(table, position)[0]}")
    move(table, 3, "ds")

    deal = table.deals.get()
    public = open_cards(fold_of(deal).state) | set(deal.toss.split())
    for position in (1, 2, 3):
        view = as_json(table_view(table, seat_at(table, position).player))

        assert view["me"]["hand"] == hand_of(table, position)
        assert cards_in(view) <= public | set(hand_of(table, position))
        assert [seat["cards"] for seat in view["seats"]] == [13, 13, 14]
    for spectator in (make_player(), None):
        view = as_json(table_view(table, spectator))

        assert view["me"] is None
        assert cards_in(view) <= public


def test_open_pile_names_who_discarded_each_card(game_of_two):
    table = game_of_two
    first, second = (seat_at(table, position).player.handle for position in (1, 2))
    address = f"/api/v1/tables/{table.public_id}/open-pile/"
    up = APIClient().get(address).json()["cards"]
    move(table, 1, "ds")
    thrown = hand_of(table, 1)[0]
    move(table, 1, f"x {thrown}")
    taken = APIClient().get(address).json()
    move(table, 2, "do")
    back = hand_of(table, 2)[0]
    move(table, 2, f"x {back}")

    shown = APIClient().get(address).json()

    assert [card["by"] for card in up] == [None]
    assert taken["cards"] == [*up, {"card": thrown, "by": first}]
    assert shown["cards"] == [*up, {"card": back, "by": second}]
    assert shown["version"] == reread(table).version
    assert APIClient().get(f"/api/v1/tables/{uuid4()}/open-pile/").status_code == 404
    assert open_pile(make_table()).cards == []


def test_drawn_card_is_shown_only_to_its_player(game_of_two):
    table = game_of_two
    move(table, 1, "ds")

    own, other = (table_view(table, seat_at(table, at).player) for at in (1, 2))

    assert (own.me.drawn, other.me.drawn) == (hand_of(table, 1)[-1], None)
    assert (own.deal.drawn, other.deal.drawn) == (True, True)
    assert (own.me.legal[-1], other.me.legal) == ("show", [])


def test_view_has_the_state_of_the_table(game_of_two):
    table = game_of_two

    view = table_view(table, seat_at(table, 1).player)

    assert view.phase == "playing"
    assert (view.variant, view.limit, view.first_drop, view.cap) == ("Pool 101", 101, 20, 80)
    assert (view.prize.minor, view.entry.minor) == (180_00, 100_00)
    assert view.me.legal[0] == "ds"
    assert "drop" in view.me.legal
    assert [seat.number for seat in view.seats] == [1, 2]
    assert [seat.dealer for seat in view.seats] == [False, True]
    assert [seat.to_act for seat in view.seats] == [True, False]
    assert [seat.drops_left for seat in view.seats] == [5, 5]
    assert (view.extra_deadline - view.deadline).total_seconds() == 30
    assert view.version == reread(table).version


def test_an_earlier_view_can_be_built_again(game_of_two):
    table = game_of_two
    player = seat_at(table, 1).player
    accepted = move(table, 1, "ds")
    first = as_json(table_view(table, player, at=accepted.move))
    assert first == as_json(table_view(table, player)) | {"server_now": first["server_now"]}
    move(table, 1, f"x {hand_of(table, 1)[-1]}")
    move(table, 2, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    again = as_json(table_view(reread(table), player, at=accepted.move))

    assert again | {"server_now": None} == first | {"server_now": None}


def test_the_view_shows_how_the_last_deal_was_scored():
    table = make_game(players=2, rules=make_rules(gap_seconds=60))
    move(table, 1, "drop")
    scoring.settle_deal(deal_id=table.deals.get(no=1).pk)

    view = table_view(table, seat_at(table, 2).player)

    assert view.phase == "between"
    assert view.deal is None
    assert (view.me.hand, view.me.legal) == ([], [])
    assert view.next_commitment == table.deals.get(no=2).commitment
    assert view.last_deal.ending == "last_standing"
    rows = [(row.seat, row.points, row.how, row.total) for row in view.last_deal.rows]
    assert rows == [(1, 20, "first_drop", 20), (2, 0, "won", 0)]
    # A player who won because the other dropped has shown nobody the hand.
    assert [row.arrangement for row in view.last_deal.rows] == ["", ""]
    assert view.scores[0].points == {"1": 20, "2": 0}


def test_a_saved_grouping_is_its_owners_alone_and_loses_discarded_cards(game_of_two):
    table = game_of_two
    hand = hand_of(table, 1)
    save_groups(seat_id=seat_at(table, 1).pk, groups=" | ".join(hand[:2]))
    version = reread(table).version

    assert table_view(table, seat_at(table, 1).player).me.groups == hand[:2]
    assert table_view(table, seat_at(table, 2).player).me.groups == []
    assert version == table.version
    move(table, 1, "ds")
    move(table, 1, f"x {hand[0]}")
    kept = table_view(table, seat_at(table, 1).player).me.groups
    assert kept == ([hand[0]] if hand[0] in hand_of(table, 1) else []) + [hand[1]]


def test_view_before_the_start_has_players_and_the_next_commitment():
    table = make_table(seats_max=3)
    player = make_player()
    seating.join(table_id=table.pk, player=player)

    view = table_view(table, player)

    assert (view.phase, view.deal, view.deadline) == (Table.Phase.WAITING, None, None)
    assert [(s.handle, s.status, s.number, s.is_me) for s in view.seats] == [
        (player.handle, "waiting", None, True)
    ]
    assert view.next_commitment == table.deals.get().commitment


@pytest.mark.extended
def test_the_view_of_a_finished_game_has_its_score_sheet():
    table = make_game(rules=SHORT, rake_bps=0)
    while not (table := reread(table)).is_over:
        drop_out(table)

    sheet = score_sheet(table)

    assert [deal.no for deal in sheet.deals] == list(range(1, table.deal_no + 1))
    assert [row.place for row in sheet.results] == [1, 2]
    assert sheet.results[0].prize.minor == 200_00
    assert [cell.is_out for cell in sheet.sheet[-1].cells].count(True) == 1
    loser = sheet.deals[-1].rows[sheet.results[1].seat - 1]
    assert loser.total == sheet.results[1].total >= 81
    view = table_view(table, None)
    assert [row.place for row in view.results] == [1, 2]
    assert {seat.place for seat in view.seats} == {1, 2}
    game = game_row(games_of(table.seats.first().player).get())
    assert (game.id, game.phase, game.variant) == (table.public_id, "finished", "Pool 81")
    for row in sheet.deals[0].rows:
        parse_cards(row.arrangement.replace("|", " ").replace("/", " "))


@shared
def with_gap():
    return make_game(players=3, rules=make_rules(gap_seconds=60))


def test_view_before_the_toss_names_givers_of_seeds_but_no_other_text():
    table = make_table(seats_max=3, rules=make_rules(start_seconds=60))
    one, two = (seating.join(table_id=table.pk, player=make_player()) for _ in "12")
    client_seeds.give_client_seed(seat_id=one.pk, text="own words")

    mine, others = table_view(table, one.player), table_view(table, two.player)

    assert (mine.fairness.deal_no, mine.next_commitment) == (1, table.deals.get().commitment)
    assert mine.fairness.given_by == others.fairness.given_by == [one.player.handle]
    assert (mine.fairness.my_client_seed, mine.fairness.can_add) == ("own words", False)
    assert (others.fairness.my_client_seed, others.fairness.can_add) == (None, True)
    assert "own words" not in json.dumps(as_json(others), cls=JSONEncoder)
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
    client = api_client(me.player)
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
            answer, known = cards_in(view), set(map(str, [*public, *own]))
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
