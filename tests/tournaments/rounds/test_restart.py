"""Interrupted, repeated or concurrent steps do not change the result."""

from datetime import timedelta
from functools import partial
from importlib import import_module
from random import Random

import pytest
from django.utils import timezone

from tests.amounts import first
from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    again,
    at_once,
    enter,
    make_tournament,
    play_round,
    play_table,
    play_to_the_end,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Entry, RoundTable
from tournaments.exceptions import RegistrationClosed
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.rounds import clock, rounds, stopping
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)
# For sequential workers, whose rows need not be committed.
in_one_connection = pytest.mark.django_db
# The writing steps by their import paths; a worker may die at each.
STEPS = [
    "tournaments.rounds.starting.prize_pool.post_overlay",
    "tournaments.rounds.starting.rounds.open_round",
    "tournaments.rounds.rounds.hosted.open_table",
    "tournaments.rounds.rounds.results.take_over",
    "tournaments.rounds.rounds.results.place_the_out",
    "tournaments.rounds.rounds.results.place_finalists",
    "tournaments.prizes.prize_pool._write_rows",
    "tournaments.prizes.prize_pool.stakes.settle_game",
    "tournaments.rounds.rounds.timing.save",
]


class TornError(Exception):
    """Simulates the death of a worker."""


def interrupt(monkeypatch, step, *, after):
    """Interrupt the first call of a step, before its work or right after it."""
    module, name = step.rsplit(".", 1)
    whole = f"{module}.{name}"
    target = monkeypatch_target(whole)
    calls = []

    def interrupted(*arguments, **named):
        calls.append(1)
        if len(calls) == 1 and not after:
            raise TornError
        result = target(*arguments, **named)
        if len(calls) == 1:
            raise TornError
        return result

    monkeypatch.setattr(whole, interrupted)
    return calls


def monkeypatch_target(path):
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name)
        return found
    raise AssertionError(path)


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize("after", [pytest.param(False, marks=pytest.mark.soak), True])
@pytest.mark.parametrize("step", first(1, STEPS))
def test_interrupted_step_is_done_by_the_next_sweep(monkeypatch, step, after):
    tournament = make_tournament(guarantee_minor=900_00)
    enter(tournament, 5)
    calls = interrupt(monkeypatch, step, after=after)

    tournament = start(tournament)
    if tournament.state != Tournament.State.RUNNING:
        tournament = start(tournament)
    tournament = play_to_the_end(tournament)

    assert calls
    check_the_end(tournament)


def test_concurrent_sweeps_do_each_step_once():
    tournament = make_tournament()
    enter(tournament, 7)
    now = tournament.starts_at

    at_once([partial(clock.sweep, now=now), partial(clock.sweep, now=now)])
    tick(tournament)
    assert len(tables_of(tournament)) == 3
    for table in tables_of(tournament):
        play_table(table)
    for _ in range(4):
        at_once([partial(clock.sweep, now=timezone.now()) for _ in range(2)])

    tournament = again(tournament)
    assert tournament.rounds.count() == 2
    assert tournament.rounds.get(no=2).seatings.count() == 3
    check_the_end(play_to_the_end(tournament))


@pytest.mark.extended
@in_one_connection
def test_result_recorded_twice_counts_once():
    tournament = make_tournament()
    enter(tournament, 6)
    tournament = start(tournament)
    for table in tables_of(tournament):
        play_table(table)
    round_tables = list(RoundTable.objects.filter(round__tournament=tournament))

    for one in [*round_tables, *round_tables]:
        rounds.take_result(round_table_id=one.pk)
    before = list(tournament.rounds.get().seatings.values_list("place", "qualified"))
    for one in round_tables:
        rounds.take_result(round_table_id=one.pk)

    assert list(tournament.rounds.get().seatings.values_list("place", "qualified")) == before
    check_the_end(play_to_the_end(again(tournament)))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_random_interruptions_do_not_change_the_result(monkeypatch, seed):
    dice = Random(seed)
    tournament = make_tournament(guarantee_minor=900_00)
    enter(tournament, 7)
    for step in STEPS:
        target = monkeypatch_target(step)

        def interrupted(*arguments, target=target, **named):
            if dice.random() < 0.2:
                raise TornError
            result = target(*arguments, **named)
            if dice.random() < 0.2:
                raise TornError
            return result

        monkeypatch.setattr(step, interrupted)
    for _ in range(200):
        tick(tournament, tournament.starts_at)
        for table in tables_of(tournament):
            play_table(table)
        if again(tournament).is_over:
            break

    monkeypatch.undo()
    check_the_end(again(tournament))


@pytest.mark.extended
def test_abort_interrupted_between_postings_is_finished_by_the_next_sweep(monkeypatch):
    monkeypatch.setattr(stakes, "PAID_AT_ONCE", 1)
    tournament = make_tournament(prize_bps=[5000, 3000, 2000], final_seats=2)
    enter(tournament, 6)
    tournament = play_round(start(tournament))
    act = stopping.ask_to_abort(
        tournament_id=tournament.pk, by=make_player(is_staff=True), reason="Broken"
    )
    agree = partial(stopping.agree_to_abort, action_id=act.pk, by=make_player(is_staff=True))

    interrupt(monkeypatch, "wallet.stakes.stakes.posting.post", after=True)
    with pytest.raises(TornError):
        agree()
    assert again(tournament).state == Tournament.State.RUNNING
    assert not Transfer.objects.filter(kind=Transfer.Kind.PRIZE).exists()
    at_once([agree, agree])

    tournament = again(tournament)
    assert tournament.state == Tournament.State.ABORTED
    check_the_end(tournament)


def test_withdrawal_during_the_draw_refunds_or_is_refused():
    tournament = make_tournament()
    leaver, *_ = enter(tournament, 4)

    answer, _ = at_once(
        [
            partial(registration.withdraw, entry_id=leaver.pk),
            partial(clock.sweep, now=tournament.starts_at),
        ]
    )

    leaver = Entry.objects.select_related("stake").get(pk=leaver.pk)
    seen = (leaver.state, leaver.stake.status, leaver.seatings.count())
    if isinstance(answer, RegistrationClosed):
        assert seen == (Entry.State.PLAYING, Stake.Status.LIVE, 1)
    else:
        assert seen == (Entry.State.WITHDRAWN, Stake.Status.REFUNDED, 0)
    check_the_end(play_to_the_end(start(tournament)))


def test_a_late_entrant_at_the_freeze_is_refused_or_gets_the_entry_back():
    tournament = make_tournament(late_minutes=20, final_seats=2)
    enter(tournament, 6)
    tournament = start(tournament)
    for table in tables_of(tournament):
        play_table(table)
    player = make_player()
    closed = timezone.now() + timedelta(hours=3)

    answer, _ = at_once(
        [
            partial(registration.register, tournament_id=tournament.pk, player=player),
            partial(clock.sweep, now=closed),
        ]
    )
    tournament = tick(tournament, closed)

    assert again(tournament).frozen_at is not None
    if isinstance(answer, RegistrationClosed):
        assert not tournament.entries.of_player(player).exists()
    else:
        late = tournament.entries.select_related("stake").get(player=player)
        assert (late.state, late.stake.status) == (Entry.State.RELEASED, Stake.Status.REFUNDED)
    check_the_end(play_to_the_end(tournament))
