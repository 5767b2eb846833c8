"""Races between a break, a hold or a region change and a player's action."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone
from moneyed import Money

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.places import region_changes
from players.eligibility.places.models import Offer, Region
from players.eligibility.verdicts import Act, require_may
from players.exceptions import CashNotOffered, CoolingOff, PlayHeld
from tables.models.seats import Seat
from tables.seats import seating
from tests.builders.people.holds import hold_player
from tests.builders.people.region_changes import request_change
from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once, waiting
from tests.builders.staff.people import clerk
from tests.builders.tables.making import make_table
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import fund, make_player
from wallet.deposits.deposits import note_order, open_order
from wallet.deposits.models import Deposit

pytestmark = pytest.mark.django_db(transaction=True)


def pause(player):
    return take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))


def hold(player):
    return hold_player(player, Hold.Kind.PLAY)


STOPPED = [(pause, Break, CoolingOff), (hold, Hold, PlayHeld)]


@pytest.mark.parametrize(("stop", "model", "refusal"), STOPPED)
def test_stop_waits_for_an_action_already_allowed(stop, model, refusal):
    player = make_player()

    with waiting(lambda: stop(player)):
        require_may(player, Act.POINTS)

    assert model.objects.exists()
    with pytest.raises(refusal):
        require_may(player, Act.POINTS)


@pytest.mark.parametrize(("stop", "model", "refusal"), STOPPED)
def test_concurrent_stop_and_buy_in_are_both_recorded(stop, model, refusal):
    for _ in range(5):
        table, player = make_table(), make_player()
        fund(player, currency="PTS", deposit=1_000_00)

        seat, stopped = at_once(
            [partial(seating.join, table_id=table.pk, player=player), partial(stop, player)]
        )

        assert isinstance(stopped, model)
        assert isinstance(seat, refusal) or seat.joined_at <= timezone.now()
        assert Seat.objects.filter(player=player).count() == (not isinstance(seat, refusal))
        with pytest.raises(refusal):
            seating.join(table_id=make_table().pk, player=player)


def test_a_region_closes_after_deposits_that_were_asked_before():
    open_region("IN-KA")
    player, change, checker = make_depositor(), request_change("IN-KA", Offer.PROHIBITED), clerk()
    opened = open_order(player=player, amount=Money(100, "INR"))

    with waiting(lambda: region_changes.approve_change(change_id=change.pk, by=checker)):
        note_order(player=player, opened=opened)

    assert Deposit.objects.get().created_at <= Region.objects.get(change=change).begins_at
    with pytest.raises(CashNotOffered):
        note_order(player=player, opened=opened)
