"""Rejoins in round 1: payment, freeze and refund by an abort."""

import pytest

from tests.builders.tables.making import make_rules
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import YES, say, score
from tests.builders.tournaments.outcomes import check_the_end, points_of
from tests.builders.tournaments.played_contests import abort
from tests.builders.tournaments.tournaments import (
    enter,
    make_tournament,
    play_table,
    play_to_the_end,
    start,
    tables_of,
    tick,
)
from tournaments.lobby import registration
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
ENTRIES, OUT = 4, 101


@pytest.fixture
def tournament():
    """Four players at one table with two qualifiers; the last is eliminated and may rejoin."""
    tournament = make_tournament(
        rules=make_rules(gap_seconds=60),
        rejoins=True,
        seats=ENTRIES,
        qualify=2,
        final_seats=2,
        guarantee_minor=1_000_00,
        prize_bps=[10_000],
    )
    enter(tournament, ENTRIES)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    score(table, 0, 10, 20, OUT)
    return tournament


def the_table(tournament):
    return reread(tournament.rounds.get(no=1).round_tables.get().table)


@pytest.mark.extended
def test_rejoin_reduces_the_overlay(tournament):
    assert tournament.overlay_minor == 1_000_00 - ENTRIES * 90_00

    say(the_table(tournament), 4, YES)
    play_table(the_table(tournament))
    tournament = tick(tournament)

    assert tournament.frozen_at is not None
    assert (tournament.prize_minor, tournament.overlay_minor) == (1_000_00, 550_00)
    tournament = play_to_the_end(tournament)
    check_the_end(tournament)
    assert Stake.objects.filter(escrow=tournament.escrow_account, status="settled").count() == 5


def test_abort_in_round_1_refunds_entries_rejoins_and_overlay(tournament):
    players = [entry.player for entry in tournament.entries.order_by("pk")]
    before = [points_of(player) for player in players]
    say(the_table(tournament), 4, YES)
    rejoined = the_table(tournament).seats.get(number=4).player

    tournament = abort(tournament)

    assert tournament.state == "aborted"
    assert not tables_of(tournament)
    # The rejoin was paid after `before`; it is refunded with the entry.
    assert [points_of(player) - had for player, had in zip(players, before, strict=True)] == [
        100_00
    ] * ENTRIES
    assert set(Stake.objects.of_player(rejoined).values_list("status", flat=True)) == {"refunded"}
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    guarantee = Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS")
    assert guarantee.balance_minor == 0
    assert row_findings() == ()


def test_rejoin_without_money_eliminates_the_player(tournament):
    table = the_table(tournament)
    player = table.seats.get(number=4).player
    elsewhere = make_tournament(entry_minor=points_of(player))
    registration.register(tournament_id=elsewhere.pk, player=player)

    with pytest.raises(InsufficientFunds):
        say(table, 4, YES)

    assert Stake.objects.filter(escrow=tournament.escrow_account).count() == ENTRIES
    play_table(the_table(tournament))
    tournament = tick(tournament)
    assert tournament.entries.get(player=player).state == "out"
    check_the_end(play_to_the_end(tournament))
