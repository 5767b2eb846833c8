"""Every act against every state of a person and their place, from one table."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone
from moneyed import Money

from players.accounts.zones import house_today
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.exceptions import NotEligible
from players.places.models import Offer
from tables.seats import seating
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import (
    expire_identity,
    refuse_identity,
    submit_identity,
    verify_identity,
)
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_table
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.cashier_desk import make_depositor, start_deposit
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import books, fund
from tournaments.lobby import registration
from wallet.bonuses import bonuses
from wallet.holdings.bonus_models import BonusMode
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


def sit(player, **kind):
    seating.join(table_id=make_table(**kind).pk, player=player)


def enter(player, **kind):
    registration.register(tournament_id=make_tournament(**kind).pk, player=player)


def grant(player):
    bonuses.grant_bonus(
        player=player,
        amount=Money(5, "INR"),
        mode=BonusMode.SPEND,
        expires_at=timezone.now() + timedelta(days=1),
        key=f"matrix:{player.pk}",
        reason="Welcome",
    )


ACTS = {
    "pool, play points": sit,
    "tournament, play points": enter,
    "pool, cash": lambda player: sit(player, currency="INR"),
    "points table, cash": lambda player: seating.join(
        table_id=make_points_table(currency="INR").pk, player=player
    ),
    "tournament, cash": lambda player: enter(player, currency="INR"),
    "deposit": lambda player: start_deposit(player=player, amount=Money(100, "INR")),
    "bonus": grant,
    "withdraw": lambda player: withdrawals.request_withdrawal(
        player=player, amount=Money(10, "INR"), payee=payee_for(player), requested_by=player
    ),
}
OF_POINTS = {"pool, play points", "tournament, play points"}
ALWAYS = {"withdraw"}


def living(place, offer=None):
    country, _, region = place.partition("-")
    if offer:
        open_region(place, offer)
    return make_depositor(country=country, region=region)


def here(**fields):
    open_region("IN-KA")
    return make_depositor(**fields)


def unverified():
    player = here()
    EmailAddress.objects.filter(user=player).update(verified=False)
    return player


def pausing(kind, length):
    player = here()
    take_break(player=player, kind=kind, length=length)
    return player


def held(kind):
    player = here()
    hold_player(player, kind)
    return player


# How somebody is made, the code of acts for cash, and that of play points; "" is allowed.
STATES = {
    "allowed": (here, "", ""),
    "play points only": (lambda: living("IN-MH", Offer.POINTS), "cash_not_offered", ""),
    "wind-down": (lambda: living("IN-MH", Offer.WIND_DOWN), "cash_winding_down", ""),
    "prohibited": (lambda: living("IN-TN"), "cash_not_offered", "play_prohibited"),
    "no row": (lambda: living("DE"), "cash_not_offered", ""),
    "unknown place": (lambda: living(""), "cash_not_offered", ""),
    "a guest": (lambda: here(is_guest=True), "cash_not_offered", ""),
    "no birth date": (lambda: here(birth_date=None), "age_unknown", ""),
    "too young": (lambda: here(birth_date=house_today() - timedelta(days=1)), "under_age", ""),
    "unverified": (unverified, "email_unverified", ""),
    "a break": (
        lambda: pausing(Break.Kind.COOL_OFF, timedelta(days=1)),
        "cooling_off",
        "cooling_off",
    ),
    "excluded": (
        lambda: pausing(Break.Kind.EXCLUSION, timedelta(days=365)),
        "self_excluded",
        "self_excluded",
    ),
    "excluded for good": (
        lambda: pausing(Break.Kind.EXCLUSION, None),
        "self_excluded",
        "self_excluded",
    ),
}


# A hold stops one kind of act: its code for each act that it stops.
HOLDS = {
    Hold.Kind.PLAY: dict.fromkeys({*ACTS} - {"deposit", "withdraw"}, "play_held"),
    Hold.Kind.DEPOSIT: {"deposit": "deposits_held"},
    Hold.Kind.WITHDRAW: {"withdraw": "withdrawals_held"},
}


def outcome(act, player):
    try:
        act(player)
    except NotEligible as refusal:
        return SimpleNamespace(code=refusal.code, said=str(refusal))
    return SimpleNamespace(code="", said="")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ACTS)
def test_every_act_is_answered_for_every_state(name, state):
    make, cash, points = STATES[state]
    expected = "" if name in ALWAYS else points if name in OF_POINTS else cash
    player = make()
    fund(player, deposit=500_00)
    fund(player, currency="PTS", deposit=1_000_00)
    before = books()

    found = outcome(ACTS[name], player)

    assert found.code == expected
    assert bool(found.said) == bool(expected)
    if expected:
        assert books() == before


@pytest.mark.parametrize("kind", HOLDS)
@pytest.mark.parametrize("name", ACTS)
def test_a_hold_stops_its_own_acts_alone(name, kind):
    player = held(kind)
    fund(player, deposit=500_00)
    fund(player, currency="PTS", deposit=1_000_00)
    before = books()

    found = outcome(ACTS[name], player)

    assert found.code == HOLDS[kind].get(name, "")
    if found.code:
        assert books() == before


def asked(make=None):
    open_region("IN-KA", withdrawal_needs_identity=True)
    player = make_depositor()
    if make:
        make(player)
    return player


# Where the place asks who withdraws: everything else is as open as it was.
IDENTITIES = {
    "none": (asked, "identity_unverified"),
    "submitted": (lambda: asked(submit_identity), "identity_unverified"),
    "refused": (lambda: asked(refuse_identity), "identity_unverified"),
    "expired": (lambda: asked(expire_identity), "identity_unverified"),
    "another name": (
        lambda: asked(lambda one: verify_identity(one, "Ravi Rao")),
        "payee_not_player",
    ),
    "verified": (lambda: asked(verify_identity), ""),
    "words in another order": (lambda: asked(lambda one: verify_identity(one, "RAO, Asha")), ""),
}


@pytest.mark.parametrize("state", IDENTITIES)
@pytest.mark.parametrize("name", ACTS)
def test_identity_stops_withdrawals_alone(name, state):
    make, code = IDENTITIES[state]
    player = make()
    fund(player, deposit=500_00)
    fund(player, currency="PTS", deposit=1_000_00)
    before = books()

    found = outcome(ACTS[name], player)

    assert found.code == (code if name == "withdraw" else "")
    if found.code:
        assert found.said
        assert books() == before
