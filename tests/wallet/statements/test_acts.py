"""The statement has one row per act; its running total is what the player can spend."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from moneyed import Money

from tests.builders.books.full_books import a_day_passes
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.bonuses import play_points
from wallet.ledger import accounts
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.stakes.balances import wallet_of
from wallet.statements.act_texts import rows_of
from wallet.statements.acts import KINDS, ActKind, ActStatement, first_days
from wallet.statements.receipts import _DESCRIPTIONS
from wallet.statements.statement import _WORDS

pytestmark = pytest.mark.django_db


def rupees(amount):
    return Money(amount, "INR")


def play(player, rival, entry, *, prize=None, tickets=(), memo="Pool 101"):
    """Play a game for an entry each; `prize` None leaves it in play."""
    escrow = make_escrow()
    stakes_taken = [
        stakes.take_stake(
            player=each,
            escrow=escrow,
            entry=rupees(entry),
            rake_bps=0,
            key=f"buyin:{escrow.pk}:{each.pk}",
            memo=memo,
        )
        for each in (player, rival)
    ]
    if prize is not None:
        shares = [(who, rupees(share)) for who, share in zip((player, rival), prize, strict=True)]
        stakes.settle_game(
            escrow=escrow,
            stakes=stakes_taken,
            prizes=[(who, share) for who, share in shares if share],
            to_accounts=tickets,
            key=f"finish:{escrow.pk}",
            memo=memo,
        )


def rows(player, currency="INR", **filters):
    return list(rows_of(ActStatement(player, currency, **filters).acts()))


def lines(player, currency="INR", **filters):
    return [
        (row.title, row.details, row.status, row.act.money.amount)
        for row in rows(player, currency, **filters)
    ]


@pytest.mark.parametrize(
    ("prize", "row"),
    [
        ((180, 20), ("Pool 101", "Entry ₹100.00 · Prize ₹180.00", "", 80)),
        ((0, 200), ("Pool 101", "Entry ₹100.00 · No prize", "", -100)),
        (None, ("Pool 101", "Entry ₹100.00", "In play", -100)),
    ],
    ids=["won", "lost", "in play"],
)
def test_game_is_one_row_with_stake_prize_and_net(prize, row):
    player, rival = make_player(), make_player()
    fund(player, deposit=500_00)
    fund(rival, deposit=500_00)

    play(player, rival, 100, prize=prize)

    assert lines(player) == [row, ("Deposit", "", "", 500)]


def approved():
    withdrawal = make_withdrawal()
    step("approve", withdrawal)
    return withdrawal


def paid():
    withdrawal = make_sent()
    step("mark_paid", withdrawal)
    return withdrawal


def rejected():
    withdrawal = make_withdrawal()
    step("reject", withdrawal)
    return withdrawal


def test_game_won_a_ticket_is_not_without_a_prize():
    player, rival = make_player(), make_player()
    fund(player, deposit=500_00)
    fund(rival, deposit=500_00)
    ticket = accounts.open_ticket(player=player, ref=f"ticket:{player.pk}", currency="INR")

    play(player, rival, 100, prize=(0, 20), tickets=[(ticket, rupees(180))])

    assert lines(player)[0] == ("Pool 101", "Entry ₹100.00 · Ticket won", "", -100)
    assert lines(rival)[0] == ("Pool 101", "Entry ₹100.00 · Prize ₹20.00", "", -80)


@pytest.mark.parametrize(
    ("made", "status", "sign"),
    [
        (make_withdrawal, "Waiting for approval", -1),
        (approved, "Approved", -1),
        (paid, "Paid", -1),
        # Requested and returned on the same day: no money moved.
        (rejected, "Rejected", 0),
    ],
)
def test_withdrawal_is_one_row_whose_status_follows(lawful, made, status, sign):
    withdrawal = made()

    [row] = rows(withdrawal.player, kind=ActKind.WITHDRAWAL)

    assert (row.title, row.status) == ("Withdrawal", status)
    assert row.act.money == withdrawal.amount * sign


def test_row_of_a_past_period_ignores_later_statuses(lawful):
    withdrawal = make_sent()
    before = timezone.now()
    step("mark_paid", withdrawal)
    acts = list(ActStatement(withdrawal.player, "INR", kind=ActKind.WITHDRAWAL).acts())

    assert [row.status for row in rows_of(acts, until=before)] == ["Approved"]
    assert [row.status for row in rows_of(acts)] == ["Paid"]


def test_currencies_are_apart_and_grants_are_free_points():
    player = make_player()
    play_points.grant_sign_up(player=player)
    fund(player, deposit=7_00)

    assert list(first_days(player)) == ["INR", "PTS"]
    assert lines(player, "PTS") == [("Free points: Welcome", "", "", 10_000)]
    assert lines(player) == [("Deposit", "", "", 7)]


def test_every_kind_of_transfer_has_a_kind_of_act_a_label_and_a_receipt():
    assert set(KINDS) == set(_WORDS) == set(_DESCRIPTIONS) == set(Transfer.Kind)
    assert set(KINDS.values()) == set(ActKind)


PLAYED = st.one_of(
    st.tuples(st.just("deposit"), st.integers(1, 900)),
    st.tuples(st.just("winnings"), st.integers(1, 900)),
    st.tuples(st.just("won"), st.integers(1, 50)),
    st.tuples(st.just("lost"), st.integers(1, 50)),
    st.tuples(st.just("in play"), st.integers(1, 50)),
)
PRIZES = {"won": (2, 0), "lost": (0, 2), "in play": None}


@settings(max_examples=15, deadline=None)
@given(events=st.lists(PLAYED, max_size=12), size=st.integers(1, 4))
def test_rows_add_up_to_the_balance_on_every_page_size(events, size):
    player, rival = make_player(), make_player()
    fund(player, deposit=10_000_00)
    fund(rival, deposit=10_000_00)
    for what, amount in events:
        if what in ("deposit", "winnings"):
            fund(player, **{what: amount * 100})
        else:
            shares = PRIZES[what]
            play(player, rival, amount, prize=shares and [share * amount for share in shares])

    statement, found = ActStatement(player, "INR"), []
    while page := statement.page(cursor=found[-1].cursor if found else "", size=size):
        found += page

    [wallet] = [each for each in wallet_of(player) if each.currency == "INR"]
    assert found == list(statement.acts())
    assert len(found) == 1 + len(events)
    assert found[0].balance == wallet.spendable
    for later, earlier in pairwise(found):
        assert later.balance - later.money == earlier.balance
    assert found[-1].balance == found[-1].money
    summary = statement.summary()
    assert summary.closing == wallet.spendable
    assert sum(summary.sums.values(), start=summary.opening) == summary.closing


def test_days_add_up_from_one_to_the_next():
    player, rival = make_player(), make_player()
    fund(rival, deposit=500_00)
    for amount in (100, 200, 300):
        a_day_passes()
        fund(player, deposit=amount * 100)
        play(player, rival, 10, prize=(0, 20))
    today = Transfer.objects.latest("pk").booked_on
    days = [today - timedelta(days=number) for number in (2, 1, 0)]

    summaries = [ActStatement(player, "INR", first=day, last=day).summary() for day in days]

    assert [each.closing for each in summaries] == [rupees(90), rupees(280), rupees(570)]
    assert [each.opening for each in summaries] == [rupees(0), rupees(90), rupees(280)]
    for day, summary in zip(days, summaries, strict=True):
        acts = list(ActStatement(player, "INR", first=day, last=day).acts())
        assert acts[0].balance == summary.closing
        assert [act.kind for act in acts] == [ActKind.GAME, ActKind.DEPOSIT]
