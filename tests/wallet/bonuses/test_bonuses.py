"""Bonus lots: given once, spent soonest ending first, released by play, taken back at their end."""

from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone
from moneyed import Money

from players.exceptions import CashNotOffered, CashWindingDown, GuestAccount
from tests.builders.people.regions import open_region
from tests.builders.wallet.bonus_desk import (
    RELEASE,
    days_later,
    findings_later,
    give,
    join,
    left,
    parts_of,
    rupees,
    settle,
)
from tests.builders.wallet.players import (
    balances,
    books,
    freeze,
    fund,
    give_bonus,
    make_escrow,
    make_player,
    make_stake,
    promotions,
    thaw,
)
from wallet import exceptions
from wallet.audit.audit import row_findings
from wallet.bonuses import bonuses
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses import release as bonus_release
from wallet.bonuses.models import BonusGrant
from wallet.corrections import adjustments
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.tasks import expire_bonuses

pytestmark = pytest.mark.django_db


def test_spendable_lot_is_in_the_bonus_bucket():
    player = make_player()

    lot = give(player, 50, reason="Diwali")

    assert lot.account.kind == "bonus"
    assert balances(lot.account, promotions()) == [50_00, -50_00]
    assert (lot.transfer.kind, lot.transfer.memo) == ("bonus", "Diwali")
    assert (lot.amount, lot.remaining, lot.release_bps) == (rupees(50), rupees(50), None)
    assert row_findings() == ()


def test_a_lot_to_release_is_locked_and_pays_for_nothing():
    player = make_player()
    mine = fund(player, deposit=99_00)

    lot = give(player, 50, mode=RELEASE)
    with pytest.raises(exceptions.InsufficientFunds), transaction.atomic():
        join(player)

    assert (lot.account.kind, lot.release_bps) == ("locked_bonus", 1_000)
    assert balances(lot.account, mine["bonus"], mine["deposit"]) == [50_00, 0, 99_00]


def test_the_same_key_gives_once():
    player, terms = make_player(), {"key": "campaign:diwali:7"}

    first, again = give(player, 50, **terms), give(player, 50, **terms)

    assert again == first
    assert left(first) == [50_00]
    for other in ({"amount": 51}, {"amount": 50, "mode": RELEASE}):
        with pytest.raises(exceptions.KeyConflict), transaction.atomic():
            give(player, **other, **terms)
    with pytest.raises(exceptions.KeyConflict), transaction.atomic():
        give(make_player(), 50, **terms)


INVALID = [
    ({"amount": Money(0, "INR")}, exceptions.AmountNotPositive),
    ({"amount": Money(-5, "INR")}, exceptions.AmountNotPositive),
    ({"amount": Money("0.005", "INR")}, exceptions.InexactAmount),
    ({"amount": Money("NaN", "INR")}, exceptions.InexactAmount),
    ({"amount": Money("1e400", "INR")}, exceptions.AmountOutOfRange),
    ({"amount": Money(2**63, "INR")}, exceptions.AmountOutOfRange),
    ({"amount": Money(5, "PTS")}, exceptions.CurrencyNotOffered),
    ({"reason": " "}, exceptions.RemarkMissing),
    ({"expires_at": timezone.now()}, exceptions.BonusTermRefused),
    ({"expires_at": timezone.now() + timedelta(days=400)}, exceptions.BonusTermRefused),
    ({"release_bps": 1_000}, exceptions.ReleaseShareRefused),
    ({"mode": RELEASE, "release_bps": 0}, exceptions.ReleaseShareRefused),
    ({"mode": RELEASE, "release_bps": 10_001}, exceptions.ReleaseShareRefused),
]


def test_invalid_bonus_is_refused_and_writes_nothing(subtests):
    player, before = make_player(), books()

    for asked, refusal in INVALID:
        with subtests.test(**asked), pytest.raises(refusal), transaction.atomic():
            give_bonus(player, **{"amount": rupees(5)} | asked)

    assert books() == before
    assert not BonusGrant.objects.exists()


@pytest.mark.parametrize(
    ("player", "rules"),
    [
        ({"country": "IN", "region": "TN"}, {}),
        ({"country": "IN", "region": "KA", "is_guest": True}, {}),
        ({"country": "IN", "region": "KA", "is_bot": True}, {}),
        ({"country": "IN", "region": "KA"}, {"CASH_WIND_DOWN": True}),
    ],
)
def test_bonus_needs_permission_to_play_for_cash(settings, player, rules):
    open_region("IN-KA")
    settings.CASH_WIND_DOWN = rules.get("CASH_WIND_DOWN", False)

    with pytest.raises((CashNotOffered, CashWindingDown, GuestAccount)):
        bonuses.grant_bonus(
            player=make_player(**player),
            amount=rupees(5),
            mode="spend",
            expires_at=timezone.now() + timedelta(days=1),
            key="x",
            reason="Welcome",
        )

    assert not BonusGrant.objects.exists()


