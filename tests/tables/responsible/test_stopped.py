"""Stopped players start no new game; a running game is played to its end."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.places.models import Offer, PlaceDoubt
from players.eligibility.verdicts import Act, stopped
from players.limits.models import OwnLimit
from players.sign_in import actions as sign_ins
from tables.bots.declared import declare_bot
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.responsible import harm
from tables.responsible.harm import SPAN, markers, noticed
from tables.seats import presence, seating
from tables.state import clock
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.staff.people import a_person, clerk
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal, wallet_of
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import acts, fund
from tests.builders.wallet.tax_office import lose, win
from wallet.audit.audit import row_findings
from wallet.deposits import limits
from wallet.gateways.sandbox_page import Sent

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
        player=player, kind=PlaceDoubt.Kind.HIDDEN, declared_country="IN", noticed_at=timezone.now()
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
    hold_player(fine, Hold.Kind.DEPOSIT)
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


@pytest.fixture(autouse=True)
def _lawful(db):
    open_region("IN-KA")


def recent(player):
    now = timezone.now()
    return markers(player, "INR", since=now - SPAN, until=now + timedelta(seconds=1))


def pay_in(player):
    tell(start_deposit(player=player, amount=Money(100, "INR")), Sent())


def limit(player, rupees):
    limits.set_limit(
        player=player,
        period=OwnLimit.Period.DAY,
        currency="INR",
        amount=None if rupees is None else Money(rupees, "INR"),
        is_proved=True,
    )


def test_deposits_on_a_day_that_ended_with_a_loss_are_counted():
    loser, winner = make_depositor(), make_depositor()
    for player in (loser, winner):
        pay_in(player)
    lose(loser, 40)
    win(winner, 40)

    assert (recent(loser).deposits, recent(loser).deposits_on_loss_days) == (1, 1)
    assert (recent(loser).deposited.minor, recent(loser).net.minor) == (100_00, -40_00)
    assert (recent(winner).deposits, recent(winner).deposits_on_loss_days) == (1, 0)
    [one] = noticed("INR")
    assert (one.player, one.deposits_on_loss_days, one.limits_raised) == (loser, 1, 0)


def test_deposits_within_a_day_after_a_withdrawal_request_are_counted(monkeypatch):
    player, patient = make_depositor(), make_depositor()
    for each in (player, patient):
        pay_in(each)
        make_withdrawal(10, player=each)
    pay_in(player)

    assert recent(player).deposits_after_withdrawals == 1
    assert recent(patient).deposits_after_withdrawals == 0
    assert [one.player for one in noticed("INR")] == [player]
    monkeypatch.setattr(harm, "A_DAY", timedelta())
    assert recent(player).deposits_after_withdrawals == 0


def test_raised_and_removed_limits_are_counted():
    player, careful = make_depositor(), make_depositor()
    limit(player, 100)
    limit(player, 500)
    limit(player, None)
    limit(careful, 500)
    limit(careful, 100)

    assert (recent(player).limits_raised, recent(careful).limits_raised) == (2, 0)
    assert [one.player for one in noticed("INR")] == [player]


def test_minutes_between_midnight_and_five_are_counted_separately(clocks):
    player = make_player()
    table = make_table()
    # From 23:00 to 06:00 in India.
    joined = datetime(2026, 6, 1, 17, 30, tzinfo=UTC)
    clocks.move_clock(joined)
    seat = Seat.objects.create(table=table, player=player)
    Seat.objects.filter(pk=seat.pk).update(left_at=seat.joined_at + timedelta(hours=7))

    found = markers(player, "INR", since=joined, until=joined + timedelta(days=1))
    later = markers(player, "INR", since=joined + timedelta(days=1), until=joined + SPAN)

    assert (found.minutes, found.night_minutes) == (7 * 60, 5 * 60)
    assert (later.minutes, later.night_minutes) == (0, 0)


def test_staff_see_conspicuous_players_and_add_notes(client):
    player = make_depositor()
    pay_in(player)
    lose(player, 40)
    desk = reverse("player-desk", args=[player.pk])
    client.force_login(a_person("Operations"))
    assert client.get(reverse("harm")).status_code == 403
    assert "Markers of harm" not in client.get(desk).text
    by = a_person("Support")
    client.force_login(by)

    listed, shown = client.get(reverse("harm")).text, client.get(desk).text
    noted = client.post(desk, {"act": "note", "reason": "Called them"}, follow=True).text

    assert desk in listed
    assert "Deposits on days that ended with a loss" in shown
    assert "Called them" in noted
    [entry] = acts().filter(by=by, about=player)
    assert (entry.act, entry.reason) == ("note", "Called them")
