"""History files of deals played by the services are verified by the command line (RB 12.3)."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

import rummy
from tables.history.deal_file import history_of, history_text
from tables.history.finished_deals import deals_seen_by
from tables.history.replay import replay
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.seats import client_seeds, seating, stacks
from tables.state import clock
from tables.state.fold import fold_of
from tables.state.rules import rules_of
from tests.builders.processes.product import CHECKOUT
from tests.builders.tables.deals import drop_out, settle, take_turn
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, sit_in
from tests.builders.tables.pools import make_pool, score

pytestmark = pytest.mark.django_db

# Where programs are, and where what is compiled of them.
KEPT = {"PATH", "PYTHONPYCACHEPREFIX"}


def verify(text, tmp_path):
    """Run the command line in a process that imports only the rules package."""
    file = tmp_path / "deal.txt"
    file.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "rummy", "verify", str(file)],
        cwd=CHECKOUT,
        env={name: value for name, value in os.environ.items() if name in KEPT},
        capture_output=True,
        text=True,
        check=False,
    )


def let_the_clock_play(table):
    """Wait until own and extra time are gone."""
    table = run_out(table, seconds=rules_of(table.profile).extra_seconds + 1)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())


def with_client_seeds():
    table = make_table(seats_min=2, seats_max=3, rules=make_rules(start_seconds=60))
    for text in ("marigold", 'शुभ ♠ "quoted" \\'):
        seat = seating.join(table_id=table.pk, player=make_player())
        client_seeds.give_client_seed(seat_id=seat.pk, text=text)
    run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    return drop_out(table)


def in_a_second_deal():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    drop_out(table)
    client_seeds.give_client_seed(seat_id=seat_at(table, 3).pk, text="for deal two")
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    return drop_out(table)


def with_a_reshuffle_and_a_spent_stock():
    table = make_game(players=2)
    while reread(table).phase == Table.Phase.PLAYING:
        take_turn(table)
    return settle(table)


def with_misses_and_extra_time():
    table = make_game(players=2)
    table = run_out(table, seconds=12)
    take_turn(table)
    take_turn(table)
    move(table, 1, "ds")
    let_the_clock_play(table)
    while reread(table).phase == Table.Phase.PLAYING:
        let_the_clock_play(table)
    return settle(table)


def with_somebody_leaving():
    table = make_game(players=3)
    take_turn(table)
    seating.leave(seat_id=seat_at(table, 3).pk)
    seating.leave(seat_id=seat_at(table, 1).pk)
    return settle(table)


def with_a_wrong_show():
    table = make_game(players=3)
    move(table, 1, "ds")
    hand = hand_of(table, 1)
    groups = " | ".join([" ".join(hand[:3]), " ".join(hand[3:6])])
    move(table, 1, f"show {groups} / {' '.join(hand[6:13])} x {hand[13]}")
    return drop_out(table)


def after_a_new_toss_at_a_points_table():
    table = make_points_game(players=2)
    drop_out(table)
    newcomer = sit_in(table, 200_00)
    client_seeds.give_client_seed(seat_id=newcomer.pk, text="I have just come")
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    return drop_out(table)


def void_because_nobody_played():
    rules = make_rules(limit=81, first_drop=40, middle_drop=80, cap=80)
    table = make_game(players=2, rules=rules)
    seating.leave(seat_id=seat_at(table, 1).pk)
    seating.leave(seat_id=seat_at(table, 2).pk)
    return settle(table)


@pytest.mark.parametrize(
    ("played", "holds"),
    [
        (with_client_seeds, lambda h, _: len(h.client_seeds) == 2 and h.has_toss),
        (in_a_second_deal, lambda h, _: len(h.client_seeds) == 1 and h.chain_before),
        pytest.param(
            with_a_reshuffle_and_a_spent_stock,
            lambda h, _: (h.end.reshuffles, h.end.ending) == (1, "exhausted"),
            marks=pytest.mark.extended,
        ),
        pytest.param(
            with_misses_and_extra_time,
            lambda _, text: "p1 ds +12" in text and "p1 miss +1" in text,
            marks=pytest.mark.extended,
        ),
        pytest.param(
            with_somebody_leaving,
            lambda _, text: "p3 leave" in text and "p1 leave" in text,
            marks=pytest.mark.extended,
        ),
        pytest.param(
            with_a_wrong_show,
            lambda _, text: "p1: 80 wrong_show" in text,
            marks=pytest.mark.extended,
        ),
        (
            after_a_new_toss_at_a_points_table,
            lambda h, text: h.has_toss and h.players == 3 and ", deal 2, " in text,
        ),
        pytest.param(
            void_because_nobody_played, lambda h, _: len(h.moves) == 1, marks=pytest.mark.extended
        ),
    ],
    ids=lambda case: case.__name__.strip("<>"),
)
def test_the_command_line_accepts_the_file_of(played, holds, tmp_path):
    deal = Deal.objects.revealed().get(pk=played().pk)
    text = history_text(deal)

    judged = verify(text, tmp_path)

    assert (judged.returncode, judged.stderr) == (0, "")
    history = rummy.history.loads(text)
    assert holds(history, text)
    assert history == history_of(deal)
    assert history.end == fold_of(deal).state
    assert history.commitment == deal.commitment
    assert history.chain == deal.chain


def test_history_file_names_the_players():
    deal = in_a_second_deal()

    notes = [line for line in history_text(deal).splitlines() if line.startswith("#")]

    table, seats = deal.table, deal.deal_seats.order_by("position")
    handles = [place.seat.player.handle for place in seats]
    assert notes[0].startswith(f"# table {table.public_id}, deal 2, ")
    assert notes[1] == f"# p1 {handles[0]}, p2 {handles[1]}, p3 {handles[2]}"
    assert len(notes) == 3
    assert notes[2].startswith("# client seeds of ")


def test_players_of_a_points_table_see_deals_played_while_seated(client):
    table = make_points_game(players=2)
    waiting = sit_in(table, 200_00)
    drop_out(table)
    late = sit_in(table, 200_00)
    early = seating.leave(seat_id=table.seats.order_by("pk")[1].pk)
    stacks.sit_out(seat_id=waiting.pk)
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    deal = drop_out(table)
    first = deal.deal_seats.order_by("seat_id")[0].seat

    seen = [
        [deal.no for deal in deals_seen_by(seat.player).order_by("no")]
        for seat in (first, early, waiting, late)
    ]

    assert not waiting.deal_seats.exists()
    assert seen == [[1, 2], [1], [1, 2], [2]]
    client.force_login(waiting.player)
    assert client.get(reverse("replay", args=[table.public_id, 1, 0])).status_code == 200
    client.force_login(late.player)
    assert client.get(reverse("replay", args=[table.public_id, 1, 0])).status_code == 404


def test_eliminated_players_of_a_pool_see_its_later_deals():
    table = make_pool(players=3, rules=make_rules(rejoin=False, gap_seconds=0))
    out = table.seats.get(number=1)
    deal = drop_out(score(table, 250, 0, 20))

    assert not deal.deal_seats.filter(seat=out).exists()
    assert deal in deals_seen_by(out.player)


def test_deal_is_seen_only_by_its_players_and_permitted_staff():
    deal = drop_out(make_game(players=3))
    stranger, left_early = make_player(), make_player()
    waiting = make_table(seats_max=3)
    seating.leave(seat_id=seating.join(table_id=waiting.pk, player=left_early).pk)
    clerk, boss = make_player(is_staff=True), make_player(is_staff=True, is_superuser=True)
    player = deal.deal_seats.first().seat.player

    seen = {who: deals_seen_by(who).count() for who in (player, stranger, left_early, clerk, boss)}

    assert list(seen.values()) == [1, 0, 0, 0, 1]


def replayed(deal, viewer=None):
    return replay(Deal.objects.revealed().get(pk=deal.pk), viewer or make_player())


def test_every_step_shows_what_everybody_held(game_of_two):
    table = game_of_two
    dealt = [sorted(hand_of(table, position)) for position in (1, 2)]
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    move(table, 1, f"x {drawn}")
    deal = drop_out(table)

    shown = replayed(deal, deal.deal_seats.get(position=1).seat.player)

    first, second, _, last = shown.steps
    assert [sorted(hand.hand.replace("|", " ").split()) for hand in first.hands] == dealt
    assert [seat.is_me for seat in shown.seats] == [True, False]
    assert (shown.moves[0].handle, shown.moves[0].card) == (seat_of(deal, 1), drawn)
    assert (second.hands[0].drawn, second.stock) == (drawn, first.stock - 1)
    assert [line.action for line in shown.moves] == ["ds", "x", "drop"]
    assert last.open_pile[-1] == drawn
    assert [(row.points, row.how, row.total) for row in shown.results] == [
        (0, "won", 0),
        (20, "first_drop", 20),
    ]
    assert shown.results[0].arrangement
    assert shown.server_seed == deal.reveal.server_seed


def seat_of(deal, position):
    return deal.deal_seats.get(position=position).seat.player.handle


def test_a_moves_time_counts_from_the_start_of_its_turn(game_of_three):
    table = game_of_three
    take_turn(table)
    seating.leave(seat_id=seat_at(table, 3).pk)
    take_turn(table)
    deal = drop_out(table)
    rows = list(deal.moves.order_by("ply"))

    shown = replayed(deal).moves

    assert [line.action for line in shown[:5]] == ["ds", "x", "leave", "ds", "x"]
    assert shown[2].used_ms is None
    assert shown[1].used_ms == (rows[1].made_at - rows[0].made_at) // timedelta(milliseconds=1)
    assert shown[3].used_ms == (rows[3].made_at - rows[1].made_at) // timedelta(milliseconds=1)


def test_the_first_turn_begins_when_the_toss_has_been_seen():
    table = make_game(players=2, rules=make_rules(toss_seconds=5))
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=1))
    deal = drop_out(table)

    assert replayed(deal).moves[0].used_ms == 0
    assert [line.card for line in replayed(deal).toss] == deal.toss.split()


def test_the_clocks_moves_are_its_own(game_of_two):
    table = game_of_two
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    table = run_out(table, seconds=31)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=31))
    deal = drop_out(table)

    shown = replayed(deal)
    missed = shown.moves[1]

    assert (missed.origin, missed.action, missed.card) == ("clock", "miss", drawn)
    assert missed.extra_ms == 30_000
    assert shown.steps[2].hands[0].misses == 1


def test_replay_of_a_wrong_show_has_its_groups_and_reasons(game_of_three):
    table = game_of_three
    move(table, 1, "ds")
    hand = hand_of(table, 1)
    sent = " ".join(hand[:3])
    move(table, 1, f"show {sent} / {' '.join(hand[3:13])} x {hand[13]}")
    deal = drop_out(table)

    shown = replayed(deal)

    assert (shown.moves[1].groups, shown.moves[1].card) == ([sent], hand[13])
    assert shown.steps[2].hands[0].laid.startswith(f"{sent} / ")
    assert shown.steps[2].hands[0].standing == "wrong_show"
    assert shown.results[0].reasons
    assert shown.results[0].submitted[0].cards == sent


def test_the_replay_of_a_void_deal_has_its_seed_and_no_totals():
    table = make_game(players=2)
    for position in (1, 2):
        seating.leave(seat_id=seat_at(table, position).pk)
    deal = settle(table)

    shown = replayed(deal)

    assert (deal.status, shown.is_void) == (Deal.Status.VOID, True)
    assert shown.server_seed == deal.reveal.server_seed
    assert [row.total for row in shown.results] == [None, None]


def test_at_a_points_table_the_last_step_tells_the_money():
    deal = drop_out(make_points_game(players=2, stack=200_00))

    shown = replayed(deal).results

    assert [(row.points, row.won.minor) for row in shown] == [(20, -20_00), (0, 20_00)]


@pytest.mark.extended
def test_long_deals_take_no_more_queries_than_short_ones(
    django_assert_max_num_queries, game_of_two
):
    table = game_of_two
    for _ in range(10):
        take_turn(table)
    deal = drop_out(table)
    viewer = make_player()

    with django_assert_max_num_queries(12):
        shown = replayed(deal, viewer)

    assert (len(shown.moves), len(shown.steps)) == (21, 22)
