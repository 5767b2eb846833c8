"""The lobby has a table of every offered kind, and shows each viewer what they can do."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.middleware.csrf import _does_token_match
from django.urls import reverse
from django.utils import timezone

from core.clock import database_now
from rummy import PROFILES
from tables.bots import bots
from tables.exceptions import GameNotOffered
from tables.lobby import watched
from tables.lobby.activity import GAMES_MIN, read_activity, read_waits
from tables.lobby.offers import expected_wait, kind_rows, lobby_rows
from tables.manners import actions as manners
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.state import clock
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.offers import make_practice, make_template
from tests.builders.tables.playing import at_once
from tests.builders.tables.straight_tables import straight_rules

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


@pytest.mark.django_db(transaction=True)
def test_lobby_always_has_one_table_per_template():
    duels = Table.objects.filter(template=make_template())
    clock.sweep(now=timezone.now())
    clock.sweep(now=timezone.now())
    for _ in range(2):
        seating.join(table_id=duels.get().pk if duels.count() == 1 else 0, player=make_player())

    at_once([lambda: clock.sweep(now=timezone.now())] * 2)

    assert duels.count() == 2
    assert duels.waiting().count() == 1


def test_rows_with_a_stack_send_the_viewers_own_token(client):
    """The rows are rendered once for all viewers."""
    table = make_table(**POINTS)
    opening = f'action="{reverse("table-join", args=[table.public_id])}"'

    tokens = []
    for player in (make_player(), make_player()):
        client.force_login(player)
        answer = client.get(reverse("lobby"))
        cookie, page = answer.cookies["csrftoken"].value, answer.text
        form = page[page.index(opening) :].partition("</form>")[0]
        tokens.append(re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1])
        assert _does_token_match(tokens[-1], cookie)

    assert tokens[0] != tokens[1]


def test_the_lobby_shows_waiting_tables_and_the_viewers_own():
    make_template()
    clock.sweep(now=timezone.now())
    waiting = Table.objects.get()
    player, other = make_player(), make_player()
    running = make_table(name="Running")
    for person in (player, other):
        seating.join(table_id=running.pk, player=person)
    make_table(name="Hidden", owner_ref="tournament:1")

    mine, strangers = lobby_rows(player), lobby_rows(make_player())

    assert {row.id for row in mine} == {waiting.public_id, running.public_id}
    assert [row.id for row in strangers] == [waiting.public_id]
    (row,) = strangers
    assert (row.variant, row.seats_taken, row.seats_max, row.mine) == ("Pool 101", 0, 2, False)
    assert (row.entry.minor, row.prize.minor, row.entry.text) == (100_00, 180_00, "100 PTS")


POINTS = {"rules": PROFILES["total-rummy-points"], "point_value_minor": 1_00, "entry_minor": 0}


@pytest.mark.parametrize(
    "terms",
    [
        {"seats_max": 7},
        {"stop_at_survivors": 2, "seats_max": 4},
        {"point_value_minor": 1_00},
        {"rules": straight_rules(), "point_value_minor": 5},
        POINTS | {"point_value_minor": 0},
        POINTS | {"entry_minor": 79_00},
        POINTS | {"stake_mode": "chips"},
    ],
    ids=" ".join,
)
def test_tables_with_contradictory_terms_are_not_opened(terms):
    with pytest.raises(GameNotOffered):
        make_table(**terms)

    assert Table.objects.count() == 0


def test_running_public_games_are_counted_and_listed_by_currency():
    watched, larger = make_game(name="Duel"), make_game(name="Three", players=3)
    make_table(name="Waiting")
    make_game(name="Simulated", owner_ref="simulation:1")
    private = make_table(name="Private", seats_max=2)
    Table.objects.filter(pk=private.pk).update(invite_code="secret")
    # A player at two games is counted once.
    twice = watched.seats.first().player
    seating.join(table_id=private.pk, player=twice, code="secret")
    seating.join(table_id=private.pk, player=make_player(), code="secret")

    now = read_activity()

    assert now.playing == {"PTS": 8}
    assert now.watchable == {"PTS": 2}
    assert [table.id for table in now.tables] == [str(larger.public_id), str(watched.public_id)]
    seats = watched.seats.order_by("number").select_related("player")
    assert now.tables[1].players == [(s.player.handle, s.player.picture.value, None) for s in seats]
    assert [len(table.players) for table in now.tables] == [3, 2]
    assert (now.tables[1].prize.text, now.tables[1].deal_no) == ("180 PTS", 1)
    practice = make_practice()
    for each in [twice, *bots.bots_for(practice, 1)]:
        seating.join(table_id=practice.pk, player=each)
    assert read_activity().playing == {"PTS": 8}, "bots are never counted"


def test_lobby_shows_the_numbers_and_leaves_out_own_games(client):
    mine = make_game(name="Own duel")
    make_game(name="Of others")
    make_table(seats_min=2, seats_max=6)
    client.force_login(Seat.objects.filter(table=mine).first().player)

    page = client.get(reverse("lobby")).text

    for text in ("4 playing now", "1 table to watch", "2–6 players"):
        assert text in page
    assert "0 of" not in page, "no row says how many seats are empty"
    watched = page.partition("Games to watch")[2].partition("lobby-tools")[0]
    assert "Of others" in watched
    assert "Own duel" not in watched


def played(template, waits):
    """Record games of a kind that started these seconds after their first player sat down."""
    for seconds in waits:
        table = make_game(template=template)
        first = min(table.seats.values_list("joined_at", flat=True))
        Table.objects.filter(pk=table.pk).update(started_at=first + timedelta(seconds=seconds))


def test_expected_wait_is_the_median_of_recent_games_of_the_kind():
    known, new = make_template(slug="known"), make_template(slug="new")
    played(known, [30, 60, 90, 120, 600])
    played(new, [30] * (GAMES_MIN - 1))

    assert read_waits() == {"known": pytest.approx(90, abs=1)}


def test_wait_shrinks_while_players_wait_and_ends_with_the_countdown():
    make_table(rules=make_rules(start_seconds=60), seats_max=3)
    (row,) = lobby_rows(None)
    now = database_now()

    assert expected_wait(row, None, now) is None
    assert expected_wait(row, 90.0, now) == timedelta(seconds=90)

    table = Table.objects.get()
    seating.join(table_id=table.pk, player=make_player())
    (row,) = lobby_rows(None)
    later = row.waiting_since + timedelta(seconds=60)

    assert expected_wait(row, 90.0, later) == timedelta(seconds=30)
    assert expected_wait(row, 45.0, later) is None

    seating.join(table_id=table.pk, player=make_player())
    Table.objects.update(due_at=now + timedelta(seconds=7), armed_at=now)
    (row,) = lobby_rows(None)

    assert expected_wait(row, 90.0, now) == timedelta(seconds=7)


def test_kind_is_one_row_with_its_fullest_table_and_the_people_who_play():
    template = make_template(slug="duels", seats_max=3)
    empty, filling = (make_table(template=template, seats_max=3) for _ in range(2))
    seating.join(table_id=filling.pk, player=make_player())

    (kind,) = kind_rows(lobby_rows(None), {"duels": 4}, {}, database_now())

    assert (kind.row.id, kind.row.seats_taken, kind.playing) == (filling.public_id, 1, 4)
    assert empty.public_id != kind.row.id


@pytest.mark.parametrize(
    ("seats_min", "before", "after"),
    [(2, "up to 270 PTS", "up to 270 PTS"), (3, "270 PTS", "270 PTS")],
)
def test_prize_is_that_of_a_full_table_until_the_seats_are_known(client, seats_min, before, after):
    table = make_table(seats_min=seats_min, seats_max=3)
    player = make_player()
    assert f"<dd>{before}</dd>" in client.get(reverse("lobby")).text

    seating.join(table_id=table.pk, player=player)

    assert f"<dd>{after}</dd>" in client.get(reverse("lobby")).text
    client.force_login(player)
    view = client.get(reverse("table-api", args=[table.public_id])).json()
    assert (view["prize"]["minor"], view["prize_is_most"]) == (270_00, seats_min == 2)


def test_lobby_costs_a_fixed_number_of_statements(client, django_assert_max_num_queries):
    client.force_login(make_player())
    update = {"HX-Request": "true"}

    def more_games():
        for seats in (2, 3):
            make_game(players=seats)
            make_table(seats_max=seats)
        cache.clear()

    more_games()
    with django_assert_max_num_queries(18) as few:
        client.get(reverse("lobby"), headers=update)
    more_games()
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(reverse("lobby"), headers=update)
    # The figures of all visitors are cached.
    with django_assert_max_num_queries(6):
        client.get(reverse("lobby"), headers=update)
    with django_assert_max_num_queries(9):
        client.get(reverse("lobby"))


def test_featured_games_are_the_best_rated_the_most_watched_and_the_dearest():
    def row(name, ratings, watchers, prize, *, is_point_value=False):
        players = [(name, "owl", rating) for rating in ratings]
        kinds = ("Pool 101", 1, "PTS", prize, is_point_value, watchers, players)
        return watched.WatchedTable(name, name, *kinds)

    rows = [
        row("first", [1_700], 0, 100),
        row("rated", [1_500, 1_600], 0, 100),
        row("both", [1_600, 1_550, None], 9, 100),
        row("watched", [], 3, 100),
        row("dear", [], 0, 900),
        row("point", [], 0, 5_000, is_point_value=True),
    ]

    found = watched.featured_first(rows)

    assert [(each.name, each.featured) for each in found] == [
        ("both", "rating"),
        ("watched", "watchers"),
        ("dear", "prize"),
        ("first", ""),
        ("rated", ""),
        ("point", ""),
    ]
    quiet = [row("one", [], 0, 0), row("two", [], 0, 0)]
    assert watched.featured_first(quiet) == quiet


def test_friends_games_are_those_of_people_from_private_tables(client):
    me, friend, hidden = make_player(), make_player(), make_player(has_public_profile=False)
    private = make_table(seats_max=3, seats_min=3, name="Private")
    Table.objects.filter(pk=private.pk).update(invite_code="secret")
    for player in (me, friend, hidden):
        seating.join(table_id=private.pk, player=player, code="secret")
    public, others, hers = (make_table(name=name) for name in ("Public", "Others", "Hidden"))
    for table, player in ((public, friend), (others, make_player()), (hers, hidden)):
        seating.join(table_id=table.pk, player=player)
        seating.join(table_id=table.pk, player=make_player())

    found = watched.of_friends(me, besides=[str(private.public_id)])

    assert [row.name for row in found] == ["Public"]
    left = watched.of_friends(me, besides=[])
    assert {row.name for row in left} == {"Public", "Private"}, "a player may watch an own table"
    stranger = make_player()
    assert watched.of_friends(stranger, besides=[]) == []
    client.force_login(me)
    assert "Friends’ games" in client.get(reverse("lobby")).text
    Table.objects.filter(pk=public.pk).update(invite_code="other")
    assert [row.name for row in watched.of_friends(me, besides=[])] == ["Private"]
    manners.block(player=friend, blocked=me)
    cache.clear()
    assert watched.of_friends(me, besides=[]) == [], "a blocked player finds no games of the other"
