"""Cancellations, aborts, delays and removals with their refunds (RB 10.4)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.accounts.models import User
from players.exceptions import SharedInterest
from rummy import PROFILES
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import hosted, seating
from tests.builders.tables.making import NO_PAUSES, make_player
from tests.builders.tables.playing import reread
from tests.builders.tournaments.outcomes import check_the_end, points_of
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_tournament,
    play_round,
    play_table,
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
from tournaments.rounds import clock, rounds, staff_actions, stopping
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def make_staff():
    return make_player(is_staff=True)


def escrow_of(tournament):
    return Account.objects.get(pk=tournament.escrow_account_id).balance_minor


def test_cancelled_tournament_refunds_once():
    tournament = make_tournament(guarantee_minor=1000_00)
    entries = enter(tournament, 4)
    before = points_of(entries[0].player)

    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Maintenance")
    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Maintenance")

    assert points_of(entries[0].player) == before + 100_00
    assert escrow_of(tournament) == 0
    assert tournament.staff_actions.get().reason == "Maintenance"
    assert row_findings() == ()


@pytest.mark.extended
def test_a_field_too_large_for_one_posting_is_cancelled_in_several(monkeypatch):
    monkeypatch.setattr(stopping, "BACK_AT_ONCE", 2)
    tournament = make_tournament(guarantee_minor=1000_00)
    entries = enter(tournament, 5)
    before = [points_of(entry.player) for entry in entries]

    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Maintenance")

    assert [points_of(entry.player) - 100_00 for entry in entries] == before
    assert Transfer.objects.filter(key__startswith=f"cancel:{tournament.owner_ref}").count() == 3
    assert escrow_of(tournament) == 0
    assert row_findings() == ()


@pytest.mark.soak
def test_cancellation_refunds_1001_entrants():
    tournament = make_tournament(entrants_max=1001)
    players = User.objects.bulk_create(
        User(handle=f"one_of_{number}", email=f"{number}@example.com") for number in range(1001)
    )
    for player in players:
        play_points.grant_sign_up(player=player)
        registration.register(tournament_id=tournament.pk, player=player)

    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Maintenance")

    assert not Stake.objects.in_escrow().filter(escrow=tournament.escrow_account).exists()
    assert escrow_of(tournament) == 0
    assert row_findings() == ()


def test_cancel_needs_an_unstarted_and_abort_a_running_tournament():
    running, waiting = make_tournament(), make_tournament()
    enter(running, 3)
    start(running)

    with pytest.raises(TournamentRunning):
        stopping.cancel(tournament_id=running.pk, by=make_staff(), reason="No")
    with pytest.raises(NotRunning):
        stopping.ask_to_abort(tournament_id=waiting.pk, by=make_staff(), reason="No")


def test_abort_needs_two_people():
    tournament = make_tournament()
    enter(tournament, 3)
    start(tournament)
    staff = make_staff()
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=staff, reason="Broken")

    with pytest.raises(SamePerson):
        stopping.agree_to_abort(action_id=act.pk, by=staff)

    assert again(tournament).state == Tournament.State.RUNNING


def test_abort_in_round_1_refunds_every_entry():
    tournament = make_tournament(guarantee_minor=2000_00)
    entries = enter(tournament, 7)
    players = {entry.pk: points_of(entry.player) for entry in entries}
    start(tournament)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    assert tournament.state == Tournament.State.ABORTED
    assert {entry.pk: points_of(entry.player) - 100_00 for entry in entries} == players
    assert escrow_of(tournament) == 0
    assert not tables_of(tournament)
    assert row_findings() == ()
    guarantee = Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS")
    assert guarantee.balance_minor == 0


def test_later_abort_shares_the_prizes_among_active_players():
    tournament = make_tournament(prize_bps=[5000, 3000, 2000], final_seats=2)
    enter(tournament, 6)
    tournament = play_round(start(tournament))
    assert (tournament.round_no, tournament.prize_minor) == (2, 540_00)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    left = tournament.entries.filter(place=1)
    assert list(left.values_list("prize_minor", flat=True)) == [540_00 * 8 // 10 // 2] * 2
    assert escrow_of(tournament) == 0
    assert row_findings() == ()
    assert not tables_of(tournament)
    assert tick(tournament).state == Tournament.State.ABORTED


@pytest.mark.extended
def test_a_field_too_large_for_one_posting_shares_the_prizes_in_several(monkeypatch):
    monkeypatch.setattr(stakes, "PAID_AT_ONCE", 2)
    tournament = make_tournament(guarantee_minor=2000_00, prize_bps=[4000, 3000, 2000, 1000])
    enter(tournament, 15)
    tournament = play_round(start(tournament))
    assert (tournament.round_no, tournament.frozen_at is not None) == (2, True)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    for _ in range(2):
        tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    shares = tournament.entries.filter(place=1).values_list("prize_minor", flat=True)
    assert sorted(shares) == [400_00] * 5
    postings = Transfer.objects.filter(key__startswith=f"finish:{tournament.owner_ref}")
    assert postings.count() == 3
    assert escrow_of(tournament) == 0
    assert row_findings() == ()


@pytest.mark.soak
def test_abort_shares_prizes_among_more_than_1000_players():
    tournament = make_tournament(entrants_max=1001, entrants_min=2)
    for player in User.objects.bulk_create(
        User(handle=f"sharer_{number}", email=f"s{number}@example.com") for number in range(1001)
    ):
        play_points.grant_sign_up(player=player)
        registration.register(tournament_id=tournament.pk, player=player)
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    tournament = again(tournament)
    prize_pool.freeze(tournament, timezone.now())
    timing.save(tournament)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    placed = tournament.entries.filter(place=1, tied=1001)
    assert sum(placed.values_list("prize_minor", flat=True)) == tournament.prize_minor
    assert placed.filter(prize_minor__gt=0).count() == 1001
    assert escrow_of(tournament) == 0
    assert row_findings() == ()


@pytest.mark.extended
def test_abort_places_eliminated_players_behind_active_ones():
    tournament = make_tournament(prize_bps=[4000, 2000, 2000, 1000, 1000], entrants_max=27)
    enter(tournament, 18)
    tournament = tick(play_round(start(tournament)))
    assert (tournament.round_no, len(tables_of(tournament))) == (2, 2)
    played, running = tables_of(tournament)
    play_table(played)
    tick(tournament)
    leaver, *playing = running.seats.order_by("pk")
    seating.leave(seat_id=leaver.pk)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    tournament = stopping.agree_to_abort(action_id=act.pk, by=make_staff())

    winner = tournament.entries.get(seatings__round__no=2, seatings__qualified=True)
    in_order = tournament.entries.filter(place__lte=6).order_by("place")
    places = {entry.player_id: (entry.place, entry.tied) for entry in in_order}
    still_in = {winner.player_id, *(seat.player_id for seat in playing)}
    assert {player for player, place in places.items() if place == (1, 3)} == still_in
    assert sorted(places.values()) == [(1, 3)] * 3 + [(4, 3)] * 3
    assert sum(in_order.values_list("prize_minor", flat=True)) == tournament.prize_minor
    assert escrow_of(tournament) == 0
    assert row_findings() == ()


def test_staff_can_delay_a_start():
    tournament = make_tournament(check_in_minutes=10)
    enter(tournament, 3)
    later = tournament.starts_at + timedelta(hours=1)

    with pytest.raises(BadTerms):
        staff_actions.delay(
            tournament_id=tournament.pk, starts_at=timezone.now(), by=make_staff(), reason="No"
        )
    staff_actions.delay(
        tournament_id=tournament.pk, starts_at=later, by=make_staff(), reason="Rain"
    )

    tournament = tick(tournament, later - timedelta(minutes=11))
    assert tournament.state == Tournament.State.REGISTERING
    assert tick(tournament, later).starts_at == later


def test_round_time_limit_stops_every_table_after_its_deal():
    tournament = make_tournament(round_minutes=30)
    enter(tournament, 6)
    tournament = start(tournament)
    staff_actions.extend_round(
        tournament_id=tournament.pk, minutes=5, by=make_staff(), reason="Slow"
    )
    ends_at = tournament.rounds.get().ends_at
    tick(tournament, ends_at - timedelta(minutes=1))
    assert not any(table.is_last_deal for table in tables_of(tournament))

    tick(tournament, ends_at)

    assert all(table.is_last_deal for table in tables_of(tournament))
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


def test_late_entry_must_end_before_the_round():
    with pytest.raises(BadTerms):
        make_tournament(round_minutes=20, late_minutes=20)


def test_player_removed_before_the_start_is_refunded():
    tournament = make_tournament()
    first, *_ = enter(tournament, 3)
    before = points_of(first.player)

    staff_actions.remove(entry_id=first.pk, by=make_staff(), reason="Two accounts")

    assert points_of(first.player) == before + 100_00
    assert Entry.objects.get(pk=first.pk).state == Entry.State.RELEASED


def test_player_removed_later_leaves_the_table_and_gets_a_place():
    tournament = make_tournament()
    first, *_ = enter(tournament, 3)
    tournament = start(tournament)

    staff_actions.remove(entry_id=first.pk, by=make_staff(), reason="Two accounts")
    tick(tournament)
    assert not tables_of(tournament)[0].seats.present().of_player(first.player).exists()
    with pytest.raises(NotRegistered):
        staff_actions.remove(entry_id=first.pk, by=make_staff(), reason="Again")
    tournament = play_to_the_end(tournament)

    check_the_end(tournament)
    assert Entry.objects.get(pk=first.pk).place == 3


def test_player_removed_between_rounds_leaves_the_next_table():
    tournament = make_tournament(final_seats=2)
    enter(tournament, 6)
    tournament = start(tournament)
    for table in tables_of(tournament):
        play_table(table)
    for round_table in tournament.rounds.get().round_tables.all():
        rounds.take_result(round_table_id=round_table.pk)
    through = tournament.entries.filter(state=Entry.State.QUALIFIED).first()

    staff_actions.remove(entry_id=through.pk, by=make_staff(), reason="Two accounts")
    tournament = tick(tick(tournament))
    tournament = play_to_the_end(tournament)

    check_the_end(tournament)
    assert Entry.objects.get(pk=through.pk).place == 2


def test_removed_player_is_last_at_a_table_of_absent_players():
    tournament = make_tournament(check_in_minutes=10)
    entries = enter(tournament, 3)
    tick(tournament, tournament.starts_at - timedelta(minutes=9))
    clock.apply_overdue(tournament_id=tournament.pk, now=tournament.starts_at)
    first = tournament.entries.get(draw_no=1)
    staff_actions.remove(entry_id=first.pk, by=make_staff(), reason="Two accounts")

    tournament = tick(tournament)

    assert Entry.objects.get(pk=first.pk).place == len(entries)
    check_the_end(tournament)


def test_staff_cannot_act_on_a_tournament_they_play_in():
    tournament = make_tournament()
    entrant, *_ = enter(tournament, 3)
    with pytest.raises(SharedInterest):
        stopping.cancel(tournament_id=tournament.pk, by=entrant.player, reason="No")
    start(tournament)
    act = stopping.ask_to_abort(tournament_id=tournament.pk, by=make_staff(), reason="Broken")

    with pytest.raises(SharedInterest):
        stopping.agree_to_abort(action_id=act.pk, by=entrant.player)

    assert again(tournament).state == Tournament.State.RUNNING


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

    hosted.stop_table(Table.objects.locked().get(pk=table.pk), timezone.now())
    tournament = tick(tournament)

    assert tournament.entries.get(place=1).player == winner
