"""Sums of the escrow of a finished game."""

import pytest
from django.conf import settings
from django.utils import timezone

from finance.reports.definitions.games import TOURNAMENTS
from finance.reports.frame.periods import Period
from finance.reports.frame.report import START, Question
from finance.reports.journal.escrows import Flow, flows
from tests.builders.tournaments.tournaments import (
    enter,
    make_tournament,
    play_to_the_end,
    start,
)

pytestmark = pytest.mark.django_db


def test_guarantee_of_a_tournament_is_counted_as_paid_by_the_operator():
    tournament = make_tournament(guarantee_minor=1_000_00)
    enter(tournament, 5)
    tournament = play_to_the_end(start(tournament))

    flow = flows([tournament.escrow_account_id])[tournament.escrow_account_id]

    assert flow == Flow(
        paid_in_minor=500_00,
        operator_minor=550_00,
        refunded_minor=0,
        prizes_minor=1_000_00,
        rake_minor=50_00,
    )
    assert flow.left_minor == 0


def test_free_tournament_is_reported_without_players_and_entries_that_were_paid():
    tournament = make_tournament(entry_minor=0, guarantee_minor=1_000_00)
    enter(tournament, 5)
    tournament = play_to_the_end(start(tournament))
    days = Period.asked(None, None, settings.TIME_ZONE)
    # Of rows that are not committed, too.
    question = Question(days, horizon=2**62, generated_at=timezone.now())

    [(_, row)] = TOURNAMENTS.page(question, START, 10)

    assert (row["tournament"], row["players"], row["entries"]) == (tournament.public_id, 0, 0)
    assert (row["operator_minor"], row["prizes_minor"], row["left_minor"]) == (
        1_000_00,
        1_000_00,
        0,
    )
