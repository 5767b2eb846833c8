"""Registration, waiting list, withdrawal, check-in and late entry (RB 10.4)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.notifications.models import Notification
from tables.models.seats import Seat
from tables.state import absence
from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end, notified, points_of
from tests.builders.tournaments.tournaments import (
    again,
    at_once,
    enter,
    make_sit_and_go,
    make_tournament,
    play_round,
    play_to_the_end,
    start,
    tick,
)
from tests.builders.wallet.tax_office import unguarded
from tournaments.entries import late_entries, notifications
from tournaments.entries.models import Entry
from tournaments.exceptions import AlreadyRegistered, NotAllowed, NotCheckingIn, RegistrationClosed
from tournaments.lobby import registration
from tournaments.lobby.detail import tournament_page
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import NoShow
from tournaments.rounds import staff_actions
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def test_registering_pays_once_and_withdrawing_refunds():
    tournament, player = make_tournament(), make_player()
    before = points_of(player)

    entry = registration.register(tournament_id=tournament.pk, player=player)
    with pytest.raises(AlreadyRegistered):
        registration.register(tournament_id=tournament.pk, player=player)
    assert points_of(player) == before - 100_00
    registration.withdraw(entry_id=entry.pk)
    registration.withdraw(entry_id=entry.pk)

    assert points_of(player) == before
    assert Entry.objects.get(pk=entry.pk).state == Entry.State.WITHDRAWN
    again = registration.register(tournament_id=tournament.pk, player=player)
    assert again.pk != entry.pk
    staff_actions.remove(entry_id=again.pk, by=make_player(is_staff=True), reason="Two accounts")
    with pytest.raises(NotAllowed):
        registration.register(tournament_id=tournament.pk, player=player)


def test_registration_without_money_leaves_no_row():
    tournament = make_tournament(entry_minor=10**12)

    with pytest.raises(InsufficientFunds):
        enter(tournament)

    assert not tournament.entries.exists()


def test_free_place_goes_to_the_first_waiting_player_who_can_pay():
    tournament = make_tournament(entrants_max=2, entry_minor=6_000_00)
    first, _ = enter(tournament, 2)
    waiting = enter(tournament, 3)
    assert [(entry.state, entry.stake) for entry in waiting] == [(Entry.State.WAITING, None)] * 3
    poor, rich, last = waiting
    other = make_tournament(entry_minor=6_000_00)
    registration.register(tournament_id=other.pk, player=poor.player)

    registration.withdraw(entry_id=first.pk)

    for entry in waiting:
        entry.refresh_from_db()
    assert (poor.state, last.state) == (Entry.State.WAITING, Entry.State.WAITING)
    assert (rich.state, rich.stake.entry_minor) == (Entry.State.REGISTERED, 6_000_00)
    assert notified("tournament_place") == [(rich.player_id, "6,000 PTS")]


def test_registration_and_withdrawal_only_while_open():
    early = make_tournament()
    Tournament.objects.filter(pk=early.pk).update(state=Tournament.State.ANNOUNCED)
    with pytest.raises(RegistrationClosed):
        enter(early)
    running = make_tournament()
    entry, *_ = enter(running, 3)
    start(running)

    with pytest.raises(RegistrationClosed):
        enter(running)
    with pytest.raises(RegistrationClosed):
        registration.withdraw(entry_id=entry.pk)


@pytest.mark.django_db(transaction=True)
def test_last_place_goes_to_one_of_two_concurrent_players():
    tournament = make_tournament(entrants_max=3)
    enter(tournament, 2)
    players = [make_player(), make_player()]

    at_once(
        [
            lambda player=player: registration.register(tournament_id=tournament.pk, player=player)
            for player in players
        ]
    )

    states = sorted(tournament.entries.filter(player__in=players).values_list("state", flat=True))
    assert states == [Entry.State.REGISTERED, Entry.State.WAITING]
    assert Stake.objects.filter(escrow=tournament.escrow_account).count() == 3


@pytest.mark.parametrize("no_show", NoShow.values)
def test_no_show_rule_and_waiting_list_at_the_start(no_show):
    tournament = make_tournament(check_in_minutes=10, no_show=no_show, entrants_max=3)
    here, away, also_here, *waiting = enter(tournament, 5)
    with pytest.raises(NotCheckingIn):
        registration.check_in(entry_id=here.pk)
    tournament = tick(tournament, tournament.starts_at - timedelta(minutes=9))
    assert tournament.state == Tournament.State.CHECK_IN
    for entry in (here, here, also_here):
        registration.check_in(entry_id=entry.pk)

    tournament = start(tournament)

    away.refresh_from_db()
    if no_show == NoShow.REFUND:  # The first of the waiting list takes the free place.
        assert away.state == Entry.State.RELEASED
        assert Transfer.objects.filter(key=f"no-show:{away.pk}").exists()
        assert notified("tournament_missed") == [(away.player_id, "")]
        waiting = waiting[1:]
    else:
        assert (away.state, away.is_absent) == (Entry.State.PLAYING, True)
    assert notified("tournament_no_place") == [(entry.player_id, "") for entry in waiting]
    for entry in waiting:
        entry.refresh_from_db()
        assert (entry.state, entry.stake) == (Entry.State.RELEASED, None)
    check_the_end(play_to_the_end(tournament))


def test_tournament_without_any_check_in_is_ranked_by_the_draw():
    tournament = make_tournament(check_in_minutes=10)
    enter(tournament, 4)
    tick(tournament, tournament.starts_at - timedelta(minutes=9))

    tournament = start(tournament)
    for _ in range(3):
        tournament = tick(tournament)

    assert tournament.state == Tournament.State.FINISHED
    check_the_end(tournament)


def test_start_with_too_few_entrants_is_delayed_once_then_cancelled():
    tournament = make_tournament(entrants_min=4, extend_minutes=30)
    entries = enter(tournament, 3)
    before = points_of(entries[0].player)
    began = tournament.starts_at

    tournament = start(tournament)
    assert (tournament.state, tournament.was_extended) == (Tournament.State.REGISTERING, True)
    assert tournament.starts_at == began + timedelta(minutes=30)
    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    assert Notification.objects.not_of_decisions().count() == 3
    tournament = start(tournament)

    assert tournament.state == Tournament.State.CANCELLED
    assert points_of(entries[0].player) == before + 100_00
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


@pytest.mark.extended
def test_late_entries_fill_new_tables_and_the_rest_are_refunded():
    tournament = make_tournament(late_minutes=20)
    enter(tournament, 6)
    tournament = start(tournament)
    assert tournament.rounds.get().round_tables.count() == 2

    enter(tournament, 2)
    assert tournament.rounds.get().round_tables.count() == 2
    *_, last, alone = enter(tournament, 2)

    assert tournament.rounds.get().round_tables.count() == 3
    last.refresh_from_db()
    assert (last.state, last.draw_no) == (Entry.State.PLAYING, 9)
    Tournament.objects.filter(pk=tournament.pk).update(
        started_at=timezone.now() - timedelta(minutes=21)
    )
    tournament = play_to_the_end(again(tournament))
    alone.refresh_from_db()
    assert (alone.state, alone.place) == (Entry.State.RELEASED, None)
    assert notified("tournament_no_table") == [(alone.player_id, "")]
    assert tournament.entries.exclude(place=None).count() == 9
    assert row_findings() == ()


def test_a_late_entrant_may_withdraw_until_there_is_a_table():
    tournament = make_tournament(late_minutes=20)
    first, *_ = enter(tournament, 6)
    tournament = start(tournament)
    end = late_entries.closes_at(tournament)
    moments = (end - timedelta.resolution, end)
    assert [late_entries.are_open(tournament, moment) for moment in moments] == [True, False]
    alone, removed = enter(tournament, 2)
    before = points_of(alone.player)
    assert [tournament_page(tournament, e.player).me.may_withdraw for e in (alone, first)] == [
        True,
        False,
    ]

    registration.withdraw(entry_id=alone.pk)
    staff_actions.remove(entry_id=removed.pk, by=make_player(is_staff=True), reason="Two accounts")

    assert points_of(alone.player) == before + 100_00
    assert Stake.objects.get(tournament_entry=removed).status == Stake.Status.REFUNDED
    assert tournament.rounds.get().round_tables.count() == 2
    with pytest.raises(RegistrationClosed):
        registration.withdraw(entry_id=first.pk)
    enter(tournament, 3)
    assert tournament.rounds.get().round_tables.count() == 3
    seated = tournament.entries.filter(is_late=True).first()
    with pytest.raises(RegistrationClosed):
        registration.withdraw(entry_id=seated.pk)


@pytest.mark.parametrize("no_show", NoShow.values)
def test_delayed_start_has_no_no_shows(no_show):
    tournament = make_tournament(
        check_in_minutes=10, no_show=no_show, entrants_min=4, extend_minutes=30
    )
    here, late, *_ = enter(tournament, 3)
    tournament = tick(tournament, tournament.starts_at - timedelta(minutes=9))
    registration.check_in(entry_id=here.pk)

    tournament = start(tournament)
    assert (tournament.state, tournament.was_extended) == (Tournament.State.CHECK_IN, True)
    registration.check_in(entry_id=late.pk)
    enter(tournament, 2)
    tournament = start(tournament)

    late.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING
    assert (late.state, late.is_absent) == (Entry.State.PLAYING, False)
    assert tournament.entries.standing().count() == (4 if no_show == NoShow.REFUND else 5)
    assert row_findings() == ()


def test_player_who_returned_to_a_table_is_not_absent_in_the_next_round():
    tournament = make_tournament(check_in_minutes=10)
    back, away, *present = enter(tournament, 6)
    tick(tournament, tournament.starts_at - timedelta(minutes=9))
    for entry in present:
        registration.check_in(entry_id=entry.pk)
    tournament = start(tournament)
    absence.come_back(seat_id=Seat.objects.get(player=back.player, is_absent=True).pk)

    play_round(tournament)

    assert not Entry.objects.get(pk=back.pk).is_absent
    assert Entry.objects.get(pk=away.pk).is_absent


def test_entrants_are_reminded_once_before_the_start():
    soon, later = make_tournament(starts_in=9), make_tournament(starts_in=20)
    entries = enter(soon, 2)
    enter(later, 1)

    for _ in range(2):
        notifications.notify_of_starts(soon.starts_at - timedelta(minutes=5))

    assert notified("tournament_starts") == [(entry.player_id, "") for entry in entries]
    reminders = Notification.objects.not_of_decisions()
    assert set(reminders.values_list("happens_at", flat=True)) == {soon.starts_at}


def in_hours(hours):
    return timezone.now() + timedelta(hours=hours)


def test_full_sit_and_go_refuses_withdrawals_and_is_started_by_the_sweep():
    tournament = make_sit_and_go(entrants_max=3, prize_bps=[10_000])
    enter(tournament, 2)
    assert tick(tournament).state == Tournament.State.REGISTERING
    [last] = enter(tournament)

    with pytest.raises(RegistrationClosed):
        registration.withdraw(entry_id=last.pk)

    assert again(tournament).state == Tournament.State.REGISTERING
    tournament = tick(tournament)
    assert tournament.state == Tournament.State.RUNNING
    tournament = play_to_the_end(tournament)
    check_the_end(tournament)
    assert tournament.rounds.get().is_final
    winner = tournament.entries.get(place=1)
    assert notified("tournament_prize") == [(winner.player_id, "270 PTS")]


def test_sit_and_go_does_not_start_after_a_withdrawal():
    tournament = make_sit_and_go(entrants_max=3)
    first, _ = enter(tournament, 2)

    registration.withdraw(entry_id=first.pk)
    Tournament.objects.filter(pk=tournament.pk).update(
        due_at=timezone.now(), armed_at=timezone.now()
    )

    assert tick(tournament).state == Tournament.State.REGISTERING
    assert again(tournament).due_at - timezone.now() > timedelta(hours=23)


def test_unfilled_sit_and_go_is_cancelled_a_day_after_its_first_entry():
    tournament, player = make_sit_and_go(), make_player()
    before = points_of(player)
    registration.register(tournament_id=tournament.pk, player=player)
    due = again(tournament).due_at
    enter(tournament)
    assert again(tournament).due_at == due
    assert tick(tournament, in_hours(23)).state == Tournament.State.REGISTERING

    for hours in (25, 50):
        assert tick(tournament, in_hours(hours)).state == Tournament.State.CANCELLED
        assert points_of(player) == before

    assert not Stake.objects.live().exists()


def test_sit_and_go_waits_a_day_from_its_oldest_entry():
    tournament = make_sit_and_go()
    first, second = enter(tournament, 2)
    with unguarded():
        Entry.objects.filter(pk=first.pk).update(
            registered_at=timezone.now() - timedelta(hours=23, minutes=30)
        )

    registration.withdraw(entry_id=first.pk)

    assert tick(tournament, in_hours(1)).state == Tournament.State.REGISTERING
    registration.withdraw(entry_id=second.pk)
    assert again(tournament).due_at is None
