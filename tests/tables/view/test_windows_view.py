"""Questions to players in views, and their answers over HTTP."""

from uuid import uuid4

import pytest

from core.api.openapi import as_json
from rummy import PROFILES
from tables.lobby.offers import lobby_rows
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.view.table_view import table_view
from tests.builders.api import api_client
from tests.builders.tables.making import NO_PAUSES, make_rules, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.pools import (
    NO,
    YES,
    let_time_pass,
    make_pool,
    open_window,
    say,
    score,
    seat_no,
)

pytestmark = pytest.mark.django_db

OUT = 101


def seen(table, number=None):
    viewer = seat_no(table, number).player if number else None
    return as_json(table_view(table, viewer))


def post(table, number, path, body=None):
    client = api_client(seat_no(table, number).player)
    return client.post(f"/api/v1/tables/{table.public_id}/{path}", body or {}, "json")


def answer(table, number, said, window_id=None):
    window_id = window_id or open_window(table).public_id
    return post(table, number, f"windows/{window_id}/answer/", {"answer": said})


def test_a_rejoin_shows_its_price_its_total_and_the_new_prize(pool_of_four):
    table = pool_of_four
    score(table, 10, 50, OUT, OUT)

    window = seen(table, 3)["window"]

    assert window["id"] == open_window(table).public_id
    assert (window["kind"], window["proposed_by"]) == ("rejoin", None)
    assert window["deadline"] == reread(table).due_at
    assert window["mine"]["can_answer"] is True
    assert window["mine"]["amount"]["minor"] == 100_00
    assert (window["prize"]["minor"], window["prize_after"]["minor"]) == (360_00, 540_00)
    assert [(r["seat"], r["total"], r["drops_left"], r["said"]) for r in window["rows"]] == [
        (3, 51, 2, ""),
        (4, 51, 2, ""),
    ]
    assert window["sentences"][0].startswith("A rejoin continues at 51 points")
    assert "100 PTS; 90 PTS" in window["sentences"][2]


def test_a_pool_without_drops_has_no_drops_left_in_any_figure_or_sentence():
    table = make_pool(
        players=4, rules=make_rules(drops_allowed=False, split=False, auto_split=False)
    )
    score(table, 10, 50, OUT, OUT)

    view = seen(table, 3)

    assert view["drops_allowed"] is False
    assert [seat["drops_left"] for seat in view["seats"]] == [None] * 4
    assert [row["drops_left"] for row in view["window"]["rows"]] == [None, None]
    assert len(view["window"]["sentences"]) == 2
    assert "drop" not in " ".join(view["window"]["sentences"])


def test_a_rejoin_at_one_point_is_in_the_singular(pool_of_four):
    table = score(pool_of_four, 0, 0, OUT, OUT)

    words = seen(table, 3)["window"]["sentences"]

    assert words[0] == "A rejoin continues at 1 point, one more than the highest total in the game."


def test_lobby_lists_the_table_of_an_unanswered_question(pool_of_four):
    table = score(pool_of_four, 0, 20, 101, 101)
    asked = [seat_no(table, number).player for number in (3, 4)]

    assert [[row.mine for row in lobby_rows(player)] for player in asked] == [[True], [True]]
    say(table, 3, NO)
    say(table, 4, YES)

    assert [[row.mine for row in lobby_rows(player)] for player in asked] == [[], [True]]


def test_after_an_answer_everybody_sees_it_and_the_prize_has_grown(pool_of_four):
    table = pool_of_four
    score(table, 10, 50, OUT, OUT)

    view = answer(table, 3, "yes").json()

    assert view["prize"]["minor"] == 450_00
    assert view["window"]["mine"] == {
        "amount": {"minor": 100_00, "currency": "PTS", "text": "100 PTS"},
        "can_answer": False,
        "said": "yes",
    }
    onlooker = seen(table)
    assert [row["said"] for row in onlooker["window"]["rows"]] == ["yes", ""]
    assert onlooker["window"]["mine"] is None
    line = onlooker["seats"][2]
    assert (line["total"], line["drops_left"], line["status"]) == (51, 2, "playing")
    assert onlooker["scores"][0]["rejoined"] == {"3": 51}


