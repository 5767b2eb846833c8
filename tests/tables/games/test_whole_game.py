import pytest
from django.db.models import Sum

from devtools.simulation import tables as simulation
from tables.bots import bots
from tables.lobby.table_templates.profiles import register_profile
from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.settlement.models import Result
from tests.builders.tables.deals import SUDDEN, let_bots_finish
from tests.builders.tables.making import make_rules
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import prizes, score, totals
from wallet.ledger.models import Entry
from wallet.stakes.models import Stake

SHORT = make_rules(**SUDDEN)


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_a_pool_of_bots_is_played_from_buy_in_to_payout():
    table = simulation.open_bot_game(
        profile=register_profile(SHORT),
        name="whole game",
        players=3,
        entry_minor=100_00,
        rake_bps=1_000,
    )

    table = let_bots_finish(table)

    assert table.phase == Table.Phase.FINISHED
    results = Result.objects.filter(table=table)
    entries = Stake.objects.filter(escrow=table.escrow).count()
    out = Elimination.objects.standing().filter(seat__table=table)
    assert results.aggregate(p=Sum("prize_minor"))["p"] == entries * 90_00
    assert out.count() + results.filter(prize_minor__gt=0).count() == 3
    table.escrow_account.refresh_from_db()
    assert table.escrow_account.balance_minor == 0
    assert Entry.objects.aggregate(s=Sum("amount_minor"))["s"] == 0


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_bots_among_themselves_rejoin_once_and_split_in_a_gap():
    table = simulation.open_bot_game(
        profile=register_profile(make_rules(gap_seconds=60)),
        name="gaps",
        players=4,
        entry_minor=100_00,
        rake_bps=1_000,
    )
    table = score(table, 0, 20, 101, 101)
    assert table.phase == Table.Phase.REJOIN
    bots.play_bots(table_id=table.pk)
    assert totals(table) == [0, 20, 21, 21]
    score(table, 0, 40, 41, 101)
    bots.play_bots(table_id=table.pk)
    assert totals(table) == [0, 40, 41, 101]

    table = score(table, 0, 60, 101)
    bots.play_bots(table_id=table.pk)  # The third bot declines, the first proposes.
    bots.play_bots(table_id=table.pk)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "split")
    # Six entries of 90.00 net; five drops and two.
    assert prizes(table) == [405_00, 135_00, 0, 0]
    assert Stake.objects.filter(escrow=table.escrow).count() == 6
