"""Practice bots: labelled, paid in play points, and limited to the view of their seat."""

from random import Random

import pytest
from django.utils import timezone

import rummy
from config.celery import app
from players.accounts.models import User
from rummy import thirteen
from tables.bots import bots
from tables.models.deals import Move
from tables.models.tables import Table
from tables.seats import seating
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread
from tests.builders.tables.pools import score
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def make_practice_table(**overrides):
    fields = {"bots_fill": True, "seats_min": 3, "seats_max": 3}
    return make_table(**(fields | overrides))


def duel_of_bots(**overrides):
    table = make_practice_table(seats_min=2, seats_max=2, **overrides)
    for bot in bots.bots_for(table, 2):
        seating.join(table_id=table.pk, player=bot)
    return table


def test_bots_take_the_free_seats_beside_a_person_and_play_until_it_is_their_turn(settings):
    settings.BOT_THINK_SECONDS = 60
    table, person = make_practice_table(), make_player()
    seating.join(table_id=table.pk, player=person)
    bots.play_bots(table_id=table.pk)
    table = reread(table)
    assert table.seats.count() == 1, "a thinking bot waits for its time"
    assert 30 < (table.bot_due_at - timezone.now()).total_seconds() <= 60
    settings.BOT_THINK_SECONDS = 0
    Table.objects.filter(pk=table.pk).update(bot_due_at=timezone.now())

    bots.play_bots(table_id=table.pk)

    table = reread(table)
    assert table.phase == Table.Phase.PLAYING
    others = User.objects.filter(seats__table=table).exclude(pk=person.pk)
    assert [bot.is_bot for bot in others] == [True, True]
    assert all(bot.handle.startswith("bot_") for bot in others)
    assert table.escrow.balance_minor == 300_00
    place = table.deals.get().deal_seats.get(seat__player=person)
    played = Move.objects.filter(origin=Move.Origin.BOT).values("seat").distinct().count()
    assert (played, table.bot_due_at) == (place.position - 1, None)
    move(table, place.position, "ds")
    assert Move.objects.order_by("-ply").first().origin == Move.Origin.PLAYER


def test_the_sweep_nudges_many_tables_with_few_messages(monkeypatch):
    monkeypatch.setattr(clock, "TABLES_PER_TASK", 2)
    waiting = [make_practice_table() for _ in range(3)]
    Table.objects.update(bot_due_at=timezone.now())
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("bots")

        clock.sweep(now=timezone.now())

        sent = [broker.default_channel.basic_get("bots", no_ack=True) for _ in "123"]
    nudged = [message.payload[0][0] for message in sent if message is not None]
    assert nudged == [[waiting[0].pk, waiting[1].pk], [waiting[2].pk]]


@pytest.mark.parametrize("seconds", [0, 60])
def test_bots_are_enqueued_at_once_only_if_they_think_for_no_time(
    settings, django_capture_on_commit_callbacks, seconds
):
    settings.BOT_THINK_SECONDS = seconds
    table, person = make_practice_table(), make_player()
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("bots")

        with django_capture_on_commit_callbacks(execute=True):
            seating.join(table_id=table.pk, player=person)

        message = broker.default_channel.basic_get("bots", no_ack=True)
    assert (message and message.payload[0]) == (None if seconds else [table.pk])


def test_a_table_that_cannot_be_played_leaves_the_others_their_bots(caplog, owner):
    broken, whole = make_game(players=2), make_practice_table()
    seating.join(table_id=whole.pk, player=make_player())
    Table.objects.filter(pk=broken.pk).update(bot_due_at=timezone.now())
    # A deal without its seats cannot be folded: as good as any other damage.
    with owner():
        broken.deals.get().deal_seats.all().delete()

    bots.play_all(table_ids=[2**31, broken.pk, whole.pk])

    assert reread(whole).phase == Table.Phase.PLAYING
    assert f"table={broken.pk}" in caplog.text or str(broken.pk) in caplog.text


def test_a_bot_knows_what_everybody_has_as_each_deal_begins(monkeypatch):
    """Who would be out by a drop plays on; the same hand is dropped while all stand at 0."""
    monkeypatch.setattr(bots, "MOVES_AT_ONCE", 1)
    table = duel_of_bots()
    bots.play_bots(table_id=table.pk)
    for _ in range(60):  # Until a deal's first move depends on the totals.
        table = score(reread(table), 0, 100)
        deal = deal_at(table)
        totals = table.seats.totals()
        standing = [totals[place.seat_id] for place in deal.deal_seats.order_by("position")]
        fold = fold_of(deal)
        move, blind = (
            chosen("greedy", fold, fold.state.to_act, totals=known) for known in (standing, [0, 0])
        )
        if move != blind:
            break

    bots.play_bots(table_id=table.pk)

    assert sorted(standing) == [0, 100]
    assert Move.objects.get(deal=deal).text == move != blind


