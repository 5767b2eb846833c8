"""Pages of finished games, for their players only, with and without scripts."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

import rummy
from tables.history.fairness.models import ClientSeed
from tables.history.games import score_sheet
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.seats import Seat
from tables.seats import seating
from tables.state import clock
from tests.builders.api import api_client
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, sit_in
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


def page(client, name, *arguments, **query):
    return client.get(reverse(name, args=arguments), query)


@shared
def finished_deal():
    table = make_game(players=3, name="Evening pool")
    take_turn(table)
    return drop_out(table)


@pytest.fixture
def played(client, finished_deal):
    """A finished deal, its first player signed in, and the table's second deal under way."""
    deal = finished_deal
    client.force_login(deal.deal_seats.get(position=1).seat.player)
    return deal


def of(deal, *more):
    return (deal.table.public_id, deal.no, *more)


@pytest.mark.extended
def test_own_games_are_filtered_by_rules_and_day(client, played):
    today = timezone.localdate(played.table.started_at)

    whole = page(client, "history")
    found = page(client, "history", variant="Pool 101", started_from=today, started_to=today)
    other_day = page(client, "history", started_to=today - timedelta(days=1))
    backwards = page(client, "history", started_from=today, started_to=today - timedelta(days=1))
    unknown = page(client, "history", variant="Whist")

    assert [len(each.context["games"]) for each in (whole, found)] == [1, 1]
    assert b"Evening pool" in whole.content
    assert b"No games match these filters." in other_day.content
    assert b"Choose a last day on or after the first day." in backwards.content
    assert unknown.status_code == 200
    assert unknown.context["games"] == []


def test_player_who_left_before_the_toss_has_no_game(client):
    player, table = make_player(), make_table(seats_max=3)
    seating.leave(seat_id=seating.join(table_id=table.pk, player=player).pk)
    client.force_login(player)

    assert page(client, "history").context["games"] == []
    assert page(client, "game", table.public_id).status_code == 404


@pytest.mark.extended
def test_number_of_queries_does_not_grow_with_games(client, django_assert_num_queries):
    player = make_player()
    client.force_login(player)

    def another():
        table = make_table()
        seating.join(table_id=table.pk, player=player)
        seating.join(table_id=table.pk, player=make_player())
        drop_out(table)

    another()
    page(client, "history")
    with django_assert_num_queries(6):
        page(client, "history")
    another()
    another()
    with django_assert_num_queries(6):
        assert len(page(client, "history").context["games"]) == 3


