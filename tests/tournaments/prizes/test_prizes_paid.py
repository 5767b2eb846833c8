"""Payout of 53 entries of 49.00 with 10 % rake, as in RB 10.3."""

import pytest
from django.utils import timezone

from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_tournament
from tournaments.entries import admission
from tournaments.entries.models import Entry
from tournaments.planning import timing
from tournaments.planning.models import Tournament
from tournaments.prizes import prize_pool
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account
from wallet.ledger.models import Entry as LedgerEntry

pytestmark = pytest.mark.django_db
PRIZES = [701_19, 467_46, 280_48, 216_20, 175_30, 146_08, 122_71, 99_33, 75_96, 52_59]
ODD_UNIT = [*PRIZES[:2], 224_00, 223_99, 223_99, *PRIZES[5:]]


@pytest.fixture
def tournament():
    """Fifty-three paid entries of a running tournament, drawn against the order of registration."""
    tournament = make_tournament(
        entry_minor=49_00, rake_bps=1_000, entrants_max=60, seats=6, final_seats=6, qualify=2
    )
    for number in range(53, 0, -1):
        entry = Entry.objects.create(
            tournament=tournament, player=make_player(), state=Entry.State.WAITING
        )
        admission.pay(tournament, entry)
        entry.draw_no, entry.state = number, Entry.State.PLAYING
        entry.save(update_fields=["draw_no", "state"])
    tournament.state = Tournament.State.RUNNING
    timing.save(tournament)
    return again(tournament)


@pytest.mark.parametrize(
    ("places", "best"),
    [
        pytest.param(range(1, 54), PRIZES, marks=pytest.mark.extended, id="no ties"),
        # 671.98 for three: the odd unit goes to the first of the draw.
        pytest.param([1, 2, 3, 3, 3, *range(6, 54)], ODD_UNIT, id="tie with an odd unit"),
    ],
)
def test_frozen_pool_of_53_entrants_pays_ten_places(tournament, places, best):
    prize_pool.freeze(tournament, timezone.now())
    frozen_at = tournament.frozen_at
    prize_pool.freeze(tournament, timezone.now())
    entries = list(tournament.entries.order_by("draw_no"))
    for entry, place in zip(entries, places, strict=True):
        entry.place, entry.tied = place, list(places).count(place)
    Entry.objects.bulk_update(entries, ["place", "tied"])

    prize_pool.pay(tournament)
    timing.save(tournament)

    assert (tournament.prize_minor, tournament.frozen_at) == (2337_30, frozen_at)
    assert list(tournament.prizes.values_list("amount_minor", flat=True)) == PRIZES
    paid = tournament.entries.order_by("draw_no").values_list("prize_minor", flat=True)
    assert list(paid) == best + [0] * 43
    posted = LedgerEntry.objects.filter(transfer__key=f"finish:{tournament.owner_ref}")
    won = posted.filter(account__kind=Account.Kind.WINNINGS)
    assert sorted(won.values_list("amount_minor", flat=True), reverse=True) == best
    assert posted.get(account__kind=Account.Kind.RAKE).amount_minor == 53 * 4_90
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()
