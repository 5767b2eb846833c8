"""A settled entry releases a share of locked bonuses to winnings, once (RB 11.1)."""

from contextlib import ExitStack, contextmanager
from functools import partial

import pytest
from django.db import connection
from moneyed import Money

from tests.builders.wallet.bonus_desk import RELEASE, days_later, give, join, left, rupees, settle
from tests.builders.wallet.players import (
    balances,
    freeze,
    fund,
    make_escrow,
    make_player,
    make_stake,
)
from wallet.audit.audit import row_findings
from wallet.bonuses import release as bonus_release
from wallet.bonuses.models import BonusGrant
from wallet.ledger.models import Transfer
from wallet.stakes import stakes

pytestmark = pytest.mark.django_db


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


def test_settling_twice_releases_once(players):
    lot = give(players[0], 100, mode=RELEASE)
    paid, prize = play(players, key="finish:1")

    again = settle(*paid, key="finish:1")

    assert again.pk == prize.pk
    assert left(lot) == [90_00]
    assert Transfer.objects.filter(kind="release").count() == 1


def test_every_entry_of_a_player_counts_towards_a_release():
    """A rejoin is an entry like the first: lost ones are settled with the game."""
    player, escrow = make_player(), make_escrow()
    fund(player, deposit=300_00)
    lot = give(player, 100, mode=RELEASE)
    paid = [join(player, escrow=escrow) for _ in range(3)]
    stakes.lose_stake(stake=paid[0])

    settle(*paid)

    assert left(lot) == [70_00]
    assert row_findings() == ()


def test_cancelled_and_returned_entries_release_nothing(players):
    player = players[0]
    escrow, duel = make_escrow(), make_escrow()
    for one in players:
        fund(one, deposit=300_00)
    lots = [give(one, 100, mode=RELEASE) for one in players]
    stakes.return_stakes(stakes=[join(player, escrow=duel)], key="leave:1")
    paid = [join(one, escrow=escrow) for one in players]
    stakes.lose_stake(stake=paid[1])

    stakes.cancel_game(escrow=escrow, stakes=paid, shares=[(player, rupees(200))], key="cancel:1")

    assert left(*lots) == [100_00, 100_00]
    assert not Transfer.objects.filter(kind="release").exists()
    assert row_findings() == ()


def test_a_lot_is_released_until_it_is_used_up_then_the_next(players):
    player = players[0]
    late, soon = (
        give(player, amount, days=days, mode=RELEASE) for amount, days in [(5, 9), (3, 2)]
    )
    winnings = fund(player)["winnings"]

    play(players)
    assert left(late, soon) == [0, 0]
    assert balances(winnings) == [208_00]
    play(players)

    assert balances(winnings) == [408_00]
    [release] = Transfer.objects.filter(kind="release")
    moved = release.bonus_movements.order_by("grant").values_list("grant", "amount_minor")
    assert list(moved) == [(late.pk, -5_00), (soon.pk, -3_00)]
    assert row_findings() == ()


def lots_of(*terms):
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
    assert bonus_release.shares(lots_of(*lots), entry) == released


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
