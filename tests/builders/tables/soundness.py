"""What holds at every table whose game is over, whatever happened on the way (RB 7, 8)."""

from __future__ import annotations

from django.db.models import Sum
from django.utils import timezone

import rummy
from tables.games import game_of
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import StakeMode, Table
from tables.settlement.models import Result, Window
from tables.state import fold as state
from tables.state.fold import FoldCache, fold_of
from tables.state.rules import rules_of
from wallet.audit.audit import check_findings, row_findings
from wallet.ledger.models import Transfer
from wallet.stakes.models import Stake


def assert_over_and_sound(table: Table) -> None:
    """Check one table; the ledger as a whole is `wallet.audit.audit`'s to check."""
    assert table.is_over, (
        f"{table.name} is in {table.phase} at version {table.version}, due {table.due_at}; "
        f"now {timezone.now()}"
    )
    assert table.due_at is None
    assert not Window.objects.open().filter(table=table).exists()
    for deal in table.deals.exclude(started_at=None):
        assert_deal_is_scored_once(deal)
    if table.stake_mode == StakeMode.CASH:
        assert_money_is_out(table)
    if not game_of(table).has_end:
        return
    if table.phase == Table.Phase.FINISHED:
        assert_everybody_has_a_place(table)
    else:
        assert not Result.objects.filter(table=table).exists()


def assert_deal_is_scored_once(deal: Deal) -> None:
    """Every seat that was dealt in has one score, which the moves tell again (RB 5.7)."""
    assert deal.status in (Deal.Status.SETTLED, Deal.Status.VOID), f"{deal} is {deal.status}"
    plies = list(deal.moves.order_by("ply").values_list("ply", flat=True))
    assert plies == list(range(1, len(plies) + 1))
    scores = {score.seat_id: score for score in deal.scores.all()}
    if deal.status == Deal.Status.VOID:
        assert scores == {}
        return
    state.memo = FoldCache()
    outcome = rummy.family_of(rules_of(deal.table.profile)).outcome(fold_of(deal).state)
    shown = {place.seat_id: place.position for place in deal.deal_seats.all()}
    assert scores.keys() == shown.keys()
    points = {result.position: result.points for result in outcome.results}
    assert {shown[pk]: score.points for pk, score in scores.items()} == points
    [winner] = [score for score in scores.values() if score.how == Score.How.WON]
    rules = rules_of(deal.table.profile)
    if isinstance(rules, rummy.Rules):
        assert winner.points == 0
        assert all(0 <= score.points <= rules.cap for score in scores.values())


def assert_money_is_out(table: Table) -> None:
    """The escrow is empty and no stake waits in it; who won was paid by one transfer."""
    table.escrow.refresh_from_db()
    assert table.escrow.balance_minor == 0
    assert not Stake.objects.in_escrow().filter(escrow=table.escrow).exists()
    if game_of(table).has_end:
        ends = [f"finish:{table.pk}", f"cancel:{table.pk}"]
        assert Transfer.objects.filter(key__in=ends).count() <= 1


def assert_sound_money(table: Table) -> None:
    assert_money_is_out(table)
    assert (row_findings(), check_findings()[0]) == ((), ())


def assert_everybody_has_a_place(table: Table) -> None:
    """No seat of the toss is lost; the prizes are the entries less their rake (RB 7.2)."""
    dealt_in = Seat.objects.filter(table=table, deal_seats__isnull=False).distinct().count()
    results = Result.objects.filter(table=table)
    assert table.starters == dealt_in == results.count()
    assert results.filter(place=1).exists()
    if table.stake_mode != StakeMode.CASH:
        assert not results.filter(prize_minor__gt=0).exists()
        return
    rejoined = Elimination.objects.filter(seat__table=table, rejoined_at__isnull=False)
    entries = Stake.objects.filter(escrow=table.escrow).exclude(status=Stake.Status.REFUNDED)
    assert entries.count() == table.starters + rejoined.count()
    net = table.entry_minor - table.entry_minor * table.rake_bps // 10_000
    assert results.aggregate(sum=Sum("prize_minor"))["sum"] == entries.count() * net
    if rules_of(table.profile).game == "pool":
        assert_rejoins_and_splits_were_lawful(table)


def assert_rejoins_and_splits_were_lawful(table: Table) -> None:
    """Assert that no deal eliminated its winner and splits paid the shown shares (RB 7.3, 7.4)."""
    rules = rules_of(table.profile)
    for out in Elimination.objects.filter(seat__table=table).select_related("seat", "deal"):
        if out.rejoined_total is not None:
            assert rummy.pool.drops_left(out.rejoined_total, rules) >= 1
        if out.seat.left_at is None:
            assert not out.deal.scores.filter(seat=out.seat, how=Score.How.WON).exists()
    split = table.windows.filter(kind=Window.Kind.SPLIT, outcome=Window.Outcome.ACCEPTED).first()
    if split is not None:
        assert table.ending == "split"
        shown = dict(split.answers.values_list("seat", "amount_minor"))
        paid = Result.objects.filter(table=table, prize_minor__gt=0)
        assert dict(paid.values_list("seat", "prize_minor")) == shown
