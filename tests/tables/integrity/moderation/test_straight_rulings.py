"""Rulings on straight rummy: a disputed meld, and a void deal with melds on the table."""

import pytest

import rummy
from rummy.history import files as history
from tables.history.replay import replay
from tables.integrity.moderation import rulings
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import seating
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.tables.deals import settle
from tests.builders.tables.disputes import complain
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.straight_tables import make_straight_game
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def melded(table):
    """Draw and discard until a player lays a meld; return the move's ply and position."""
    while True:
        state = fold_of(deal_at(table)).state
        legal = rummy.straight.legal_moves(state, state.to_act)
        melds = [each for each in legal if isinstance(each, rummy.Meld)]
        if melds:
            move(table, state.to_act, melds[0].text)
            return deal_at(table).moves.latest("ply").ply, state.to_act
        kind = rummy.Draw if state.drawn is None else rummy.Discard
        move(table, state.to_act, next(each for each in legal if isinstance(each, kind)).text)


def points_of(table):
    seats = table.seats.select_related("player").order_by("pk")
    buckets = Account.objects.filter(currency=table.currency)
    return [
        sum(
            buckets.buckets_of(seat.player)
            .filter(currency=table.currency)
            .values_list("balance_minor", flat=True)
        )
        for seat in seats
    ]


def test_a_disputed_meld_is_shown_at_its_step():
    table = make_straight_game(2, target=1)
    ply, position = melded(table)
    seating.leave(seat_id=seat_at(table, 2).pk)
    deal = settle(table)

    complain(deal, ply=ply)

    kept = Dispute.objects.get()
    assert kept.ply == ply
    assert history.loads(kept.evidence).rules.family == "straight"
    shown = replay(deal, make_player(is_staff=True))
    assert shown.moves[ply - 1].action == "meld"
    assert shown.steps[ply].hands[position - 1].laid
    assert f"p{position} meld" in kept.evidence


def test_a_void_deal_with_melds_on_the_table_scores_no_one():
    table = make_straight_game(3)
    before = points_of(table)
    melded(table)
    assert table_view(reread(table), None).deal.melds

    rulings.void_deal(deal_id=deal_at(table).pk, by=make_player(is_staff=True), reason="A card")

    table = reread(table)
    one, two = table.deals.order_by("no")[:2]
    assert (one.status, two.status) == (Deal.Status.VOID, Deal.Status.PLAYING)
    assert not Score.objects.exists()
    assert list(table_view(table, None).deal.melds) == []

    rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="Power cut")

    assert reread(table).phase == Table.Phase.CANCELLED
    assert [after - was for after, was in zip(points_of(table), before, strict=True)] == (
        [table.entry_minor] * 3
    )
    assert Account.objects.get(pk=table.escrow_account_id).balance_minor == 0
    assert row_findings() == ()
