"""The database keeps lots and buckets consistent, also when they are used at the same time."""

import time
from contextlib import nullcontext
from functools import partial
from threading import Event

import pytest
from django.db import IntegrityError, transaction

from core.clock import database_now
from tests.builders.processes.threads import at_once
from tests.builders.wallet.bonus_desk import (
    RELEASE,
    days_later,
    findings_later,
    give,
    join,
    left,
    parts_of,
    settle,
)
from tests.builders.wallet.players import (
    balances,
    fund,
    make_escrow,
    make_player,
    promotions,
    suspense,
)
from wallet.audit.audit import row_findings
from wallet.bonuses import bonuses
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses.models import BonusGrant, BonusMovement
from wallet.exceptions import NotReversible
from wallet.ledger import posting
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db(transaction=True)


def refused(results):
    return [result for result in results if isinstance(result, Exception)]


def test_one_lot_pays_one_of_two_entries_at_once():
    player = make_player()
    fund(player, deposit=500_00)
    lot = give(player, 10)

    paid = at_once([lambda: join(player), lambda: join(player)])

    spent = [parts_of(stake) for stake in paid]
    assert sorted(spent, key=len) == [[(None, 100_00)], [(lot.pk, 10_00), (None, 90_00)]]
    assert left(lot) == [0]
    assert row_findings() == ()


def test_buy_ins_and_sweeps_around_the_end_of_a_lot(later):
    """A lot ends while entries are paid: each rupee is spent or taken back, and never both."""
    for paid_before in (1, 2, 3):
        player = make_player()
        mine = fund(player, deposit=1_000_00)
        lot = give(player, 500, days=1)
        ends, is_over = Event(), Event()

        def buy(player=player, paid_before=paid_before, ends=ends, is_over=is_over):
            bought = []
            for number in range(paid_before + 4):
                if number == paid_before:
                    ends.set()
                bought.append(join(player, entry=40))
            is_over.set()
            return bought

        def sweep(ends=ends, is_over=is_over):
            assert ends.wait(20)
            later(days=2)
            while not is_over.is_set():
                bonus_expiry.expire_due_bonuses()

        bought, *_ = results = at_once([buy, sweep, sweep])
        bonus_expiry.expire_due_bonuses()

        assert refused(results) == []
        spent = sum(minor for stake in bought for grant, minor in parts_of(stake) if grant)
        moves = BonusMovement.objects.filter(grant=lot, transfer__kind="expiry")
        expired = -sum(moves.values_list("amount_minor", flat=True))
        assert (left(lot), balances(mine["bonus"])) == ([0], [0])
        assert spent + expired == 500_00
        # A tenth of each entry may be bonus.
        assert spent >= paid_before * 4_00
        assert expired >= 500_00 - (paid_before + 4) * 4_00
    assert findings_later() == ()


def test_sweep_skips_a_locked_lot_and_continues():
    held, free = give(make_player(), 5, days=1), give(make_player(), 6, days=1)

    with days_later(2), transaction.atomic():
        assert BonusGrant.objects.filter(pk=held.pk).locked().get()
        [taken] = at_once([bonus_expiry.expire_due_bonuses])

    assert taken == 1
    assert left(held, free) == [5_00, 0]
    with days_later(2):
        assert bonus_expiry.expire_due_bonuses() == 1


def test_concurrent_refund_and_sweep_take_the_lot_back():
    for _ in range(2):
        player = make_player()
        mine = fund(player, deposit=500_00)
        lot = give(player, 50, days=1)
        stake = join(player)

        def leave(stake=stake):
            return stakes.return_stakes(stakes=[stake], key=f"leave:{stake.pk}")

        with days_later(2):
            results = at_once([leave, *[bonus_expiry.expire_due_bonuses] * 2])

        assert refused(results) == []
        assert left(lot) == [0]
        assert balances(mine["bonus"], mine["deposit"]) == [0, 500_00]
    assert balances(promotions()) == [0]
    assert findings_later() == ()


def test_games_of_the_same_players_settled_at_once_do_not_lock_each_other_out():
    """Each settles, releases and is won by another of the two: locks cross over."""
    players = [make_player(), make_player()]
    for player in players:
        fund(player, deposit=2_000_00)
    lots = [give(player, 500, mode=RELEASE) for player in players]
    games = []
    for number in range(4):
        escrow = make_escrow()
        paid = [join(player, escrow=escrow) for player in players]
        games.append((paid, players[number % 2]))

    results = at_once(
        [lambda paid=paid, winner=winner: settle(*paid, winner=winner) for paid, winner in games]
    )

    assert refused(results) == []
    assert left(*lots) == [460_00, 460_00]
    assert row_findings() == ()


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


def test_the_time_of_a_lot_is_read_once_its_lock_is_held():
    lot = give(make_player(), 50)
    holds, released = Event(), []

    def hold():
        with transaction.atomic():
            BonusGrant.objects.locked().get(pk=lot.pk)
            holds.set()
            time.sleep(0.5)
            released.append(database_now())

    def wait():
        holds.wait()
        with transaction.atomic():
            [locked] = bonuses.lock_lots(BonusGrant.objects.filter(pk=lot.pk))
            return vars(locked)["at"]

    _, at = at_once([hold, wait])

    assert at >= released[0]