def test_an_entry_spends_the_lot_that_ends_soonest_first():
    player = make_player()
    mine = fund(player, deposit=500_00)
    late, soon, middle = give(player, 3, days=30), give(player, 4, days=5), give(player, 9, days=9)

    stake = join(player, entry=100)

    assert parts_of(stake) == [(soon.pk, 4_00), (middle.pk, 6_00), (None, 90_00)]
    assert left(late, soon, middle) == [3_00, 0, 3_00]
    assert balances(mine["bonus"], mine["deposit"]) == [6_00, 410_00]
    assert stake.transfer.entries.count() == 3  # One entry for all lots of the bucket.
    assert row_findings() == ()


def test_frozen_bonus_pays_nothing_and_allows_the_entry():
    player = make_player()
    fund(player, deposit=500_00)
    lot = give(player, 50)
    freeze(lot.account)

    stake = join(player)

    assert parts_of(stake) == [(None, 100_00)]
    assert left(lot) == [50_00]


def test_a_game_called_off_late_refills_the_lots_by_their_parts():
    """Two of three share 270.00 of a pot of 300.00 at 10 % (RB 7.7)."""
    escrow, players = make_escrow(), [make_player() for _ in range(3)]
    for player in players:
        fund(player, deposit=500_00)
    lots = [give(player, 50) for player in players]
    paid = [join(player, escrow=escrow, rake_bps=1_000) for player in players]
    stakes.lose_stake(stake=paid[2])

    stakes.cancel_game(
        escrow=escrow,
        stakes=paid,
        shares=[(players[0], rupees(145)), (players[1], rupees(145))],
        key="cancel:1",
    )

    assert left(*lots) == [50_00, 50_00, 40_00]
    assert row_findings() == ()


def test_a_refund_to_an_ended_lot_expires_at_once():
    player = make_player()
    mine = fund(player, deposit=500_00)
    ended, live = give(player, 4, days=1), give(player, 9, days=9)
    stake = join(player)

    with days_later(2):
        refund = stakes.return_stakes(stakes=[stake], key="leave:1")
        stakes.return_stakes(stakes=[stake], key="leave:1")
        assert row_findings() == ()

    assert left(ended, live) == [0, 9_00]
    assert balances(mine["bonus"], mine["deposit"], promotions()) == [9_00, 500_00, -9_00]
    [expiry] = Transfer.objects.filter(kind="expiry")
    assert expiry.xid == refund.xid


def test_accounts_of_bonuses_games_and_withdrawals_cannot_be_corrected_manually():
    player = make_player()
    lots = [give(player, 50), give(player, 50, mode=RELEASE)]
    held = fund(player, deposit=1_00)["withdrawal_hold"]
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    asked = {"amount": rupees(5), "reason": "A present", "by": make_player(is_staff=True)}

    for account in (*(lot.account for lot in lots), held, make_escrow()):
        for source, target in ((suspense, account), (account, suspense)):
            with pytest.raises(exceptions.NotAdjustable):
                adjustments.request_adjustment(source=source, target=target, **asked)


def sweep(days=2):
    with days_later(days):
        return bonus_expiry.expire_due_bonuses()


def test_the_sweep_takes_back_what_is_left_of_each_lot():
    player, other = make_player(), make_player()
    mine = fund(player, deposit=500_00)
    spent, live = give(player, 50, days=1), give(player, 9, days=9)
    locked, theirs = give(player, 20, days=1, mode=RELEASE), give(other, 7, days=1)
    join(player)

    with days_later(2):
        expire_bonuses()

    assert sweep() == 0
    assert left(spent, live, locked, theirs) == [0, 9_00, 0, 0]
    assert balances(mine["bonus"], locked.account, promotions()) == [9_00, 0, -19_00]
    taken = Transfer.objects.filter(kind="expiry").order_by("key")
    assert [transfer.key for transfer in taken] == sorted(
        [f"expiry:{spent.pk}:2", f"expiry:{locked.pk}:1", f"expiry:{theirs.pk}:1"]
    )
    assert findings_later() == ()


