"""Markers of harm are counted from a player's own rows, beside the days before."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from players.limits.models import OwnLimit
from tables.models.seats import Seat
from tables.responsible import harm
from tables.responsible.harm import SPAN, markers, noticed
from tests.builders.people.regions import open_region
from tests.builders.staff.people import a_person
from tests.builders.tables.making import make_player, make_table
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit, tell
from tests.builders.wallet.payout_desk import make_withdrawal
from tests.builders.wallet.players import acts
from tests.builders.wallet.tax_office import lose, win
from wallet.deposits import limits
from wallet.gateways.sandbox_page import Sent

pytestmark = pytest.mark.django_db


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
