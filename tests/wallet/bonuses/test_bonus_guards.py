"""The database keeps lots and buckets consistent; the audit reports differences."""

from contextlib import nullcontext
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from tests.builders.wallet.bonus_desk import RELEASE, give, join, left
from tests.builders.wallet.players import balances, fund, make_player, suspense
from wallet.bonuses.models import BonusGrant, BonusMovement
from wallet.exceptions import NotReversible
from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("amount", [5_00, -5_00])
@pytest.mark.parametrize("kind", ["bonus", "locked_bonus"])
def test_balance_of_a_bonus_account_changes_only_with_a_lot(kind, amount, owner):
    player = make_player()
    give(player, 50)
    give(player, 50, mode=RELEASE)
    account = Account.objects.get(player=player, kind=kind)
    entries = [(account, amount), (suspense(), -amount)]

    with pytest.raises(IntegrityError, match="its bonuses add up to"):
        posting.post(key="x", kind=Transfer.Kind.ADJUSTMENT, entries=entries)
    with owner(), pytest.raises(IntegrityError, match="its bonuses add up to"):
        posting.post(key="x", kind=Transfer.Kind.ADJUSTMENT, entries=entries)

    assert balances(account) == [50_00]
    assert not Transfer.objects.filter(key="x").exists()


def test_a_grant_is_not_reversed():
    lot = give(make_player(), 50)

    with pytest.raises(NotReversible):
        posting.reverse(lot.transfer)

    assert left(lot) == [50_00]


def test_remainder_of_a_lot_follows_its_movements(owner):
    player = make_player()
    fund(player, deposit=500_00)
    first, second, other = give(player, 50, days=5), give(player, 20), give(make_player(), 50)
    join(player)

    def set_remainders(*, first_minor, second_minor):
        for lot, minor in ((first, first_minor), (second, second_minor)):
            BonusGrant.objects.filter(pk=lot.pk).update(remaining_minor=minor)

    def move():
        BonusMovement.objects.create(grant=first, transfer=other.transfer, amount_minor=-1_00)

    for act in (
        partial(set_remainders, first_minor=39_00, second_minor=20_00),
        # The balance of their bucket would still agree.
        partial(set_remainders, first_minor=50_00, second_minor=10_00),
        move,
    ):
        for role in (nullcontext, owner):
            with (
                role(),
                pytest.raises(IntegrityError, match=r"add up to|moved by"),
                transaction.atomic(),
            ):
                act()

    assert left(first, second, other) == [40_00, 20_00, 50_00]


def test_lot_is_in_the_account_of_its_mode():
    lot = give(make_player(), 50)
    other = fund(make_player(), deposit=5_00)

    for account in (other["deposit"], other["winnings"], suspense()):
        with pytest.raises(IntegrityError, match="cannot be in account"), transaction.atomic():
            BonusGrant.objects.create(
                account=account,
                transfer=Transfer.objects.exclude(pk=lot.transfer_id).first(),
                mode="spend",
                amount_minor=5_00,
                remaining_minor=5_00,
                reason="x",
                granted_at=lot.granted_at,
                expires_at=lot.expires_at,
            )