def test_frozen_lot_does_not_delay_other_expiries():
    player, other = make_player(), make_player()
    fund(player, deposit=500_00)
    frozen, theirs = give(player, 50, days=1), give(other, 7, days=1)
    stake = join(player)
    freeze(frozen.account)

    with days_later(2):
        stakes.return_stakes(stakes=[stake], key="leave:1")
    assert sweep() == 1
    assert left(frozen, theirs) == [50_00, 0]
    thaw(frozen.account)

    assert sweep() == 1
    assert left(frozen) == [0]
    assert findings_later() == ()


def test_one_lot_that_fails_does_not_keep_the_others(monkeypatch):
    lots = [give(make_player(), amount, days=1) for amount in (5, 6, 7)]
    move = bonuses.move

    def fail_for_one(transfer, amounts):
        if lots[0].pk in amounts:
            raise OSError("the disk is full")
        move(transfer, amounts)

    monkeypatch.setattr(bonuses, "move", fail_for_one)
    assert sweep() == 2
    monkeypatch.undo()

    assert left(*lots) == [5_00, 0, 0]
    assert sweep() == 1
    assert not BonusGrant.objects.left().exists()
    assert findings_later() == ()


@pytest.fixture
def players():
    return [make_player(), make_player()]


def play(players, *, entry=100, **options):
    """Let the first player win a game with all of them."""
    escrow = make_escrow()
    for player in players:
        fund(player, deposit=entry * 100)
    paid = [join(player, entry=entry, escrow=escrow) for player in players]
    return paid, settle(*paid, **options)


def test_a_tenth_of_each_settled_entry_becomes_winnings(players):
    lots = [give(player, 100, mode=RELEASE) for player in players]
    winnings = [fund(player)["winnings"] for player in players]

    paid, _ = play(players)

    assert left(*lots) == [90_00, 90_00]
    assert balances(*winnings) == [210_00, 10_00]
    released = Transfer.objects.filter(kind="release").order_by("pk")
    assert [transfer.key for transfer in released] == [f"release:{stake.pk}" for stake in paid]
    assert row_findings() == ()


def lots_to_release(*terms):
    return [
        BonusGrant(pk=pk, remaining_minor=remaining, release_bps=bps)
        for pk, (remaining, bps) in enumerate(terms, start=1)
    ]


@pytest.mark.parametrize(
    ("lots", "entry", "released"),
    [
        ([(100_00, 1_000)], 100_00, {1: 10_00}),
        ([(100_00, 250)], 100_00, {1: 2_50}),
        ([(100_00, 10_000)], 100_00, {1: 100_00}),
        ([(3_33, 1_000), (100_00, 1_000)], 100_00, {1: 3_33, 2: 6_67}),
        ([(3_33, 3_000), (100_00, 1_000)], 100_00, {1: 3_33, 2: 8_89}),  # 11.10 of it are used.
        ([(100_00, 1_000), (100_00, 5_000)], 1_09, {1: 10}),  # The second waits for the first.
        ([(100_00, 1_000)], 9, {}),  # A tenth of nine paise is nothing whole.
        ([(1, 1_000), (100_00, 1_000)], 19, {1: 1}),
    ],
)
def test_the_shares_of_an_entry(lots, entry, released):
    assert bonus_release.shares(lots_to_release(*lots), entry) == released


@contextmanager
def ending_while_locked():
    """Let a lot end while the settlement waits for its lock."""
    with ExitStack() as waited:

        def end_comes(execute, sql, *args):
            done = execute(sql, *args)
            if "wallet_bonusgrant" in sql and "FOR NO KEY UPDATE" in sql:
                waited.enter_context(days_later(2))
            return done

        with connection.execute_wrapper(end_comes):
            yield


@pytest.mark.parametrize("ending", [partial(days_later, 2), ending_while_locked])
def test_ended_lot_releases_nothing(players, ending):
    lot = give(players[0], 100, days=1, mode=RELEASE)
    escrow = make_escrow()
    for player in players:
        fund(player, deposit=100_00)
    paid = [join(player, escrow=escrow) for player in players]

    with ending():
        settle(*paid)

    assert left(lot) == [100_00]
    assert not Transfer.objects.filter(kind="release").exists()


def test_frozen_bonus_does_not_stop_a_settlement(players):
    lot = give(players[0], 100, mode=RELEASE)
    freeze(lot.account)

    _, prize = play(players)

    assert not prize.is_replay
    assert left(lot) == [100_00]


def test_play_points_release_no_money(players):
    lot = give(players[0], 100, mode=RELEASE)
    escrow = make_escrow(currency="PTS")
    entry = Money(100, "PTS")
    paid = [make_stake(escrow=escrow, player=player, entry=entry, rake_bps=0) for player in players]
    prizes = [(players[0], entry * 2)]

    stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key="finish:pts")

    assert left(lot) == [100_00]
