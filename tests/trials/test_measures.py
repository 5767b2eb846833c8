"""The measures of a trial find lost moves, shown hands, outages and wrong balances."""

import ssl
import time
from types import SimpleNamespace
from uuid import uuid4

import pytest

from tests.builders.tables.making import make_game
from tests.builders.tables.playing import move
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import unguarded
from tests.trials.measures import (
    Prober,
    head,
    longest_silence,
    moves_lost,
    observed,
    p99,
    paise_off,
)
from tests.trials.people.crowd import Tally
from wallet.ledger.models import Account


@pytest.fixture
def prober():
    return Prober(1, ssl.create_default_context(), None)


def test_an_outage_lasts_from_the_first_unanswered_probe_to_the_next_answer(prober):
    prober.probes = [(0, 1, False), (2, 3, True), (3, 6, False), (6, 7, False), (7, 8, True)]

    assert prober.outage(since=2) == (5, 2)


def test_an_outage_that_has_not_ended_counts_until_now(prober):
    began = time.monotonic() - 10
    prober.probes = [(began, began + 3, False)]

    seconds, failed = prober.outage(since=began)

    assert seconds >= 10
    assert failed == 1


def test_probe_without_a_server_is_unanswered(prober):
    prober.person = SimpleNamespace(cookie="")

    assert not prober.answers()


def test_one_slow_move_in_a_hundred_is_the_99th_percentile():
    tally = Tally()
    tally.answered = [(float(second), 0.1) for second in range(99)] + [(99.0, 4.0)]

    assert p99(tally, 0, 100) == 4.0
    assert p99(tally, 0, 99) == 0.1
    assert p99(tally, 200, 300) is None


def test_the_longest_silence_counts_from_and_to_the_ends_and_by_when_moves_were_answered():
    tally = Tally()
    tally.answered = [(1.0, 1.0), (3.0, 4.0), (8.0, 0.5)]  # Answered at 2, 7 and 8.5.

    assert longest_silence(tally, 0, 10) == 5.0
    assert longest_silence(tally, 7, 12) == 3.5
    assert longest_silence(Tally(), 0, 10) == 10.0


@pytest.mark.django_db(transaction=True)
def test_a_move_that_is_not_in_the_database_is_lost():
    kept, lost = uuid4(), uuid4()
    table = make_game(players=2)
    move(table, 1, "ds", move_id=kept)

    assert moves_lost({str(kept)}) == 0
    assert moves_lost({str(kept), str(lost)}) == 1


def in_vain():
    raise AssertionError("waited in vain")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("happen", "counts", "acknowledged", "is_ok"),
    [
        (lambda: "done", {}, set(), True),
        (in_vain, {}, set(), False),
        (lambda: "done", {"hidden cards": 1}, set(), False),
        (lambda: "done", {}, {str(uuid4())}, False),
    ],
)
def test_line_is_ok_only_if_the_event_ended_and_no_move_was_lost_or_hand_shown(
    prober, happen, counts, acknowledged, is_ok
):
    tally = Tally(acknowledged=acknowledged)
    tally.counts.update(counts)

    line = observed("an event", happen, tally, prober, 0)

    assert line.ok == is_ok
    assert line.as_row().startswith("| an event |")
    assert head().splitlines()[0].count("|") == line.as_row().count("|")


@pytest.mark.django_db
def test_balances_that_differ_from_their_entries_are_off_by_their_difference():
    player = make_player()
    fund(player, deposit=100_00)
    assert paise_off() == 0

    funded = Account.objects.get(player=player, kind=Account.Kind.DEPOSIT, currency="INR")
    untouched = Account.objects.filter(entries=None).earliest("pk")
    with unguarded() as cursor:
        for account, by in ((funded, 7), (untouched, -2)):
            cursor.execute(
                "UPDATE wallet_account SET balance_minor = balance_minor + %s WHERE id = %s",
                [by, account.pk],
            )

    assert paise_off() == 9
