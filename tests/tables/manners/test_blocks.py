"""Blocked players are not seated together, and cannot tell that they are blocked."""

from functools import partial

import pytest
from django.db import DatabaseError, connection
from django.urls import reverse

from tables.exceptions import BadBlock, BlockBetween
from tables.lobby import invitations, quick_seat
from tables.manners import actions
from tables.manners.models import Block
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import hosted, seating
from tests.builders.processes.threads import at_once
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import reread
from wallet.stakes.balances import spendable_of

pytestmark = pytest.mark.django_db

FULL = "This table is full. Choose another one."
JSON = "application/json"


@pytest.fixture
def kind():
    return make_template(seats_min=3, seats_max=3)


@pytest.fixture
def pair():
    """A player, and one whom they have blocked."""
    player, blocked = make_player(), make_player()
    actions.block(player=player, blocked=blocked)
    return player, blocked


def at(table):
    return set(table.seats.present().values_list("player_id", flat=True))


@pytest.mark.parametrize("is_first", [True, False], ids=["blocker first", "blocked first"])
def test_quick_seat_opens_another_table_of_the_kind_for_a_blocked_pair(kind, pair, is_first):
    first, second = pair if is_first else pair[::-1]
    one = quick_seat.sit_down(player=first)
    assert quick_seat.sit_down(player=second).table_id != one.table_id
    third = quick_seat.sit_down(player=make_player())

    tables = list(Table.objects.order_by("pk"))
    assert [table.template for table in tables] == [kind, kind]
    assert [len(at(table)) for table in tables] == [2, 1]
    assert third.table_id == one.table_id


def test_lobby_row_seats_a_blocked_pair_at_two_tables_without_a_message(client, kind, pair):
    player, blocked = pair
    table = quick_seat.sit_down(player=player).table
    client.force_login(blocked)

    answer = client.post(reverse("table-join", args=[table.public_id]), follow=True)

    own = Seat.objects.present().get(player=blocked).table
    assert answer.redirect_chain == [(reverse("table", args=[own.public_id]), 302)]
    assert (own.template, own.pk != table.pk, at(table)) == (kind, True, {player.pk})
    assert FULL not in answer.text


def test_blocked_player_gets_the_answer_of_a_full_table_at_a_private_one(client, kind, pair):
    player, blocked = pair
    table = invitations.open_private_table(player=player, template_id=kind.pk)
    seating.join(table_id=table.pk, player=player, code=table.invite_code)
    seats = f"/api/v1/tables/{table.public_id}/seats/"

    def answer(person):
        client.force_login(person)
        sent = client.post(seats, {"code": table.invite_code}, content_type=JSON)
        return sent.status_code, sent.json()

    refused = answer(blocked)
    shown = client.get(reverse("private-table", args=[table.invite_code])).text
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player(), code=table.invite_code)

    assert refused == answer(make_player())
    assert (refused[0], refused[1]["code"]) == (409, "table_full")
    assert "All seats are taken." in shown
    assert "Sit down" not in shown


def test_blocker_reads_why_a_private_table_is_closed_to_them(kind, pair):
    player, blocked = pair
    table = invitations.open_private_table(player=blocked, template_id=kind.pk)
    seating.join(table_id=table.pk, player=blocked, code=table.invite_code)

    with pytest.raises(BlockBetween, match="You have blocked a player at this table"):
        seating.join(table_id=table.pk, player=player, code=table.invite_code)

    actions.unblock(player=player, blocked=blocked)
    seating.join(table_id=table.pk, player=player, code=table.invite_code)
    assert at(table) == {player.pk, blocked.pk}


def test_block_at_a_waiting_table_gives_up_only_the_own_seat(kind):
    player, blocked = make_player(), make_player()
    waiting = quick_seat.sit_down(player=player).table
    quick_seat.sit_down(player=blocked)
    running = make_game()
    one, other = (seat.player for seat in running.seats.order_by("pk"))

    assert actions.block(player=player, blocked=blocked) == [waiting.name]
    assert actions.block(player=player, blocked=blocked) == []
    assert actions.block(player=one, blocked=other) == []

    assert at(waiting) == {blocked.pk}
    assert at(running) == {one.pk, other.pk}


def test_block_that_cannot_refund_the_seat_is_not_saved(kind):
    player, blocked = make_player(), make_player()
    tables = [invitations.open_private_table(player=player, template_id=kind.pk) for _ in "12"]
    for table in tables:
        for person in (player, blocked):
            seating.join(table_id=table.pk, player=person, code=table.invite_code)
    held = spendable_of(player)
    refunds = []

    def fail(execute, sql, *rest):
        if "ledger_post" in str(sql) and len(refunds) == 1:
            raise DatabaseError("the second refund fails")
        refunds.extend(["refund"] * ("ledger_post" in str(sql)))
        return execute(sql, *rest)

    with connection.execute_wrapper(fail), pytest.raises(DatabaseError):
        actions.block(player=player, blocked=blocked)

    assert len(refunds) == 1
    assert not Block.objects.exists()
    assert [at(table) for table in tables] == [{player.pk, blocked.pk}] * 2
    assert spendable_of(player) == held
    assert actions.block(player=player, blocked=blocked) == [table.name for table in tables]


def test_tournament_table_seats_a_blocked_pair(pair):
    table = hosted.open_table(
        profile=make_template(slug="host").profile,
        name="Final",
        owner_ref="tournament:1",
        players=pair,
        stop_at_survivors=1,
        currency="PTS",
        entry_minor=0,
        rake_bps=0,
    )

    assert at(table) == {player.pk for player in pair}


def test_neither_oneself_nor_a_bot_can_be_blocked():
    player = make_player()
    for person in (player, make_player(is_bot=True)):
        with pytest.raises(BadBlock):
            actions.block(player=player, blocked=person)
    assert not Block.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seats", [2, 3])
def test_block_while_both_are_seated_by_quick_seat_keeps_them_apart(seats):
    make_template(seats_min=seats, seats_max=seats)
    for _ in range(12):
        player, blocked = make_player(), make_player()
        sit_down = [partial(quick_seat.sit_down, player=each) for each in (player, blocked)]

        *seated, left = at_once([*sit_down, partial(actions.block, player=player, blocked=blocked)])

        assert [type(each) for each in (*seated, left)] == [Seat, Seat, list]
        saved_at = Block.objects.get(player=player).at
        shared = Table.objects.filter(seats__in=Seat.objects.present().filter(player=player))
        together = [table for table in shared if {player.pk, blocked.pk} <= at(table)]
        # A game that had begun before the block is played to its end.
        assert all(table.started_at and table.started_at < saved_at for table in together)
        for seat in Seat.objects.present().filter(player__in=[player, blocked]):
            if reread(seat.table).phase == Table.Phase.WAITING:
                seating.leave(seat_id=seat.pk)
