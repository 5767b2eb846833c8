"""The server's best arrangement of the own hand, at practice tables."""

import pytest
from rest_framework.test import APIClient

import rummy
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import hand_of, move, seat_at

pytestmark = pytest.mark.django_db


def ask(table, player):
    client = APIClient()
    client.force_login(player)
    return client.get(f"/api/v1/tables/{table.public_id}/arrangement/")


def test_a_practice_table_lays_the_own_hand_at_its_least_cost():
    table = make_game(bots_fill=True)
    hand, wild = hand_of(table, 1), rummy.parse_cards(wild_of(table))[0]
    rules = rummy.PROFILES["total-rummy-pool-101"]

    answer = ask(table, seat_at(table, 1).player)

    best = rummy.best_arrangement(rummy.parse_cards(" ".join(hand)), wild=wild, rules=rules)
    shown = {"groups": best.to_text(), "points": best.points, "finish": None}
    assert (answer.status_code, answer.json()) == (200, shown)
    laid = answer.json()["groups"].replace("|", " ").replace("/", " ").split()
    assert sorted(laid) == sorted(hand)


def wild_of(table):
    answer = APIClient().get(f"/api/v1/tables/{table.public_id}/public/")
    return answer.json()["deal"]["wild"]


def test_with_a_card_drawn_all_fourteen_are_laid():
    table = make_game(bots_fill=True)
    move(table, 1, "ds")

    shown = ask(table, seat_at(table, 1).player).json()

    laid = shown["groups"].replace("|", " ").replace("/", " ").split()
    left = [shown["finish"]] if shown["finish"] else []
    assert sorted(laid + left) == sorted(hand_of(table, 1))


def test_help_is_refused_without_cards_and_where_people_play():
    table, other = make_game(players=3, bots_fill=True), make_game()
    dropped = seat_at(table, 1).player
    move(table, 1, "drop")

    answers = [ask(table, dropped), ask(other, seat_at(other, 1).player)]

    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert found == [(409, "not_in_play"), (409, "no_help")]
    assert ask(table, make_player()).status_code == 404
