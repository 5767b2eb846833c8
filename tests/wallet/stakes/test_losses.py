"""A player's own limits on losses and stakes: checked under the accounts' lock, cash only."""

from itertools import count

import pytest
from django.db import transaction
from moneyed import Money

from players.exceptions import LimitOutOfRange, LossLimitReached, StakeLimitReached
from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, set_own_limit
from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import books, fund, make_escrow, make_player
from wallet.stakes import stacks, stakes
from wallet.stakes.losses import net_loss, stake_verdict
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
DAY, WEEK, MONTH = OwnLimit.Period
_numbers = count(1)


def limit_losses(player, rupees, period=DAY):
    scope = Scope(OwnLimit.Kind.LOSS, "INR", period)
    return set_own_limit(player=player, scope=scope, most=rupees and rupees * 100, is_proved=True)


def limit_stakes(player, rupees):
    scope = Scope(OwnLimit.Kind.STAKE, "INR")
    return set_own_limit(player=player, scope=scope, most=rupees and rupees * 100, is_proved=True)


def a_player(rupees=10_000):
    player = make_player()
    fund(player, deposit=rupees * 100)
    return player


def stake(player, rupees, *, escrow=None, currency="INR"):
    return stakes.take_stake(
        player=player,
        escrow=escrow or make_escrow(currency=currency),
        entry=Money(rupees, currency),
        rake_bps=0,
        key=f"limits:{next(_numbers)}",
    )


def settle(*played, prizes):
    stakes.settle_game(
        escrow=played[0].escrow, stakes=played, prizes=prizes, key=f"limits:finish:{next(_numbers)}"
    )


def test_last_rupee_of_loss_limit_can_be_staked_but_no_more():
    player = a_player()
    limit = limit_losses(player, 500)
    stake(player, 300)
    before = books()

    with (
        pytest.raises(LossLimitReached, match=r"₹500\.00 in 24 hours; ₹200\.00 of it is") as no,
        transaction.atomic(),
    ):
        stake(player, "200.01")

    assert books() == before
    assert (no.value.code, no.value.status) == ("loss_limit", 403)
    assert no.value.details == {"since": limit.applies_at.isoformat()}
    stake(player, 200)


def test_winnings_free_the_loss_limit():
    player, other = a_player(), a_player()
    limit_losses(player, 500)
    escrow = make_escrow()
    played = [stake(one, 400, escrow=escrow) for one in (player, other)]

    settle(*played, prizes=[(player, Money(800, "INR"))])

    assert net_loss([player.pk], "INR", played[0].created_at) == 0
    stake(player, 500)
    with pytest.raises(LossLimitReached), transaction.atomic():
        stake(player, 500)


def test_refunded_stake_is_not_a_loss_on_its_day(later):
    player = a_player()
    limit_losses(player, 500)
    early = stake(player, 400)
    later(hours=25)
    stake(player, 400)

    stakes.return_stakes(stakes=[early], key="limits:back")

    with pytest.raises(LossLimitReached, match=r"₹100\.00 of it"), transaction.atomic():
        stake(player, 101)


@pytest.mark.parametrize(("period", "hours"), [(DAY, 24), (WEEK, 7 * 24), (MONTH, 30 * 24)])
def test_losses_count_for_their_period(later, period, hours):
    player = a_player()
    limit_losses(player, 500, period)
    stake(player, 500)

    later(hours=hours - 1)
    with pytest.raises(LossLimitReached), transaction.atomic():
        stake(player, 1)
    later(hours=2)
    stake(player, 500)


def test_cashed_out_stack_is_not_a_loss():
    player, other = a_player(), a_player()
    limit_losses(player, 500)
    escrow = make_escrow()
    first = stake(player, 400, escrow=escrow)
    stake(other, 400, escrow=escrow)
    stacks.pass_stacks(
        escrow=escrow,
        losses={other.pk: Money(150, "INR")},
        winner=player,
        rake=Money(0, "INR"),
        key="limits:deal",
    )

    stacks.cash_out(escrow=escrow, player=player, key="limits:out", closes_game=False)

    assert net_loss([player.pk], "INR", first.created_at) == 0
    assert net_loss([other.pk], "INR", first.created_at) == 400_00
    stake(player, 200)  # Of it 150 was won.
    assert net_loss([player.pk], "INR", first.created_at) == 50_00


def test_a_game_takes_no_more_than_the_limit_of_stakes():
    player = a_player()
    limit_stakes(player, 300)
    escrow = make_escrow()
    first = stake(player, 200, escrow=escrow)

    with (
        pytest.raises(StakeLimitReached, match=r"₹100\.00 of it is left") as no,
        transaction.atomic(),
    ):
        stake(player, 101, escrow=escrow)
    stake(player, 300)

    assert no.value.code == "stake_limit"
    stakes.return_stakes(stakes=[first], key="limits:back")
    stake(player, 300, escrow=escrow)


def test_losses_and_limits_of_others_and_play_points_do_not_count():
    player, other = a_player(), a_player()
    limit_losses(other, 1)
    stake(player, 400)
    limit_losses(player, 400)
    limit_stakes(player, 1)
    escrow = make_escrow()

    answers = [
        stake_verdict(player=each, escrow=escrow, entry=Money(1, "INR"))
        for each in (player, other, a_player())
    ]

    assert [answer.code for answer in answers] == ["loss_limit", "", ""]
    fund(player, currency="PTS", deposit=500_00)
    assert stake(player, 500, currency="PTS").status == "live"


def test_a_repetition_of_a_stake_returns_it_whatever_the_limit_is_by_then():
    player, escrow = a_player(), make_escrow()
    facts = {"escrow": escrow, "entry": Money(400, "INR"), "rake_bps": 0, "key": "limits:same"}
    taken = stakes.take_stake(player=player, **facts)
    limit_losses(player, 1)

    assert stakes.take_stake(player=player, **facts) == taken


@pytest.mark.parametrize(
    ("scope", "most", "refusal"),
    [
        (Scope(OwnLimit.Kind.LOSS, "INR", ""), 100, LimitOutOfRange),
        (Scope(OwnLimit.Kind.LOSS, "PTS", DAY), 100, LimitOutOfRange),
        (Scope(OwnLimit.Kind.LOSS, "INR", DAY), 0, LimitOutOfRange),
        (Scope(OwnLimit.Kind.STAKE, "INR", DAY), 100, LimitOutOfRange),
        (Scope(OwnLimit.Kind.DEPOSIT, "INR", DAY), 100, LimitOutOfRange),
        (Scope(OwnLimit.Kind.TABLES), 21, LimitOutOfRange),
        (Scope(OwnLimit.Kind.TIME, "", DAY), 24 * 60 + 1, LimitOutOfRange),
        (Scope(OwnLimit.Kind.TIME, "", WEEK), 60, LimitOutOfRange),
    ],
)
def test_only_limits_that_are_offered_can_be_set(scope, most, refusal):
    with pytest.raises(refusal):
        set_own_limit(player=make_player(), scope=scope, most=most, is_proved=True)

    assert not OwnLimit.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_stakes_at_once_do_not_share_what_is_left():
    player = a_player()
    limit_losses(player, 500)
    one, other = make_escrow(), make_escrow()

    outcomes = at_once(
        [lambda: stake(player, 300, escrow=one), lambda: stake(player, 300, escrow=other)]
    )

    refused = [outcome for outcome in outcomes if isinstance(outcome, LossLimitReached)]
    assert len(refused) == 1
    assert Stake.objects.get().entry_minor == 300_00