def test_the_gap_previews_a_split_to_survivors_only(pool_of_four):
    table = pool_of_four
    score(table, 80, 80, 81, OUT)

    mine, other, stranger = seen(table, 1), seen(table, 4), seen(table)

    assert mine["me"]["may_propose_split"] is True
    assert [share["amount"]["minor"] for share in mine["me"]["split"]["shares"]] == [
        150_00,
        150_00,
        60_00,
    ]
    assert (other["me"]["may_propose_split"], other["me"]["split"]) == (False, None)
    assert (stranger["me"], stranger["window"]) == (None, None)


def test_a_proposed_split_shows_drops_shares_and_the_arithmetic(pool_of_four):
    table = pool_of_four
    score(table, 40, 81, OUT, OUT)
    proposer = seat_no(table, 1).player.handle

    split = seen(table, 1)["me"]["split"]
    stale = post(table, 1, "split/", {"after_deal": split["after_deal"] + 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_version")
    assert post(table, 1, "split/", {"after_deal": split["after_deal"]}).status_code == 200
    window = seen(table, 2)["window"]

    assert (window["kind"], window["proposed_by"]) == ("split", proposer)
    assert [(r["drops_left"], r["amount"]["minor"], r["said"]) for r in window["rows"]] == [
        (3, 315_00, "yes"),
        (0, 45_00, ""),
    ]
    assert window["mine"]["amount"]["minor"] == 45_00
    other = seat_no(table, 2).player.handle
    assert window["sentences"] == [
        f"The prize is 360 PTS. First drops left: {proposer} 3, {other} 0.",
        "Each drop above the fewest, 0, is worth one entry without rake: 90 PTS.",
        "The rest, 90 PTS, is shared equally by 2 players; odd units go to the lowest score.",
    ]
    assert answer(table, 2, "yes").json()["results"][0]["prize"]["minor"] == 315_00


def test_refused_answers_have_codes_and_change_nothing(pool_of_three):
    table = pool_of_three
    score(table, 0, 50, OUT)
    window_id = open_window(table).public_id

    assert answer(table, 1, "yes").json()["code"] == "not_asked"
    assert answer(table, 3, "yes", window_id=uuid4()).json()["code"] == "window_closed"
    assert answer(table, 3, "perhaps").status_code == 400
    assert post(table, 1, "split/", {"after_deal": table.deal_no}).json()["code"] == "no_split"
    assert answer(table, 3, "no").status_code == 200
    assert answer(table, 3, "yes", window_id=window_id).json()["code"] == "answer_given"

    assert reread(table).escrow.balance_minor == 300_00


@pytest.mark.extended
def test_an_earlier_view_is_not_changed_by_a_rejoin():
    table = make_pool(players=3, gap_seconds=0)
    player = seat_at(table, 1).player
    accepted = move(table, 1, "ds")
    first = as_json(table_view(table, player, at=accepted.move))
    score(table, 0, 50, OUT)
    say(table, 3, YES)

    again = as_json(table_view(reread(table), player, at=accepted.move))

    assert again | {"server_now": None} == first | {"server_now": None}


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_a_view_with_a_question_takes_a_constant_number_of_queries(django_assert_max_num_queries):
    small, large = make_pool(players=3), make_pool(players=6)
    score(small, 0, 50, OUT)
    score(large, 0, 50, OUT, OUT, OUT, OUT)

    for table in (small, large):
        viewer = seat_no(table, 3).player
        with django_assert_max_num_queries(10):
            table_view(table, viewer)


@pytest.mark.extended
def test_prize_of_a_finished_game_includes_rejoins(pool_of_three):
    table = pool_of_three
    score(table, 0, 50, OUT)
    say(table, 3, YES)
    let_time_pass(table)
    seating.leave(seat_id=seat_no(table, 1).pk)
    score(table, 0, OUT, 60)

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    assert seen(table)["prize"]["minor"] == 360_00
    assert seen(table)["results"][0]["prize"]["minor"] == 360_00


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
