"""Events of finished games, closed days and requested withdrawals."""

from __future__ import annotations

import json

import pytest

from core.events import Event, record_event
from finance.closing.actions import close_day, close_days
from tables.models.tables import Table
from tests.builders.books.full_books import a_day_passes, play_pool
from tests.builders.tables.making import make_game
from tests.builders.wallet.payout_desk import make_withdrawal

pytestmark = pytest.mark.django_db(transaction=True)


def test_finished_game_is_recorded_as_one_event():
    make_game(players=2)
    assert not Event.objects.exists()

    play_pool()

    event = Event.objects.get(kind=Event.Kind.GAME_FINISHED)
    table = Table.objects.get(finished_at__isnull=False)
    body = json.loads(event.body)
    assert (body["table"], body["phase"]) == (str(table.public_id), "finished")
    assert (body["rules"], body["entry_minor"]) == (table.profile.name, table.entry_minor)
    handles = table.seats.values_list("player__handle", flat=True)
    assert not any(handle in event.body for handle in handles)


def test_closed_day_is_recorded_as_one_event():
    play_pool()
    a_day_passes()
    [close] = close_days()
    close_day(day=close.day)

    event = Event.objects.get(kind=Event.Kind.DAY_CLOSED)

    assert json.loads(event.body) == {
        "day": close.day.isoformat(),
        "transfers": close.transfers,
        "entries": close.entries,
        "games": close.games,
        "control_hash": close.control_hash,
    }
    with pytest.raises(RuntimeError):  # The rollback undoes the event too.
        record_event(Event.Kind.DAY_CLOSED, key="x", data={})


def test_withdrawal_event_has_amounts_and_no_personal_data():
    withdrawal = make_withdrawal(70)

    event = Event.objects.get(kind=Event.Kind.WITHDRAWAL_ASKED)

    assert json.loads(event.body) == {
        "withdrawal": str(withdrawal.public_id),
        "currency": "INR",
        "amount_minor": 70_00,
        "tax_minor": withdrawal.tax_minor,
    }
    assert event.key == str(withdrawal.public_id)
