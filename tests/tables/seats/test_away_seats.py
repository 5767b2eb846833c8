"""Seats of players who are away from a waiting table are released and their money returned."""

import asyncio
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.utils import timezone

from players.notifications.models import Notification
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import drains
from tables.seats import presence, seating
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, reread
from tests.builders.tables.points_tables import (
    make_points_game,
    make_points_table,
    next_deal,
    sit_in,
    wallet_of,
)
from tests.builders.tables.sockets import connect
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def away(seat, minutes=6):
    """Let the seat's client have been gone for so long."""
    seen_at = timezone.now() - timedelta(minutes=minutes)
    Seat.objects.filter(pk=seat.pk).update(seen_at=seen_at)


def sweep():
    return presence.give_up_away_seats(timezone.now())


def wait_alone(**table):
    table = make_table(rules=make_rules(start_seconds=60), seats_max=3, **table)
    return seating.join(table_id=table.pk, player=make_player())


def assert_given_up(seat, total=10_000_00):
    """Check that the seat is free, and that its player has this much again."""
    seat = Seat.objects.get(pk=seat.pk)
    assert seat.left_at is not None
    assert sum(wallet_of(seat).values()) == total
    assert reread(seat.table).escrow.balance_minor == 0
    assert not Stake.objects.live().filter(escrow=seat.table.escrow).exists()
    assert row_findings() == ()


def test_a_lone_stack_whose_player_is_away_is_returned_once():
    table = make_points_game(players=2, stack=200_00)
    drop_out(table)
    leaver, stays = table.seats.order_by("pk")
    seating.leave(seat_id=leaver.pk)
    table = next_deal(table)
    assert table.phase == Table.Phase.WAITING
    held = reread(table).escrow.balance_minor
    away(stays)
    before = sum(wallet_of(stays).values())

    assert (sweep(), sweep()) == (1, 0)

    assert held > 0
    assert_given_up(stays, before + held)
    notification = Notification.objects.get(
        player=stays.player, kind=Notification.Kind.SEAT_GIVEN_UP
    )
    assert notification.subject == table.name


def invited():
    seat = wait_alone()
    Table.objects.filter(pk=seat.table_id).update(invite_code="a-code")
    return seat


def stacked():
    return sit_in(make_points_table(seats_min=3), 300_00)


@pytest.mark.parametrize("sit", [wait_alone, invited, stacked])
def test_entry_or_stack_at_a_table_that_never_fills_is_returned(sit):
    seat = sit()
    away(seat)

    assert sweep() == 1

    assert_given_up(seat)


def test_player_whose_client_or_page_requests_the_table_keeps_the_seat(client):
    polling, reading, gone = wait_alone(), wait_alone(), wait_alone()
    for seat in (polling, reading, gone):
        away(seat)
    client.force_login(polling.player)
    client.get(f"/api/v1/tables/{polling.table.public_id}/")
    client.force_login(reading.player)
    client.get(f"/tables/{reading.table.public_id}/")

    assert sweep() == 1

    assert list(Seat.objects.present().order_by("pk")) == [polling, reading]


def test_absence_frees_no_seat_while_cards_are_played():
    table = make_points_game(players=2)
    for seat in table.seats.all():
        away(seat)

    assert sweep() == 0

    assert table.seats.present().count() == 2


def test_bots_are_never_away():
    table = make_table(seats_max=3, bots_fill=True, rules=make_rules(start_seconds=60))
    seating.join(table_id=table.pk, player=make_player())
    seating.join(table_id=table.pk, player=make_player(is_bot=True))
    for seat in table.seats.all():
        away(seat)

    assert sweep() == 1

    assert [seat.player.is_bot for seat in table.seats.present()] == [True]


def test_an_outage_does_not_count_as_absence_of_players():
    from tables.models.tables import Outage

    seat = wait_alone()
    away(seat, minutes=8)
    now = timezone.now()
    Outage.objects.create(
        started_at=now - timedelta(minutes=7), ended_at=now - timedelta(minutes=1)
    )

    assert sweep() == 0


def test_money_is_returned_during_a_drain():
    seat = wait_alone()
    away(seat)
    drains.begin(by=make_player(is_staff=True), reason="Update")

    assert sweep() == 1


@pytest.mark.django_db(transaction=True)
async def test_open_socket_keeps_the_seat():
    seat = await sync_to_async(wait_alone)()
    await sync_to_async(away)(seat)

    socket = await connect(seat.table.public_id, viewer=seat.player)
    await socket.receive()
    while (await Seat.objects.aget(pk=seat.pk)).seen_at < timezone.now() - timedelta(minutes=1):
        await asyncio.sleep(0.01)
    await socket.hang_up()

    assert await database_sync_to_async(sweep)() == 0


@pytest.mark.django_db(transaction=True)
def test_a_sweep_and_a_leaver_return_a_stack_once():
    seat = sit_in(make_points_table(), 300_00)
    away(seat)

    at_once([sweep, lambda: seating.leave(seat_id=seat.pk), sweep])

    assert Transfer.objects.filter(kind=Transfer.Kind.CASH_OUT).count() == 1
    assert_given_up(seat)
