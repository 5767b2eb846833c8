"""A break or a hold against a buy-in at the same moment: neither is lost."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.verdicts import Act, require_may
from players.exceptions import CoolingOff, NotEligible, PlayHeld
from tables.seats import seating
from tables.table.seat_models import Seat
from tests.builders.people.holds import hold_player
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)


def pause(player):
    return take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))


def hold(player):
    return hold_player(player, Hold.Kind.PLAY)


STOPPED = [(pause, Break, CoolingOff), (hold, Hold, PlayHeld)]


@pytest.mark.parametrize(("stop", "model", "refusal"), STOPPED)
def test_it_waits_for_an_act_that_was_allowed_before_it(stop, model, refusal):
    player = make_player()

    def stop_beside():
        try:
            return stop(player)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as workers:
        with transaction.atomic():
            require_may(player, Act.POINTS)
            stopped = workers.submit(stop_beside)
            with pytest.raises(TimeoutError):
                stopped.result(timeout=0.5)
            assert not model.objects.exists()
        stopped.result(timeout=10)

    with pytest.raises(refusal):
        require_may(player, Act.POINTS)


@pytest.mark.parametrize(("stop", "model", "refusal"), STOPPED)
def test_of_it_and_a_buy_in_at_once_none_is_lost(stop, model, refusal):
    for _ in range(5):
        table, player = make_table(), make_player()
        fund(player, currency="PTS", deposit=1_000_00)

        def act(step, table=table, player=player):
            try:
                return step(table, player)
            except NotEligible as refused:
                return refused
            finally:
                connections.close_all()

        def sit(table, player):
            return seating.join(table_id=table.pk, player=player)

        with ThreadPoolExecutor(2) as workers:
            seat, stopped = workers.map(act, (sit, lambda _, player: stop(player)))

        assert isinstance(stopped, model)
        assert isinstance(seat, refusal) or seat.joined_at <= timezone.now()
        assert Seat.objects.filter(player=player).count() == (not isinstance(seat, refusal))
        with pytest.raises(refusal):
            seating.join(table_id=make_table().pk, player=player)
