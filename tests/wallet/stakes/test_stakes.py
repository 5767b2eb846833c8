"""Stakes are paid in spending order, and settled by prizes or refunds to their own parts."""

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
    InsufficientFunds,
    KeyConflict,
    NotEmpty,
    StakeNotLive,
    StakesIncomplete,
)
from wallet.ledger import accounts
from wallet.ledger.models import Account, Bucket, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake
from wallet.stakes.rake import rake_account

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        # Bonus, deposit, winnings. Of the bonus a tenth of the entry, no more.
        ((50_00, 500_00, 500_00), {}, [10_00, 90_00]),
        ((50_00, 500_00, 0), {"bonus_share_bps": 2_500}, [25_00, 75_00]),
        ((4_00, 60_00, 500_00), {}, [4_00, 60_00, 36_00]),  # Each is emptied before the next.
        ((0, 0, 100_00), {}, [100_00]),
        ((0, 100_00, 0), {}, [100_00]),
        ((10_00, 90_00, 0), {}, [10_00, 90_00]),
    ],
)
def test_an_entry_is_spent_from_bonus_deposit_winnings(given, options, expected):
    player, escrow = make_player(), make_escrow()
    kinds = zip(("bonus", "deposit", "winnings"), given, strict=True)
    mine = fund(player, **{kind: amount for kind, amount in kinds if amount})

    stake = take(player, escrow, **options)

    assert [part.amount_minor for part in stake.parts.all()] == expected
    assert (stake.entry_minor, stake.rake_minor, stake.net_minor) == (100_00, 10_00, 90_00)
    left = balances(*(mine[kind] for kind in Bucket.values))
    assert sum(left) == sum(given) - 100_00
    assert balances(escrow) == [100_00]


@pytest.mark.parametrize(
    "given",
    [
        None,  # A player who never had an account.
        {},
        {"deposit": 99_99},
        {"bonus": 500_00, "deposit": 89_99},  # Bonus beyond its tenth does not help.
        {"withdrawal_hold": 500_00},
    ],
)
def test_too_little_money_writes_nothing(given):
    player, escrow = make_player(), make_escrow()
    mine = {} if given is None else fund(player, **given)
    before = books()

    with pytest.raises(InsufficientFunds) as refusal, transaction.atomic():
        take(player, escrow)

    assert refusal.value.code == "insufficient_funds"
    assert books() == before
    assert balances(escrow) == [0]
    assert balances(*mine.values()) == [given.get(kind, 0) for kind in mine]


@pytest.mark.parametrize("other", ["player", "escrow", "entry", "rake"])
def test_the_same_key_returns_the_stake_and_is_refused_with_other_facts(other):
    player, escrow = make_player(), make_escrow()
    fund(player, deposit=500_00)
    first = take(player, escrow)
    assert take(player, escrow) == first
    stranger = make_player()
    fund(stranger, deposit=500_00)
    before = books()
    facts = {"player": player, "escrow": escrow, "entry": "100.00", "rake_bps": 1_000}
    changes = {
        "player": {"player": stranger},
        "escrow": {"escrow": make_escrow()},
        "entry": {"entry": "90.00"},
        "rake": {"rake_bps": 500},
    }

    with pytest.raises(KeyConflict), transaction.atomic():
        take(**facts | changes[other])

    assert books() == before


def test_a_leaver_gets_the_very_same_parts_back():
    player, escrow = make_player(), make_escrow()
    mine = fund(player, bonus=10_00, deposit=40_00, winnings=50_00)
    stake = take(player, escrow)
    assert balances(*(mine[kind] for kind in Bucket.values)) == [0, 0, 0]

    first = stakes.return_stakes(stakes=[stake], key="leave:1")
    again = stakes.return_stakes(stakes=[stake], key="leave:1")

    assert (again.pk, again.is_replay) == (first.pk, True)
    assert balances(*(mine[kind] for kind in Bucket.values)) == [10_00, 40_00, 50_00]
    assert part_rows(stake) == [(10_00, 0, 10_00), (40_00, 0, 40_00), (50_00, 0, 50_00)]
    stake.refresh_from_db()
    assert stake.status == Stake.Status.REFUNDED
    assert Account.objects.get(pk=escrow.pk).status == "open"  # Others may still play.
    assert row_findings() == ()


def test_a_cancelled_game_returns_everything_and_closes():
    escrow, asha = make_escrow(), make_player()
    mine = fund(asha, bonus=5_00, deposit=300_00)
    twice = [take(asha, escrow, key=f"buyin:1:{no}") for no in (1, 2)]
    other = make_stake(escrow=escrow)

    stakes.cancel_game(escrow=escrow, stakes=[*twice, other], key="cancel:1")

    escrow.refresh_from_db()
    assert (escrow.balance_minor, escrow.status) == (0, "closed")
    assert balances(mine["bonus"], mine["deposit"]) == [5_00, 300_00]
    assert row_findings() == ()


