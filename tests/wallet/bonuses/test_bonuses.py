"""Bonus lots: granted once, spent soonest ending first, refunded to the same lot (RB 11.1)."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from moneyed import Money

from players.exceptions import CashNotOffered, CashWindingDown, GuestAccount
from tests.builders.people.regions import open_region
from tests.builders.wallet.bonus_desk import (
    RELEASE,
    days_later,
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
)
from wallet import exceptions
from wallet.audit.audit import row_findings
from wallet.bonuses import bonuses
from wallet.bonuses.models import BonusGrant, BonusMovement
from wallet.corrections import adjustments
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db


def promotions():
    return accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")


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


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
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
    ],
)
def test_invalid_bonus_is_refused_and_writes_nothing(asked, refusal):
    player, before = make_player(), books()

    with pytest.raises(refusal), transaction.atomic():
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


def test_expired_lot_pays_nothing_before_the_sweep():
    player = make_player()
    mine = fund(player, deposit=500_00)
    ended, live = give(player, 50, days=1), give(player, 4, days=9)

    with days_later(2):
        stake = join(player, entry=100)

    assert parts_of(stake) == [(live.pk, 4_00), (None, 96_00)]
    assert left(ended, live) == [50_00, 0]
    assert balances(mine["bonus"]) == [50_00]


def test_frozen_bonus_pays_nothing_and_allows_the_entry():
    player = make_player()
    fund(player, deposit=500_00)
    lot = give(player, 50)
    freeze(lot.account)

    stake = join(player)

    assert parts_of(stake) == [(None, 100_00)]
    assert left(lot) == [50_00]


def test_refund_returns_to_the_lots_that_paid():
    player = make_player()
    mine = fund(player, deposit=500_00)
    lots = [give(player, 4, days=5), give(player, 9, days=9)]
    stake = join(player)
    newer = give(player, 2, days=1)

    refund = stakes.return_stakes(stakes=[stake], key="leave:1")
    stakes.return_stakes(stakes=[stake], key="leave:1")

    assert left(*lots, newer) == [4_00, 9_00, 2_00]
    assert balances(mine["bonus"], mine["deposit"]) == [15_00, 500_00]
    moved = BonusMovement.objects.filter(transfer=refund).order_by("grant")
    assert list(moved.values_list("grant", "amount_minor")) == [
        (lots[0].pk, 4_00),
        (lots[1].pk, 6_00),
    ]
    assert row_findings() == ()


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


def test_a_cancelled_game_s_ended_lots_expire_at_once():
    player, escrow = make_player(), make_escrow()
    mine = fund(player, deposit=500_00)
    lot = give(player, 50, days=1)
    stake = join(player, escrow=escrow)

    with days_later(2):
        stakes.cancel_game(escrow=escrow, stakes=[stake], key="cancel:1")
        assert row_findings() == ()

    # What had not been spent ended with it: one transfer takes all of the lot.
    assert left(lot) == [0]
    assert balances(mine["bonus"], mine["deposit"], promotions()) == [0, 500_00, 0]


def test_a_bonus_that_is_played_and_lost_is_used_up():
    player, other = make_player(), make_player()
    escrow, mine = make_escrow(), fund(player, deposit=500_00)
    fund(other, deposit=500_00)
    lot = give(player, 10)

    settle(join(other, escrow=escrow), join(player, escrow=escrow))

    assert left(lot) == [0]
    assert balances(mine["bonus"], mine["deposit"], mine["winnings"]) == [0, 410_00, 0]
    assert row_findings() == ()


@pytest.mark.parametrize("kind", ["bonus", "locked_bonus"])
def test_bonus_accounts_cannot_be_corrected_manually(kind):
    player = make_player()
    lots = {"bonus": give(player, 50), "locked_bonus": give(player, 50, mode=RELEASE)}
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    asked = {"amount": rupees(5), "reason": "A present", "by": make_player(is_staff=True)}

    for source, target in ((suspense, lots[kind].account), (lots[kind].account, suspense)):
        with pytest.raises(exceptions.NotAdjustable):
            adjustments.request_adjustment(source=source, target=target, **asked)
