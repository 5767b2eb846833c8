"""Settlement of a game: stakes are consumed, prizes and rake equal the buy-ins."""

import pytest
from django.db import transaction
from moneyed import Money

from tests.builders.wallet.players import (
    balances,
    books,
    fund,
    make_escrow,
    make_player,
    make_stake,
)
from tests.builders.wallet.stakes import part_rows, take
from wallet.audit.audit import row_findings
from wallet.exceptions import (
    AccountClosed,
    CurrencyMismatch,
    KeyConflict,
    StakeNotLive,
    StakesIncomplete,
)
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake
from wallet.stakes.rake import rake_account

pytestmark = pytest.mark.django_db


def test_settling_pays_prizes_and_rake_in_one_posting():
    """RB 7.8: 7 entries of 100.00 at 10 % make 630.00; a rejoin counts like an entry."""
    escrow, players = make_escrow(), [make_player() for _ in range(6)]
    paid = [make_stake(escrow=escrow, player=player) for player in players]
    stakes.lose_stake(stake=paid[0])
    paid.append(make_stake(escrow=escrow, player=players[0]))
    shares = [(players[0], 390), (players[1], 210), (players[2], 30)]
    prizes = [(player, Money(amount, "INR")) for player, amount in shares]

    transfer = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    won = [accounts.open_player_accounts(player=p, currency="INR")["winnings"] for p in players]
    assert balances(*won) == [390_00, 210_00, 30_00, 0, 0, 0]
    assert balances(escrow, rake_account(escrow)) == [0, 70_00]
    assert (transfer.kind, transfer.entry_count) == ("prize", 5)
    assert part_rows(*paid) == [(100_00, 100_00, 0)] * 7
    assert set(Stake.objects.values_list("status", flat=True)) == {Stake.Status.SETTLED}
    assert Account.objects.get(pk=escrow.pk).status == "closed"
    assert row_findings() == ()


def test_settling_a_game_again_pays_nothing_and_returns_the_same():
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    prizes = [(winner, Money(180, "INR"))]
    first = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")
    before = books()

    again = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")
    other = [(paid[1].player, Money(180, "INR"))]
    with pytest.raises(KeyConflict), transaction.atomic():
        stakes.settle_game(escrow=escrow, stakes=paid, prizes=other, key="finish:1")
    with pytest.raises(StakeNotLive), transaction.atomic():
        stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:2")
    with pytest.raises(StakeNotLive), transaction.atomic():
        stakes.cancel_game(escrow=escrow, stakes=paid, key="cancel:1")
    with pytest.raises(AccountClosed), transaction.atomic():
        make_stake(escrow=escrow)

    assert (again.pk, again.is_replay) == (first.pk, True)
    assert Stake.objects.count() == 2
    # The refusal also rolls back the late entrant's deposit in the same transaction.
    assert books() == before


def test_prizes_of_one_player_arrive_as_one_entry():
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    prizes = [
        (winner, Money(100, "INR")),
        (winner, Money(80, "INR")),
        (paid[1].player, Money(0, "INR")),
    ]

    transfer = stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    assert [entry.amount_minor for entry in transfer.entries.all()] == [-200_00, 180_00, 20_00]


@pytest.mark.parametrize(
    ("prize", "refusal"),
    [
        *((Money(amount, "INR"), StakesIncomplete) for amount in ("179.99", "180.01", "200.00")),
        (Money(180, "PTS"), CurrencyMismatch),
    ],
)
def test_prizes_and_rake_are_exactly_what_was_paid_in(prize, refusal):
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    before = books()

    with pytest.raises(refusal), transaction.atomic():
        stakes.settle_game(escrow=escrow, stakes=paid, prizes=[(winner, prize)], key="finish:1")

    assert (books(), balances(escrow)) == (before, [200_00])


def test_more_winners_than_a_posting_has_entries_for_are_paid_in_several(monkeypatch):
    monkeypatch.setattr(stakes, "PAID_AT_ONCE", 2)
    escrow, players = make_escrow(), [make_player() for _ in range(5)]
    paid = [make_stake(escrow=escrow, player=player) for player in players]
    prizes = [(player, Money(90, "INR")) for player in players]

    def settle():
        return stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:1")

    transfer = settle()
    before = books()

    assert settle() == transfer
    assert books() == before
    won = [accounts.open_player_accounts(player=p, currency="INR")["winnings"] for p in players]
    assert balances(*won) == [90_00] * 5
    assert balances(escrow, rake_account(escrow)) == [0, 50_00]
    postings = Transfer.objects.filter(kind="prize").order_by("pk")
    assert [posting.entry_count for posting in postings] == [3, 3, 3]
    assert (transfer.key, transfer) == ("finish:1", postings.last())
    assert Account.objects.get(pk=escrow.pk).status == "closed"
    assert row_findings() == ()


def test_rake_is_rounded_down_to_the_paisa():
    player = make_player()
    fund(player, deposit=100_00)

    stake = take(player, make_escrow(), entry="3.33", rake_bps=1_250)

    assert (stake.rake_minor, stake.net_minor) == (41, 292)
