"""Sums of the escrow of a finished game."""

import pytest

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
