"""Interrupted, repeated or concurrent steps do not change the result."""

from functools import partial
from pkgutil import resolve_name
from threading import Event, local

import pytest
from django.utils import timezone

from tests.amounts import first
from tests.builders.processes.waiting import something_waits
from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    again,
    at_once,
    enter,
    make_tournament,
    play_and_record,
    play_round,
    play_table,
    play_to_the_end,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Entry
from tournaments.exceptions import RegistrationClosed
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.rounds import clock, stopping
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account, Transfer
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
    target, calls = resolve_name(step), []

    def interrupted(*arguments, **named):
        calls.append(1)
        if len(calls) == 1 and not after:
            raise TornError
        result = target(*arguments, **named)
        if len(calls) == 1:
            raise TornError
        return result

    monkeypatch.setattr(step, interrupted)
    return calls


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
    play_and_record(tournament)
    before = list(tournament.rounds.get().seatings.values_list("place", "qualified"))

    play_and_record(tournament)

    assert list(tournament.rounds.get().seatings.values_list("place", "qualified")) == before
    check_the_end(play_to_the_end(again(tournament)))


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


def test_two_cancellations_in_several_postings_do_not_block_each_other(monkeypatch):
    """Each waits after its first posting until the other has posted or waits for a lock."""
    monkeypatch.setattr(stopping, "BACK_AT_ONCE", 2)
    players = [make_player() for _ in range(5)]
    tournaments = [make_tournament(guarantee_minor=0) for _ in range(2)]
    for tournament, order in zip(tournaments, (players, players[::-1]), strict=True):
        for player in order:
            registration.register(tournament_id=tournament.pk, player=player)
    posted, mine = [], local()
    everybody = Event()
    really = stakes.return_stakes

    def return_stakes(**asked):
        transfer = really(**asked)
        if not hasattr(mine, "has_posted"):
            mine.has_posted = True
            posted.append(transfer)
            if len(posted) == len(tournaments):
                everybody.set()
            while not (everybody.wait(0.01) or something_waits()):
                pass
        return transfer

    monkeypatch.setattr(stakes, "return_stakes", return_stakes)

    def cancel(tournament, by):
        return lambda: stopping.cancel(tournament_id=tournament.pk, by=by, reason="Storm").state

    staff = make_player(is_staff=True)
    results = at_once([cancel(tournament, staff) for tournament in tournaments])

    assert results == [Tournament.State.CANCELLED] * 2
    for tournament in tournaments:
        escrow = again(tournament).escrow_account_id
        assert Account.objects.get(pk=escrow).balance_minor == 0
    assert row_findings() == ()
