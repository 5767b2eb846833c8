"""Re-entries, rejoins of a period and the add-on: seats, pool, refunds and refusals (RB 10.6)."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from core.clock import database_now
from players.eligibility import breaks
from players.eligibility.break_models import Break
from rummy import PROFILES
from tests.builders.processes.threads import waiting
from tests.builders.tables.making import make_player, make_rules
from tests.builders.tables.pools import score
from tests.builders.tournaments.outcomes import check_the_end, notified, points_of
from tests.builders.tournaments.played_contests import (
    abort,
    after_the_break,
    close_late_entry,
    in_the_break,
)
from tests.builders.tournaments.tournaments import (
    again,
    at_once,
    enter,
    make_template,
    make_tournament,
    play_round,
    play_to_the_end,
    play_whole_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Entry
from tournaments.exceptions import (
    BadTerms,
    NoAddOn,
    NoReentries,
    NotAllowed,
    NotEliminated,
    NotRegistered,
    RegistrationClosed,
)
from tournaments.lobby import registration
from tournaments.lobby.detail import tournament_page
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.rounds import staff_actions
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
NET = 90_00


def reenter(tournament, player):
    return registration.reenter(tournament_id=tournament.pk, player=player)


@pytest.fixture
def round_one():
    """Seven entrants at tables of 3, 2 and 2 have played; four are out and may enter again once."""
    tournament = make_tournament(late_minutes=1, reentries_max=1)
    enter(tournament, 7)
    return play_round(start(tournament))


def out_of(tournament):
    return list(tournament.entries.filter(state=Entry.State.OUT).order_by("draw_no"))


def test_reentry_is_a_late_entry_with_its_own_stake_and_raises_the_pool(round_one):
    out, [through, *_] = out_of(round_one), round_one.entries.filter(state="qualified")
    before = points_of(out[0].player)

    again_in = [reenter(round_one, entry.player) for entry in out]
    with pytest.raises(NotEliminated):  # The first three have a table, the fourth waits for one.
        reenter(round_one, out[3].player)
    with pytest.raises(NotEliminated):
        reenter(round_one, through.player)
    with pytest.raises(NotRegistered):
        reenter(round_one, make_player())

    assert points_of(out[0].player) == before - 100_00
    assert Transfer.objects.filter(key=f"entry:{again_in[0].pk}").exists()
    assert [entry.reenters for entry in again_in] == out
    states = [Entry.objects.get(pk=entry.pk).state for entry in again_in]
    assert states == ["playing", "playing", "playing", "registered"]
    # A second elimination: the one re-entry of the terms is used.
    tournament = play_round(tick(round_one))
    twice = tournament.entries.filter(state="out", reenters__isnull=False).first()
    with pytest.raises(NoReentries):
        reenter(tournament, twice.player)
    # The one that is left over at the end gets its payment back.
    tournament = play_to_the_end(close_late_entry(tournament))
    assert notified("tournament_no_table") == [(out[3].player_id, "")]
    assert tournament.prize_minor == 10 * NET
    assert tournament.entries.exclude(place=None).count() == 10
    check_the_end(tournament)


def test_two_entries_left_at_the_end_play_at_a_last_table(round_one):
    for entry in out_of(round_one)[:2]:
        reenter(round_one, entry.player)
    assert len(tables_of(round_one)) == 0

    tournament = close_late_entry(round_one)

    assert [table.seats.count() for table in tables_of(tournament)] == [2]
    with pytest.raises(RegistrationClosed):
        reenter(tournament, out_of(tournament)[3].player)
    tournament = play_to_the_end(tournament)
    assert tournament.prize_minor == 9 * NET
    check_the_end(tournament)


def test_player_eliminated_at_a_running_table_may_enter_again_and_not_qualify_there():
    tournament = make_tournament(
        rules=make_rules(), seats=4, qualify=2, final_seats=2, late_minutes=1, reentries_max=2
    )
    entries = enter(tournament, 4)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    score(table, 10, 20, 30, 101)
    loser = table.seats.get(number=4).player
    playing = table.seats.get(number=1).player
    with pytest.raises(NotEliminated):
        reenter(tournament, playing)

    new = reenter(tournament, loser)
    # The others are removed, so that only the two eliminated or removed seats are left.
    for entry in entries:
        if entry.player not in (loser, playing):
            staff_actions.remove(
                entry_id=entry.pk, by=make_player(is_staff=True), reason="Two accounts"
            )
    tournament = close_late_entry(play_round(tournament))

    old = tournament.entries.get(reenters=None, player=loser)
    assert (old.state, old.seatings.get().qualified) == ("out", False)
    assert tournament.entries.get(pk=new.pk).state == "released"
    assert row_findings() == ()


def test_player_who_qualifies_after_an_elimination_of_several_cannot_pay_again():
    """The last deal eliminates three of four; the best of them qualifies beside the winner."""
    tournament = make_tournament(
        rules=make_rules(), seats=4, qualify=2, final_seats=2, late_minutes=1, reentries_max=1
    )
    enter(tournament, 8)
    tournament = start(tournament)
    [table, _] = tables_of(tournament)
    score(table, 10, 101, 102, 103)
    second = table.seats.get(number=2).player
    before = points_of(second)

    with pytest.raises(NotEliminated):
        reenter(tournament, second)
    tick(tournament)

    assert tournament.entries.get(player=second).state == "qualified"
    assert points_of(second) == before


def test_player_who_takes_a_break_while_waiting_is_refunded_and_not_seated(round_one):
    pausing, *others = (entry.player for entry in out_of(round_one))
    before = points_of(pausing)
    waiting = reenter(round_one, pausing)
    breaks.take_break(player=pausing, kind=Break.Kind.EXCLUSION, length=timedelta(days=365))

    for player in others:
        reenter(round_one, player)

    [table] = tables_of(tick(round_one))
    assert {seat.player for seat in table.seats.all()} == {*others}
    assert registration.withdraw_stopped(now=database_now()) == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.draw_no) == ("withdrawn", None)
    assert points_of(pausing) == before
    assert registration.withdraw_stopped(now=database_now()) == 0


def test_stops_of_a_first_entry_apply_to_a_reentry(round_one):
    poor, removed, withdrawn, _ = (entry.player for entry in out_of(round_one))
    *_, eliminated = out_of(round_one)
    elsewhere = make_tournament(entry_minor=points_of(poor))
    registration.register(tournament_id=elsewhere.pk, player=poor)
    entries = round_one.entries.count()
    with pytest.raises(InsufficientFunds):
        reenter(round_one, poor)
    assert round_one.entries.count() == entries

    entry, before = reenter(round_one, removed), points_of(removed)
    staff_actions.remove(entry_id=entry.pk, by=make_player(is_staff=True), reason="Two accounts")
    assert points_of(removed) == before + 100_00
    with pytest.raises(NotAllowed):
        reenter(round_one, removed)

    staff_actions.remove(
        entry_id=eliminated.pk, by=make_player(is_staff=True), reason="Two accounts"
    )
    with pytest.raises(NotAllowed):
        reenter(round_one, eliminated.player)

    # A withdrawn re-entry is refunded and does not count.
    before = points_of(withdrawn)
    registration.withdraw(entry_id=reenter(round_one, withdrawn).pk)
    assert points_of(withdrawn) == before
    reenter(round_one, withdrawn)
    assert points_of(withdrawn) == before - 100_00


def test_reentry_is_closed_where_round_one_is_the_final():
    tournament = make_tournament(late_minutes=1, reentries_max=1)
    entries = enter(tournament, 3)
    tournament = start(tournament)

    with pytest.raises(RegistrationClosed):
        reenter(tournament, entries[0].player)


@pytest.fixture
def heads_up():
    """Five entrants at tables of 2, 2 and 1 have played; two are out and may enter again."""
    tournament = make_tournament(late_minutes=1, reentries_max=1, seats=2, final_seats=2)
    enter(tournament, 5)
    return play_round(start(tournament))


@pytest.mark.django_db(transaction=True)
def test_reentries_beside_the_sweep_are_in_the_pool(heads_up):
    jobs = [partial(reenter, heads_up, entry.player) for entry in out_of(heads_up)]

    done = at_once([*jobs, lambda: tick(heads_up)])

    assert [type(one) for one in done[:2]] == [Entry, Entry]
    tournament = play_to_the_end(close_late_entry(heads_up))
    assert tournament.prize_minor == (5 + 2) * NET
    check_the_end(tournament)


@pytest.mark.django_db(transaction=True)
def test_reentry_that_waits_while_its_period_ends_is_refused(heads_up):
    [one, other] = [entry.player for entry in out_of(heads_up)]
    before = points_of(one)
    rows = Tournament.objects.filter(pk=heads_up.pk)

    with pytest.raises(RegistrationClosed), waiting(lambda: reenter(heads_up, one)):
        rows.update(started_at=database_now() - timedelta(minutes=1))

    with pytest.raises(RegistrationClosed):
        reenter(heads_up, other)
    tournament = play_to_the_end(again(heads_up))
    assert (tournament.prize_minor, points_of(one) >= before) == (5 * NET, True)
    check_the_end(tournament)


def test_add_on_is_bought_once_in_the_break_and_adds_chips_in_round_two():
    tournament = in_the_break()
    [first, *others] = tournament.entries.filter(state="qualified").order_by("draw_no")
    [loser, *_] = out_of(tournament)
    before = points_of(first.player)
    assert tournament.addon_until is not None
    assert tournament.frozen_at is None

    for _ in range(2):
        registration.add_on(entry_id=first.pk)
    with pytest.raises(NoAddOn):
        registration.add_on(entry_id=loser.pk)

    assert points_of(first.player) == before - 40_00
    tournament = after_the_break(tournament)
    with pytest.raises(NoAddOn):
        registration.add_on(entry_id=others[0].pk)
    # 7 entries of 100.00 and an add-on of 40.00, at 10 percent.
    assert tournament.prize_minor == 7 * NET + 36_00
    seats = [seat for table in tables_of(tournament) for seat in table.seats.all()]
    assert {seat.player_id: seat.extra_chips for seat in seats} == {
        first.player_id: 80,
        **{entry.player_id: 0 for entry in others},
    }
    tournament = play_round(tournament, play_whole_table)
    totals = [
        sum(table.seatings.values_list("total", flat=True))
        for table in tournament.rounds.get(no=2).round_tables.all()
    ]
    assert sorted(totals) == [2 * 160, 2 * 160 + 80]
    check_the_end(play_to_the_end(tournament, play_whole_table))


def test_qualifiers_are_notified_of_the_break_once_and_led_to_the_add_on(client):
    tournament = in_the_break()
    qualified = tournament.entries.filter(state="qualified").order_by("player")
    tick(tournament)
    assert notified("tournament_break") == [(entry.player_id, "40 PTS") for entry in qualified]
    entry, (loser, *_), ready = qualified[0], out_of(tournament), reverse("tournament-ready")

    client.force_login(entry.player)
    assert "Buy the add-on" in client.get(ready).text
    here = reverse("tournament", args=[tournament.public_id])
    assert "Buy the add-on" not in client.get(ready, headers={"HX-Current-URL": here}).text
    registration.add_on(entry_id=entry.pk)
    assert "Buy the add-on" not in client.get(ready).text
    client.force_login(loser.player)
    assert "Buy the add-on" not in client.get(ready).text


def test_abort_in_the_break_returns_entries_add_ons_and_overlay():
    tournament = in_the_break(guarantee_minor=1_000_00)
    qualified = list(tournament.entries.filter(state="qualified"))
    before = points_of(qualified[0].player)
    registration.add_on(entry_id=qualified[0].pk)

    tournament = abort(tournament)

    assert points_of(qualified[0].player) == before + 100_00
    assert set(Stake.objects.values_list("status", flat=True)) == {"refunded"}
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


def test_rejoins_end_after_their_minutes():
    tournament = make_tournament(
        rules=make_rules(gap_seconds=60), rejoins=True, rejoin_minutes=30, seats=4, final_seats=2
    )
    enter(tournament, 4)
    tournament = start(tournament)
    assert [table.rejoins_open for table in tables_of(tournament)] == [True]

    end = tournament.started_at + timedelta(minutes=30)
    tick(tournament, end - timedelta(seconds=1))
    assert [table.rejoins_open for table in tables_of(tournament)] == [True]
    tick(tournament, end)

    assert [table.rejoins_open for table in tables_of(tournament)] == [False]


@pytest.mark.parametrize(
    "terms",
    [
        {"reentries_max": 1},
        {"reentries_max": 1, "late_minutes": 10, "rejoins": True},
        {"rejoin_minutes": 10},
        {"rejoin_minutes": 10, "rejoins": True, "late_minutes": 10},
        {"addon_minor": 1_00, "addon_chips": 80, "addon_minutes": 5},
    ],
)
def test_contradictory_terms_are_refused(terms):
    template = make_template(rules=make_rules(), **terms)

    with pytest.raises(BadTerms):
        opening.check_terms(template)


def test_free_tournament_sells_no_add_on():
    """Its prizes go to players without a stake, whom a game with stakes does not pay."""
    chips = PROFILES["total-rummy-best-of-2"]
    addon = {"addon_minor": 40_00, "addon_chips": 80, "addon_minutes": 5}
    template = make_template(rules=chips, seats=2, final_seats=2, **addon)
    opening.check_terms(template)
    template.entry_minor, template.guarantee_minor = 0, 500_00

    with pytest.raises(BadTerms):
        opening.check_terms(template)
    with pytest.raises(IntegrityError, match="free_is_guaranteed"), transaction.atomic():
        template.save()


def test_page_and_api_offer_a_reentry_with_its_price(client, round_one):
    [loser, other, *_] = out_of(round_one)
    client.force_login(loser.player)
    page = reverse("tournament", args=[round_one.public_id])
    api = reverse("tournament-reentry-api", args=[round_one.public_id])
    shown = client.get(page).text
    assert "Enter again for 100 PTS" in shown
    assert "including a fee of 10 PTS" in shown

    done = client.post(reverse("tournament-reenter", args=[round_one.public_id]), follow=True).text
    assert "You have entered again and wait for a table." in done
    assert "Enter again for" not in done
    refused = client.post(api)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_eliminated")
    mine = tournament_page(round_one, loser.player).me
    assert (mine.entry_no, mine.reentries_left, mine.may_reenter) == (2, 0, False)
    assert mine.may_withdraw

    client.cookies.clear()  # Another browser.
    client.force_login(other.player)
    accepted = client.post(api)
    assert (accepted.status_code, accepted.json()["entry_no"]) == (201, 2)
    page = tournament_page(round_one, None)
    assert (page.entrants, page.reentries_max, page.prize.minor) == (9, 1, 9 * NET)


def test_page_and_api_offer_the_add_on(client):
    tournament = in_the_break()
    entry = tournament.entries.filter(state="qualified").first()
    client.force_login(entry.player)
    assert (
        "Buy the add-on for 40 PTS"
        in client.get(reverse("tournament", args=[tournament.public_id])).text
    )

    page = reverse("tournament-add-on", args=[tournament.public_id])
    assert "You have bought the add-on" in client.post(page, follow=True).text
    again_bought = client.post(reverse("tournament-add-on-api", args=[tournament.public_id]))

    assert again_bought.json()["has_add_on"] is True
    assert Stake.objects.filter(tournament_addon=entry).count() == 1
    assert tournament_page(tournament, entry.player).prize.minor == 7 * NET + 36_00
