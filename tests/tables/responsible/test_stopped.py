"""Stopped players start no new game; a running game is played to its end."""

from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.places.doubt_models import PlaceDoubt
from players.eligibility.places.models import Offer
from players.eligibility.stops import stopped
from players.eligibility.verdicts import Act
from players.sign_in import actions as sign_ins
from tables.bots.declared import declare_bot
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import presence, seating
from tables.state import clock
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal, wallet_of
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import fund
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db


def pause(player):
    take_break(player=player, kind=Break.Kind.EXCLUSION, length=None)


def hold(player):
    hold_player(player, Hold.Kind.PLAY)


def close_place(_player):
    open_region("IN-KA", Offer.WIND_DOWN)


def block(player):
    sign_ins.block(player_id=player.pk, by=clerk(), reason="Two accounts")


def doubt(player):
    PlaceDoubt.objects.create(
        player=player,
        kind=PlaceDoubt.Kind.HIDDEN,
        declared_country="IN",
        noticed_at=timezone.now(),
    )


def cash_table(**more):
    """Return a waiting cash table with one seat taken by a player in Karnataka."""
    open_region("IN-KA")
    table = make_table(currency="INR", **more)
    player = make_depositor()
    fund(player, deposit=1_000_00)
    return table, seating.join(table_id=table.pk, player=player)


def sit_beside(table, **fields):
    open_region("IN-TN")
    other = make_depositor(region="TN", **fields)
    fund(other, deposit=1_000_00)
    return seating.join(table_id=table.pk, player=other)


@pytest.mark.parametrize("stop", [pause, hold, close_place, block])
def test_seat_of_a_stopped_player_is_refunded_when_the_next_player_sits_down(stop):
    table, seat = cash_table()
    before = sum(wallet_of(seat).values()) + table.entry_minor
    stop(seat.player)

    other = sit_beside(table)

    seat.refresh_from_db()
    assert seat.left_at is not None
    assert sum(wallet_of(seat).values()) == before
    assert reread(table).phase == Table.Phase.WAITING
    assert [each.pk for each in Seat.objects.present().filter(table=table)] == [other.pk]
    assert row_findings() == ()


@pytest.mark.parametrize("others", [1, 2])
def test_countdown_ends_without_the_stopped_player(others):
    table, seat = cash_table(seats_max=4, rules=make_rules(start_seconds=10))
    beside = [sit_beside(table) for _ in range(others)]
    pause(seat.player)

    for _ in range(2):  # The seat is given up, then the game begins if enough are left.
        clock.sweep(now=timezone.now() + timedelta(seconds=30))

    assert (reread(table).phase == Table.Phase.WAITING) is (others == 1)
    assert {each.pk for each in table.seats.present()} == {each.pk for each in beside}


def test_running_game_of_a_stopped_player_continues():
    table, seat = cash_table()
    sit_beside(table)
    assert reread(table).phase != Table.Phase.WAITING

    pause(seat.player)
    close_place(seat.player)

    assert presence.give_up_away_seats(timezone.now()) == 0
    assert Seat.objects.active().of_player(seat.player).exists()


def test_stopped_player_leaves_a_points_table_after_the_deal():
    table = make_points_game(players=3)
    seat = table.seats.present().order_by("pk").first()
    before = sum(wallet_of(seat).values())
    pause(seat.player)

    play_deal(table, 0, 20, 30)
    next_deal(table)

    seat.refresh_from_db()
    assert seat.left_at is not None
    assert sum(wallet_of(seat).values()) > before
    assert reread(table).deal_no == 2
    assert table.seats.present().count() == 2
    assert row_findings() == ()


def test_waiting_seats_are_given_up_in_a_closed_place():
    _table, seat = cash_table()
    kept = cash_table()[1]
    User.objects.filter(pk=kept.player_id).update(region="TN")
    open_region("IN-TN")

    close_place(seat.player)

    assert presence.give_up_away_seats(timezone.now()) == 1
    assert {each.pk for each in Seat.objects.present()} == {kept.pk}


def test_stopped_players_are_found_among_many():
    open_region("IN-KA")
    places = ("IN-KA", "IN-KA", "IN-KA", "DE-", "IN-TN", "IN-KA")
    fine, paused, held, elsewhere, prohibited, blocked = (
        make_player(country=place[:2], region=place[3:]) for place in places
    )
    pause(paused)
    hold(held)
    open_region("IN-TN", Offer.PROHIBITED)
    doubt(fine)
    bots = [declare_bot(owner=each, handle=f"of_{each.handle}")[0] for each in (paused, blocked)]
    block(blocked)
    bot = make_player(is_bot=True, is_active=False)
    out = [each.pk for each in (paused, held, prohibited, blocked, *bots)]
    everybody = [*out, fine.pk, elsewhere.pk, bot.pk]

    assert stopped(everybody, Act.POINTS) == {*out}
    assert stopped(everybody, Act.CASH) == {*everybody} - {fine.pk, bot.pk}
    with override_settings(CASH_WIND_DOWN=True):
        assert stopped([fine.pk], Act.CASH) == {fine.pk}
        assert stopped([fine.pk], Act.POINTS) == set()
    assert stopped([], Act.CASH) == set()
