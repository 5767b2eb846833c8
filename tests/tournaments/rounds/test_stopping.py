"""Cancellations, aborts, delays and removals with their refunds and notifications (RB 10.4)."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from players.accounts.models import User
from players.exceptions import SharedInterest
from players.notifications.models import Notification
from players.notifications.texts import text_of
from rummy import PROFILES
from tables.models.seats import Score
from tables.seats import hosted
from tables.state.locks import lock_table
from tests.amounts import first
from tests.builders.tables.making import NO_PAUSES, make_player
from tests.builders.tables.playing import reread
from tests.builders.tournaments.outcomes import check_the_end, notified, points_of
from tests.builders.tournaments.played_contests import abort
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_tournament,
    play_round,
    play_to_the_end,
    start,
    step,
    tables_of,
    tick,
)
from tournaments.entries.models import Entry
from tournaments.exceptions import (
    BadTerms,
    NotRegistered,
    NotRunning,
    SamePerson,
    TournamentRunning,
)
from tournaments.lobby import registration
from tournaments.planning import timing
from tournaments.planning.models import Tournament
from tournaments.prizes import prize_pool
from tournaments.rounds import clock, staff_actions, stopping
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def make_staff():
    return make_player(is_staff=True)


def cancel(tournament):
    return stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Maintenance")


def remove(entry):
    staff_actions.remove(entry_id=entry.pk, by=make_staff(), reason="Two accounts")


def check_books(tournament):
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


@pytest.mark.parametrize(("most", "postings"), first(1, [(stopping.BACK_AT_ONCE, 1), (2, 3)]))
def test_cancelled_tournament_refunds_every_entry_once(monkeypatch, most, postings):
    monkeypatch.setattr(stopping, "BACK_AT_ONCE", most)
    tournament = make_tournament(guarantee_minor=1000_00)
    entries = enter(tournament, 5)
    before = [points_of(entry.player) for entry in entries]

    cancel(tournament)
    cancel(tournament)

    assert [points_of(entry.player) - 100_00 for entry in entries] == before
    key = f"cancel:{tournament.owner_ref}"
    assert Transfer.objects.filter(key__startswith=key).count() == postings
    assert tournament.staff_actions.get().reason == "Maintenance"
    assert notified("tournament_called_off") == [(entry.player_id, "") for entry in entries]
    check_books(tournament)


@pytest.mark.soak
@pytest.mark.parametrize("is_running", [False, True])
def test_field_of_1001_is_refunded_or_shares_the_prizes(is_running):
    tournament = make_tournament(entrants_max=1001, entrants_min=2)
    for player in User.objects.bulk_create(
        User(handle=f"one_of_{number}", email=f"{number}@example.com") for number in range(1001)
    ):
        play_points.grant_sign_up(player=player)
        registration.register(tournament_id=tournament.pk, player=player)
    if is_running:
        clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
        tournament = again(tournament)
        prize_pool.freeze(tournament, timezone.now())
        timing.save(tournament)

    stopped = abort(tournament) if is_running else cancel(tournament)

    assert not Stake.objects.in_escrow().filter(escrow=tournament.escrow_account).exists()
    if is_running:
        placed = stopped.entries.filter(place=1, tied=1001, prize_minor__gt=0)
        assert placed.count() == 1001
        assert sum(placed.values_list("prize_minor", flat=True)) == stopped.prize_minor
    check_books(tournament)


def test_cancel_and_abort_need_the_right_state_and_other_people():
    waiting, running = make_tournament(starts_in=600), make_tournament()
    [waits], [plays, *_] = enter(waiting), enter(running, 3)
    start(running)
    asks = make_staff()
    act = stopping.ask_to_abort(tournament_id=running.pk, by=asks, reason="Broken")
    agree = partial(stopping.agree_to_abort, action_id=act.pk)

    for refusal, refused in (
        (TournamentRunning, partial(cancel, running)),
        (NotRunning, partial(abort, waiting)),
        (SamePerson, partial(agree, by=asks)),
        (SharedInterest, partial(agree, by=plays.player)),
        (
            SharedInterest,
            partial(stopping.cancel, tournament_id=waiting.pk, by=waits.player, reason="No"),
        ),
    ):
        with pytest.raises(refusal):
            refused()

    assert again(running).state == Tournament.State.RUNNING
    assert again(waiting).state == Tournament.State.REGISTERING


@pytest.mark.parametrize(("most", "postings"), first(1, [(stakes.PAID_AT_ONCE, 1), (2, 3)]))
def test_later_abort_shares_the_prizes_among_active_players(monkeypatch, most, postings):
    monkeypatch.setattr(stakes, "PAID_AT_ONCE", most)
    tournament = make_tournament(guarantee_minor=2000_00, prize_bps=[4000, 3000, 2000, 1000])
    enter(tournament, 15)
    tournament = play_round(start(tournament))
    assert (tournament.round_no, tournament.frozen_at is not None) == (2, True)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    for _ in range(2):
        tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    shares = tournament.entries.filter(place=1).values_list("prize_minor", flat=True)
    assert sorted(shares) == [400_00] * 5
    key = f"finish:{tournament.owner_ref}"
    assert Transfer.objects.filter(key__startswith=key).count() == postings
    assert not tables_of(tournament)
    assert tick(tournament).state == Tournament.State.ABORTED
    check_books(tournament)


def test_delayed_start_reopens_registration_and_is_announced_with_its_reason():
    tournament = make_tournament(check_in_minutes=10, entrants_max=2)
    entries = enter(tournament, 3)
    later = tournament.starts_at + timedelta(hours=1)
    delay = partial(
        staff_actions.delay, tournament_id=tournament.pk, by=make_staff(), reason="Rain"
    )

    with pytest.raises(BadTerms):
        delay(starts_at=timezone.now())
    delay(starts_at=later)

    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    shown = Notification.objects.not_of_decisions()
    assert set(shown.values_list("remark", "happens_at")) == {("Rain", later)}
    assert "now starts at" in text_of(shown.first())
    tournament = tick(tournament, later - timedelta(minutes=11))
    assert tournament.state == Tournament.State.REGISTERING
    assert tick(tournament, later).starts_at == later


def test_round_time_limit_stops_every_table_after_its_deal():
    tournament = make_tournament(round_minutes=30)
    enter(tournament, 6)
    tournament = start(tournament)
    staff_actions.extend_round(
        tournament_id=tournament.pk, minutes=1, by=make_staff(), reason="Slow"
    )
    ends_at = tournament.rounds.get().ends_at
    tick(tournament, ends_at - timedelta(minutes=1))
    assert [table.is_last_deal for table in tables_of(tournament)] == [False, False]

    tick(tournament, ends_at)

    assert [table.is_last_deal for table in tables_of(tournament)] == [True, True]
    check_the_end(play_to_the_end(tournament))


def test_table_opened_after_the_time_limit_plays_one_deal():
    tournament = make_tournament(round_minutes=30)
    enter(tournament, 3)
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    ends_at = tournament.rounds.get().ends_at
    clock.apply_overdue(tournament_id=tournament.pk, now=ends_at)
    assert not tables_of(tournament)

    tournament = tick(tournament, ends_at)

    assert [table.is_last_deal for table in tables_of(tournament)] == [True]
    check_the_end(play_to_the_end(tournament))


def test_player_removed_before_the_start_is_refunded_and_later_leaves_the_table():
    tournament = make_tournament()
    early, late, *_ = enter(tournament, 4)
    before = points_of(early.player)
    remove(early)
    tournament = start(tournament)

    remove(late)
    tick(tournament)

    assert points_of(early.player) == before + 100_00
    assert Entry.objects.get(pk=early.pk).state == Entry.State.RELEASED
    assert not tables_of(tournament)[0].seats.present().of_player(late.player).exists()
    for entry, kind, text in (
        (early, "tournament_removed", "Your entry was refunded"),
        (late, "tournament_disqualified", "Two accounts"),
    ):
        assert notified(kind) == [(entry.player_id, "")]
        assert text in text_of(Notification.objects.not_of_decisions().get(player=entry.player))
        with pytest.raises(NotRegistered):
            remove(entry)
    tournament = play_to_the_end(tournament)
    assert Entry.objects.get(pk=late.pk).place == 3
    check_the_end(tournament)


def test_removed_player_is_last_at_a_table_of_absent_players():
    tournament = make_tournament(check_in_minutes=10)
    entries = enter(tournament, 3)
    tick(tournament, tournament.starts_at - timedelta(minutes=9))
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    removed = tournament.entries.get(draw_no=1)
    remove(removed)

    tournament = tick(tournament)

    assert Entry.objects.get(pk=removed.pk).place == len(entries)
    check_the_end(tournament)


@pytest.mark.parametrize("base", ["total-rummy-pool-101", "total-rummy-best-of-6"])
def test_stopped_table_is_ranked_by_its_last_scores(base):
    rules = PROFILES[base].with_(name=f"called off {base}", **NO_PAUSES)
    tournament = make_tournament(rules=rules)
    enter(tournament, 3)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    while reread(table).deal_no == 1:
        step(reread(table))
    winner = Score.objects.get(deal__table=table, how="won").seat.player

    hosted.stop_table(lock_table(table.pk), timezone.now())
    tournament = tick(tournament)

    assert tournament.entries.get(place=1).player == winner
