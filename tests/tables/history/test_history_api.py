"""Seeds, files, steps and disputes over HTTP: schemas, codes and permissions."""

import json

import pytest
from rest_framework.test import APIClient

import rummy
from tables.history.fairness.models import ClientSeed
from tables.integrity.moderation.dispute_models import Dispute
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import seat_at
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


def client_of(player):
    client = APIClient()
    client.force_login(player)
    return client


def at(table, rest):
    return f"/api/v1/tables/{table.public_id}/{rest}"


@shared
def finished_deal():
    table = make_game(players=3)
    take_turn(table)
    return drop_out(table)


@pytest.fixture
def deal(finished_deal):
    return finished_deal


def player_of(deal, position=1):
    return deal.deal_seats.get(position=position).seat.player


def sit_down(table, player):
    assert client_of(player).post(at(table, "seats/")).status_code == 201
    return client_of(player)


def test_client_seed_is_answered_with_the_commitment():
    table = make_table(seats_max=3)
    client = sit_down(table, make_player())

    answers = [client.put(at(table, "client-seed/"), {"text": " a b "}, "json") for _ in "12"]

    shown = {"deal_no": 1, "commitment": table.deals.get().commitment, "text": " a b "}
    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, shown)] * 2
    assert ClientSeed.objects.get().text == " a b "


def test_refused_client_seeds_have_a_code():
    table, player = make_table(seats_max=3), make_player()
    client = sit_down(table, player)
    client.put(at(table, "client-seed/"), {"text": "first"}, "json")
    for text, status, code in (
        ("other", 409, "client_seed_given"),
        ("a\tb", 409, "bad_client_seed"),
        ("", 400, "invalid"),
    ):
        answer = client.put(at(table, "client-seed/"), {"text": text}, "json")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert ClientSeed.objects.get().text == "first"

    playing = make_game(players=2)
    late = client_of(seat_at(playing, 1).player)
    answers = [
        each.put(at(playing, "client-seed/"), {"text": "x"}, "json")
        for each in (late, client_of(make_player()))
    ]
    assert [answer.status_code for answer in answers] == [409, 404]
    assert answers[0].json()["code"] == "client_seed_late"


def test_history_file_is_plain_text_for_download(deal):
    answer = client_of(player_of(deal)).get(at(deal.table, "deals/1/history.txt"))

    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    name = f"rummy-{deal.table.public_id}-1.txt"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert rummy.history.loads(answer.content.decode()).commitment == deal.commitment


def test_replay_sheet_and_list_of_games_over_the_api(deal):
    client = client_of(player_of(deal))

    replay = client.get(at(deal.table, "deals/1/replay/")).json()
    sheet = client.get(at(deal.table, "sheet/")).json()
    games = client.get("/api/v1/games/", {"variant": "Pool 101"}).json()["results"]

    hands = replay["steps"][1]["hands"]
    assert replay["moves"][0]["action"] == "ds"
    assert [len(hand["hand"].replace("|", "").split()) for hand in hands] == [14, 13, 13]
    assert sheet["sheet"][0]["no"] == 1
    assert [game["id"] for game in games] == [str(deal.table.public_id)]
    assert client.get("/api/v1/games/", {"offset": "1"}).json()["results"] == []
    assert client.get("/api/v1/games/", {"offset": "x"}).status_code == 400
    assert client.get("/api/v1/games/", {"started_from": "x"}).status_code == 400


def test_dispute_is_opened_once_and_listed(deal):
    client = client_of(player_of(deal))
    body = {"ply": 1, "category": "score", "text": "My hand was worth less."}

    opened = client.post(at(deal.table, "deals/1/disputes/"), body, "json")
    again = client.post(at(deal.table, "deals/1/disputes/"), body, "json")
    live = client.post(at(deal.table, "deals/2/disputes/"), body, "json")
    listed = client.get("/api/v1/disputes/").json()["results"]

    assert opened.status_code == 201
    assert (again.status_code, again.json()["code"]) == (409, "dispute_pending")
    assert (live.status_code, live.json()["code"]) == (409, "deal_not_finished")
    assert listed == [opened.json()]
    assert listed[0]["evidence_sha256"] == Dispute.objects.get().evidence_sha256
    assert client_of(player_of(deal, 2)).get("/api/v1/disputes/").json()["results"] == []


@pytest.mark.parametrize(
    "rest",
    [
        f"deals/{10**30}/history.txt",
        "deals/0/history.txt",
        f"deals/{'9' * 5000}/replay/",
    ],
)
def test_numbers_out_of_range_are_not_found(deal, rest):
    assert client_of(player_of(deal)).get(at(deal.table, rest)).status_code == 404


@pytest.mark.parametrize(
    "wrong", [{"ply": 10**9}, {"ply": -1}, {"text": "\0"}, {"text": "\ud800"}, {"category": "x"}]
)
def test_invalid_dispute_is_refused(deal, wrong):
    body = {"ply": 1, "category": "score", "text": "My hand was worth less."} | wrong
    client = client_of(player_of(deal))

    answer = client.post(
        at(deal.table, "deals/1/disputes/"), json.dumps(body), content_type="application/json"
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert Dispute.objects.count() == 0