@pytest.mark.django_db(transaction=True)
def test_a_bot_moves_by_a_few_statements(monkeypatch, django_assert_max_num_queries):
    table = duel_of_bots()
    monkeypatch.setattr(bots, "MOVES_AT_ONCE", 1)
    bots.play_bots(table_id=table.pk)  # What is read once a deal.

    with django_assert_max_num_queries(8):
        bots.play_bots(table_id=table.pk)

    assert Move.objects.count() == 2


def test_no_bot_sits_down_at_an_empty_table_or_where_none_are_wanted():
    empty, plain = make_practice_table(), make_table(seats_max=3)
    seating.join(table_id=plain.pk, player=make_player())

    for table in (empty, plain):
        bots.play_bots(table_id=table.pk)

    assert empty.seats.count() == 0
    assert plain.seats.count() == 1


def test_bots_get_up_when_the_person_leaves_before_the_start(settings):
    settings.BOT_THINK_SECONDS = 60
    table = make_practice_table(rules=make_rules(start_seconds=10))
    seat = seating.join(table_id=table.pk, player=make_player())
    (bot,) = bots.bots_for(table, 1)
    seating.join(table_id=table.pk, player=bot)
    settings.BOT_THINK_SECONDS = 0

    seating.leave(seat_id=seat.pk)
    bots.play_bots(table_id=table.pk)

    assert table.seats.present().count() == 0
    assert reread(table).escrow.balance_minor == 0
    assert reread(table).bot_due_at is None


@pytest.mark.django_db(transaction=True)
def test_two_workers_playing_one_tables_bots_make_each_move_once():
    table = duel_of_bots()

    while reread(table).phase != Table.Phase.SETTLING:
        at_once([lambda: bots.play_bots(table_id=table.pk)] * 2)

    plies = list(Move.objects.order_by("ply").values_list("ply", flat=True))
    assert plies == list(range(1, len(plies) + 1))
    assert not Move.objects.exclude(origin=Move.Origin.BOT).exists()


def test_a_bot_without_points_is_given_what_an_entry_costs():
    table = make_practice_table(entry_minor=5_000_000_00)

    (bot,) = bots.bots_for(table, 1)

    mine = Account.objects.buckets_of(bot).values_list("balance_minor", flat=True)
    assert sum(mine) == 5_000_000_00


@pytest.mark.extended
@pytest.mark.parametrize("strength", rummy.bots.STRENGTHS)
def test_bots_play_with_the_strength_of_their_table(strength):
    table = duel_of_bots(bot_strength=strength)

    bots.play_bots(table_id=table.pk)

    deal = table.deals.get(no=1)
    moves = list(Move.objects.filter(deal=deal).order_by("ply"))
    assert len(moves) > 10 or deal.ended_at
    for made in moves:
        before, position = (
            fold_of(deal, version=made.version - 1),
            rummy.parse_move(made.text).position,
        )
        assert before.ply == made.ply - 1
        assert made.text == chosen(strength, before, position)


def chosen(strength, fold, position, totals=()):
    """What a bot of this strength does here: its chance comes from its cards and the ply."""
    view = thirteen.view(fold.state, position)
    move = rummy.bots.choose(
        view,
        thirteen.legal_moves(fold.state, position),
        Random(f"{rummy.format_cards(view.hand)} {fold.ply}"),
        strength=strength,
        totals=totals,
    )
    return str(move)


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_one_bot_wanted_at_many_tables_at_once_sits_down_at_all_of_them_in_time():
    tables = [make_practice_table(seats_min=2, seats_max=2) for _ in range(3)]
    for table in tables:
        seating.join(table_id=table.pk, player=make_player())

    def sit_down(table):
        return lambda: bots.play_bots(table_id=table.pk)

    outcomes = at_once([sit_down(table) for table in tables])
    for table in tables:
        bots.play_bots(table_id=table.pk)

    assert outcomes == [None] * 3
    # Whether a bot then plays on or drops is another matter.
    assert [reread(table).deal_no for table in tables] == [1] * 3