@pytest.mark.extended
def test_totals_of_a_score_sheet_add_up(client, played):
    drop_out(played.table)

    sheet = page(client, "game", played.table.public_id).context["sheet"]

    totals = [0, 0, 0]
    for deal in sheet.sheet:
        for at, cell in enumerate(deal.cells):
            totals[at] += cell.points
            assert cell.total == totals[at]
    assert [seat.total for seat in sheet.seats] == totals
    assert [seat.drops_left for seat in sheet.seats] == [(100 - total) // 20 for total in totals]
    assert [seat.paid.minor for seat in sheet.seats] == [100_00] * 3
    assert [seat.is_me for seat in sheet.seats].count(True) == 1


@pytest.mark.extended
def test_number_of_queries_does_not_grow_with_deals(client, played, django_assert_num_queries):
    address = reverse("game", args=[played.table.public_id])
    client.get(address)
    with django_assert_num_queries(13):
        client.get(address)
    for _ in range(3):
        drop_out(played.table)

    with django_assert_num_queries(13):
        assert len(client.get(address).context["sheet"].sheet) == 4


def test_sheet_of_a_points_table_links_only_own_deals(client):
    table = make_points_game(players=2)
    drop_out(table)
    newcomer = sit_in(table, 200_00)
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    deal = drop_out(table)
    client.force_login(newcomer.player)

    shown = page(client, "game", table.public_id).content.decode()

    assert [len(cells.cells) for cells in score_sheet(table).sheet] == [3, 3]
    assert reverse("deal", args=of(deal)) in shown
    assert reverse("deal", args=(table.public_id, 1)) not in shown
    assert page(client, "deal", table.public_id, 1).status_code == 404
    assert b"Previous deal" not in page(client, "deal", *of(deal)).content


def test_points_table_that_the_player_left_offers_no_way_back(client):
    table = make_points_game()
    drop_out(table)
    player = seat_at(table, 1).player
    client.force_login(player)
    assert "Back to the table" in page(client, "history").text

    Seat.objects.filter(table=table, player=player).update(left_at=timezone.now())

    mine = page(client, "history").text
    assert "You left" in mine
    assert "Back to the table" not in mine


def test_each_step_has_an_address_and_every_page_all_steps(client, played):
    last = played.moves.count()
    first, second = page(client, "deal", *of(played)), page(client, "replay", *of(played, 1))

    for shown, ply in ((first, 0), (second, 1)):
        body = shown.content.decode()
        assert f'data-step="{ply}" data-address="{reverse("deal", args=of(played))}"' in body
        assert f'data-step="{ply}" aria-current="step"' in body
        assert body.count('aria-current="step"') == 1
        assert f'href="{reverse("dispute", args=of(played, ply))}"' in body
        assert all(reverse("replay", args=of(played, each)) in body for each in range(last + 1))
    assert first.context["deal"] == second.context["deal"]
    assert len(first.context["deal"]["steps"]) == last + 1
    assert b"The cards are dealt." in first.content
    assert b"from the stock" in first.content
    assert b"Scoring" in first.content
    assert page(client, "replay", *of(played, last)).status_code == 200
    assert page(client, "replay", *of(played, last + 1)).status_code == 404


def test_deals_are_found_by_their_players_after_the_end_only(client, played):
    live = deal_at(played.table)
    assert live.no == 2

    def addresses(deal):
        names = ("deal", "replay", "dispute", "verify-deal", "deal-file")
        steps = {"replay": (0,), "dispute": (0,)}
        pages = [reverse(name, args=of(deal, *steps.get(name, ()))) for name in names]
        return [*pages, f"/api/v1/tables/{deal.table.public_id}/deals/{deal.no}/replay/"]

    def answers(deal):
        game = reverse("game", args=of(played)[:1])
        return {client.get(address).status_code for address in (game, *addresses(deal))}

    assert answers(played) == {200}
    assert {client.get(address).status_code for address in addresses(live)} == {404}
    dispute = f"/api/v1/tables/{played.table.public_id}/deals/1/disputes/"
    body = {"ply": 1, "category": "score", "text": "I was not there."}
    client.logout()
    assert answers(played) == {302, 403}
    client.force_login(make_player())
    assert answers(played) == {404}
    assert client.post(dispute, body, content_type="application/json").status_code == 404
    assert Dispute.objects.count() == 0


def test_dispute_is_opened_from_a_step(client, played):
    address = reverse("dispute", args=of(played, 1))
    form = client.get(address)

    empty = client.post(address, {"category": "clock", "text": ""})
    sent = client.post(address, {"category": "clock", "text": "Too <fast>."}, follow=True)
    again = client.post(address, {"category": "clock", "text": "Too fast."})

    assert b"deal 1, step 1" in form.content
    assert empty.context["form"].errors
    assert sent.redirect_chain == [(reverse("disputes"), 302)]
    assert b"Too &lt;fast&gt;." in sent.content
    assert b"You already have an open dispute" in again.content
    assert Dispute.objects.count() == 1


def test_live_table_links_to_a_dispute_about_the_end_of_a_deal(client, played):
    led = page(client, "dispute-end", *of(played))

    assert led["Location"] == reverse("dispute", args=of(played, played.moves.count()))
    assert page(client, "dispute-end", *of(deal_at(played.table))).status_code == 404


def test_staff_with_the_permission_replay_deals_but_open_no_dispute(client, played):
    client.logout()
    assert b'data-file=""' in page(client, "verify").content
    client.force_login(make_player(is_staff=True, is_superuser=True))

    replay = page(client, "deal", *of(played))

    assert replay.status_code == 200
    assert b"Open a dispute" not in replay.content


def test_replay_describes_a_move(client):
    table = make_game(players=2)
    move(table, 1, "ds")
    thrown = hand_of(table, 1)[0]
    move(table, 1, f"x {thrown}")
    deal = drop_out(table)
    client.force_login(seat_at(table, 1).player)

    shown = page(client, "replay", *of(deal, 2)).content.decode()

    rank = "10" if thrown[0] == "T" else thrown[0]
    assert ("discarded a joker" if thrown == "PJ" else f"discarded {rank}") in shown


def at(table, rest):
    return f"/api/v1/tables/{table.public_id}/{rest}"


@pytest.fixture
def deal(finished_deal):
    return finished_deal


def player_of(deal, position=1):
    return deal.deal_seats.get(position=position).seat.player


def sit_down(table, player):
    assert api_client(player).post(at(table, "seats/")).status_code == 201
    return api_client(player)


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
    late = api_client(seat_at(playing, 1).player)
    answers = [
        each.put(at(playing, "client-seed/"), {"text": "x"}, "json")
        for each in (late, api_client(make_player()))
    ]
    assert [answer.status_code for answer in answers] == [409, 404]
    assert answers[0].json()["code"] == "client_seed_late"


def test_history_file_is_plain_text_for_download(deal):
    answer = api_client(player_of(deal)).get(at(deal.table, "deals/1/history.txt"))

    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    name = f"rummy-{deal.table.public_id}-1.txt"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert rummy.history.loads(answer.content.decode()).commitment == deal.commitment


def test_replay_sheet_and_list_of_games_over_the_api(deal):
    client = api_client(player_of(deal))

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


@pytest.mark.parametrize(
    "rest", [f"deals/{10**30}/history.txt", "deals/0/history.txt", f"deals/{'9' * 5000}/replay/"]
)
def test_numbers_out_of_range_are_not_found(deal, rest):
    assert api_client(player_of(deal)).get(at(deal.table, rest)).status_code == 404


@pytest.mark.parametrize(
    "wrong", [{"ply": 10**9}, {"ply": -1}, {"text": "\0"}, {"text": "\ud800"}, {"category": "x"}]
)
def test_invalid_dispute_is_refused(deal, wrong):
    body = {"ply": 1, "category": "score", "text": "My hand was worth less."} | wrong
    client = api_client(player_of(deal))

    answer = client.post(
        at(deal.table, "deals/1/disputes/"), json.dumps(body), content_type="application/json"
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert Dispute.objects.count() == 0
