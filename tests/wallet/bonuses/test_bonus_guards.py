"""The database keeps lots and buckets consistent; the audit reports differences."""

from contextlib import contextmanager, nullcontext
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from tests.builders.wallet.bonus_desk import RELEASE, give, join, left, settle
from tests.builders.wallet.players import balances, fund, make_escrow, make_player, suspense
from tests.builders.wallet.tax_office import undone
from wallet.audit.audit import row_findings
from wallet.bonuses.models import BonusGrant, BonusMovement
from wallet.exceptions import NotReversible
from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def run(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params or None)
        return cursor.rowcount


@contextmanager
def unguarded(owner):
    """Write with all triggers off, as a superuser can."""
    with owner():
        run("SET session_replication_role = replica")
        yield
        run("SET session_replication_role = DEFAULT")


@pytest.fixture
def books():
    """A little of everything: a lot partly spent, one partly released, one in a game."""
    players = [make_player(), make_player()]
    for player in players:
        fund(player, deposit=500_00)
        give(player, 50)
        give(player, 20, days=60)
        give(player, 30, mode=RELEASE)
    escrow = make_escrow()
    settle(*[join(player, escrow=escrow) for player in players])
    join(players[0])


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


A_LOT = "(SELECT min(id) FROM wallet_bonusgrant)"
CORRUPTIONS = {
    "a lot is raised": (
        f"UPDATE wallet_bonusgrant SET remaining_minor = remaining_minor + 1 WHERE id = {A_LOT}",
        {"bonus_unexplained", "bonus_drift"},
    ),
    "a lot is forgotten": (
        f"DELETE FROM wallet_bonusgrant WHERE id = {A_LOT}",
        {"bonus_unexplained", "bonus_movement", "bonus_part"},
    ),
    "a movement is forgotten": (
        "DELETE FROM wallet_bonusmovement WHERE id = (SELECT max(id) FROM wallet_bonusmovement)",
        {"bonus_drift", "bonus_movement"},
    ),
    "a movement is altered": (
        """UPDATE wallet_bonusmovement SET amount_minor = amount_minor - 1
        WHERE id = (SELECT max(id) FROM wallet_bonusmovement)""",
        {"bonus_drift", "bonus_movement"},
    ),
    "a lot changes its mode": (
        f"UPDATE wallet_bonusgrant SET mode = 'release', release_bps = 1 WHERE id = {A_LOT}",
        {"bonus_terms"},
    ),
    "a lot was granted less than it says": (
        f"UPDATE wallet_bonusgrant SET amount_minor = 1, remaining_minor = 1 WHERE id = {A_LOT}",
        {"bonus_terms", "bonus_unexplained"},
    ),
    "a part of a stake forgets its lot": (
        "UPDATE wallet_stakepart SET grant_id = NULL WHERE grant_id IS NOT NULL",
        {"bonus_part"},
    ),
    "a part is paid by another's lot": (
        "UPDATE wallet_stakepart SET grant_id = (SELECT max(id) FROM wallet_bonusgrant)",
        {"bonus_part"},
    ),
    "a part is paid by another lot of the same bucket": (
        """UPDATE wallet_stakepart AS p SET grant_id = other.id FROM wallet_bonusgrant AS other
        WHERE p.grant_id <> other.id AND p.account_id = other.account_id""",
        {"bonus_spent"},
    ),
    "an entry that released was not settled": (
        "UPDATE wallet_stake SET status = 'refunded' WHERE status = 'settled'",
        {"bonus_released"},
    ),
    "an entry released more than its share": (
        "UPDATE wallet_stake SET entry_minor = entry_minor / 2",
        {"bonus_released"},
    ),
}


@pytest.mark.parametrize(
    "names",
    [list(CORRUPTIONS)[:4], pytest.param(list(CORRUPTIONS)[4:], marks=pytest.mark.extended)],
    ids=["the first", "the others"],
)
def test_the_audit_finds_each_corruption(books, owner, names):
    assert row_findings() == ()

    for name in names:
        sql, checks = CORRUPTIONS[name]
        with undone():
            with unguarded(owner):
                assert run(sql) > 0, name
            found = {finding.check for finding in row_findings()}

        assert found >= checks, name
