"""The remainder of an ended bonus returns to promotions, once (RB 11.1)."""

import pytest

from tests.builders.wallet.bonus_desk import RELEASE, days_later, findings_later, give, join, left
from tests.builders.wallet.players import balances, freeze, fund, make_player, thaw
from wallet.bonuses import bonuses
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses.models import BonusGrant
from wallet.ledger import accounts
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.tasks import expire_bonuses

pytestmark = pytest.mark.django_db


def promotions():
    return accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")


def sweep(days=2):
    with days_later(days):
        return bonus_expiry.expire_due_bonuses()


def test_the_sweep_takes_back_what_is_left_of_each_lot():
    player, other = make_player(), make_player()
    mine = fund(player, deposit=500_00)
    spent, live = give(player, 50, days=1), give(player, 9, days=9)
    locked, theirs = give(player, 20, days=1, mode=RELEASE), give(other, 7, days=1)
    join(player)

    assert sweep() == 3
    with days_later(2):
        expire_bonuses()

    assert left(spent, live, locked, theirs) == [0, 9_00, 0, 0]
    assert balances(mine["bonus"], locked.account, promotions()) == [9_00, 0, -19_00]
    taken = Transfer.objects.filter(kind="expiry").order_by("key")
    assert [transfer.key for transfer in taken] == sorted(
        [f"expiry:{spent.pk}:2", f"expiry:{locked.pk}:1", f"expiry:{theirs.pk}:1"]
    )
    assert findings_later() == ()


def test_refund_after_the_expiry_sweep_expires_again():
    player = make_player()
    mine = fund(player, deposit=500_00)
    lot = give(player, 50, days=1)
    first, second = join(player), join(player)
    sweep()

    with days_later(2):
        stakes.return_stakes(stakes=[first], key="leave:1")
        stakes.return_stakes(stakes=[second], key="leave:2")

    assert left(lot) == [0]
    assert balances(mine["bonus"], mine["deposit"], promotions()) == [0, 500_00, 0]
    assert Transfer.objects.filter(kind="expiry").count() == 3
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