def test_cancellation_without_one_stake_is_refused():
    escrow = make_escrow()
    known, _ = make_stake(escrow=escrow), make_stake(escrow=escrow)
    before = books()

    with pytest.raises(NotEmpty), transaction.atomic():
        stakes.cancel_game(escrow=escrow, stakes=[known], key="cancel:1")

    assert books() == before
    assert balances(escrow) == [200_00]


def test_a_game_cancelled_late_fills_the_buckets_again_and_the_excess_is_winnings():
    """RB 7.8: 6 entries of 100.00 at 10 %, two of them lost: 580.00, 145.00 each."""
    escrow, asha = make_escrow(), make_player()
    mine = fund(asha, bonus=10_00, deposit=60_00, winnings=30_00)
    live = [take(asha, escrow), *(make_stake(escrow=escrow) for _ in range(3))]
    lost = [stakes.lose_stake(stake=make_stake(escrow=escrow)) for _ in range(2)]
    shares = [(stake.player, Money(145, "INR")) for stake in live]

    called_off = {"escrow": escrow, "stakes": [*live, *lost], "shares": shares, "key": "cancel:1"}
    first = stakes.cancel_game(**called_off)
    again = stakes.cancel_game(**called_off)

    assert (again.pk, again.is_replay) == (first.pk, True)
    assert balances(*(mine[kind] for kind in Bucket.values)) == [10_00, 60_00, 75_00]
    others = [
        accounts.open_player_accounts(player=stake.player, currency="INR") for stake in live[1:]
    ]
    for theirs in others:
        assert balances(theirs["deposit"], theirs["winnings"]) == [100_00, 45_00]
    assert balances(escrow, rake_account(escrow)) == [0, 20_00]
    assert part_rows(live[0]) == [(10_00, 0, 10_00), (60_00, 0, 60_00), (30_00, 0, 30_00)]
    assert part_rows(*lost) == [(100_00, 100_00, 0)] * 2
    statuses = Stake.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["refunded"] * 4 + ["settled"] * 2
    assert Account.objects.get(pk=escrow.pk).status == "closed"
    assert row_findings() == ()


def test_a_rejoiner_s_share_also_refills_the_entry_lost():
    escrow, asha = make_escrow(), make_player()
    mine = fund(asha, deposit=70_00, winnings=130_00)
    lost = take(asha, escrow, key="buyin:1:1")
    stakes.lose_stake(stake=lost)
    again = take(asha, escrow, key="buyin:1:2")
    other = make_stake(escrow=escrow)
    # Three entries less one rake, in two parts.
    shares = [(stake.player, Money(145, "INR")) for stake in (again, other)]

    stakes.cancel_game(escrow=escrow, stakes=[lost, again, other], shares=shares, key="cancel:1")

    assert part_rows(again) == [(100_00, 0, 100_00)]
    assert part_rows(lost) == [(70_00, 25_00, 45_00), (30_00, 30_00, 0)]
    assert balances(mine["deposit"], mine["winnings"]) == [45_00, 100_00]
    assert balances(escrow, rake_account(escrow)) == [0, 10_00]
    assert row_findings() == ()


@pytest.mark.parametrize(
    "shares",
    [
        [],  # Lost entries need explicit shares.
        [145, 146],
        [191, 99],  # An entry still in play must be refunded in full.
        [290],
    ],
)
def test_a_cancellation_that_does_not_share_it_all_is_refused(shares):
    escrow = make_escrow()
    live = [make_stake(escrow=escrow) for _ in range(2)]
    lost = stakes.lose_stake(stake=make_stake(escrow=escrow))
    wanted = [
        (stake.player, Money(share, "INR")) for stake, share in zip(live, shares, strict=False)
    ]
    before = books()

    with pytest.raises(StakesIncomplete), transaction.atomic():
        stakes.cancel_game(escrow=escrow, stakes=[*live, lost], shares=wanted, key="cancel:1")

    assert books() == before
    assert balances(escrow) == [300_00]


def test_a_lost_stake_is_not_given_back():
    stake = make_stake()

    stakes.lose_stake(stake=stake)
    stakes.lose_stake(stake=stake)

    stake.refresh_from_db()
    assert stake.status == Stake.Status.LOST
    with pytest.raises(StakeNotLive), transaction.atomic():
        stakes.return_stakes(stakes=[stake], key="leave:1")
    assert balances(stake.escrow) == [100_00]
    assert row_findings() == ()


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
