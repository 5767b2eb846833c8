"""Every act of a player against every state of a person and their place, from one table (RB 11.6).

Somebody who may do everything stands before an act, with a seat, a ticket or an invitation where it
takes one. Then their state changes, and the act is asked for.
"""

from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from importlib import import_module

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from players.accounts.models import User
from players.accounts.zones import site_today
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.eligibility.places.models import Offer, PlaceDoubt
from tests.builders.people import acts
from tests.builders.people.accounts import unverify
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import (
    expire_identity,
    refuse_identity,
    submit_identity,
    verify_identity,
)
from tests.builders.people.phones import prove
from tests.builders.people.regions import open_region
from tests.builders.wallet.players import books, make_player
from tests.builders.wallet.tax_office import unguarded

pytestmark = pytest.mark.django_db

INR_100 = {"amount_minor": 100_00, "currency": "INR"}
# How each action begins, and its column in the table below.
ACTS = {
    "sign up again, play for money": (acts.a_return, "again"),
    "play points, a pool": (acts.a_seat, "points"),
    "play points, a points table": (partial(acts.a_points_table, "PTS"), "points"),
    "play points, a rejoin": (partial(acts.a_rejoin, "PTS"), "points"),
    "play points, a tournament": (partial(acts.a_tournament, "PTS"), "points"),
    "play points, a ticket": (partial(acts.a_ticket_to_use, "PTS"), "points"),
    "play points, a private table": (partial(acts.a_private_table, "PTS"), "points"),
    "play points, by the API": (partial(acts.a_seat_by_api, "PTS"), "points"),
    "cash, a buy-in": (partial(acts.a_seat, currency="INR"), "cash"),
    "cash, a points table": (partial(acts.a_points_table, "INR"), "cash"),
    "cash, a rejoin": (partial(acts.a_rejoin, "INR"), "cash"),
    "cash, a tournament": (partial(acts.a_tournament, "INR"), "cash"),
    "cash, a ticket": (partial(acts.a_ticket_to_use, "INR"), "cash"),
    "cash, by the API": (partial(acts.a_seat_by_api, "INR"), "cash"),
    "a bonus": (acts.a_bonus, "cash"),
    "a deposit": (acts.a_deposit, "deposit"),
    "a deposit, by the API": (
        partial(acts.by_api, "post", "/api/v1/wallet/deposits/", INR_100),
        "deposit",
    ),
    "a withdrawal": (acts.a_withdrawal, "withdraw"),
    "the wallet, by the API": (partial(acts.by_api, "get", "/api/v1/wallet/"), "open"),
    "a socket at one's game": (acts.a_socket, "open"),
}


def of_user(**fields):
    return lambda player: User.objects.filter(pk=player.pk).update(**fields)


def a_guest(player):
    with unguarded():  # No player becomes one.
        of_user(is_guest=True)(player)


def offered(offer):
    return lambda _player: open_region("IN-KA", offer)


def unverified(player):
    unverify(player)


def doubted(player):
    PlaceDoubt.objects.create(
        player=player,
        kind=PlaceDoubt.Kind.ELSEWHERE,
        declared_country="IN",
        declared_region="KA",
        seen_country="DE",
        noticed_at=timezone.now(),
    )


def pausing(kind, days):
    return lambda player: take_break(player=player, kind=kind, length=days and timedelta(days=days))


def held(kind):
    return lambda player: hold_player(player, kind)


def asked(show=None):
    """Require an identity for withdrawals, and verify the player or not."""

    def change(player):
        open_region("IN-KA", withdrawal_needs_identity=True)
        if show:
            show(player)

    return change


def shares_number(player):
    other = make_player()
    prove(other)
    take_break(player=other, kind=Break.Kind.EXCLUSION, length=None)
    prove(player)


def young(player):
    of_user(birth_date=site_today() - timedelta(days=17 * 365))(player)


NO_CASH = {"cash": "cash_not_offered", "deposit": "cash_not_offered", "again": "cash_not_offered"}
WINDING = dict.fromkeys(["cash", "deposit", "again"], "cash_winding_down")
EXCLUDED = dict.fromkeys(["points", "cash", "deposit", "again"], "self_excluded")
HELD = {"again": "account_held"}


def cash_only(code, **others):
    return {"cash": code, "deposit": code, "again": code} | others


# States of a player, and the codes of the columns that refuse them; all others are allowed.
STATES = {
    "allowed": (lambda _player: None, {}),
    "play points only": (offered(Offer.POINTS), NO_CASH),
    "wind-down of the place": (offered(Offer.WIND_DOWN), WINDING),
    "wind-down of the site": ("CASH_WIND_DOWN", WINDING),
    "prohibited": (offered(Offer.PROHIBITED), NO_CASH | {"points": "play_prohibited"}),
    "moved to another state": (of_user(region="TN"), NO_CASH | {"points": "play_prohibited"}),
    "a place without a row": (of_user(country="DE", region=""), NO_CASH),
    "an unknown place": (of_user(country="", region=""), cash_only("place_not_given")),
    "a place in doubt": (doubted, cash_only("place_doubted", again="")),
    "a guest": (a_guest, cash_only("guest_account", again="")),
    "no birth date": (of_user(birth_date=None), cash_only("age_unknown")),
    "too young": (young, cash_only("under_age")),
    "an address not verified": (unverified, cash_only("email_unverified", again="")),
    "agreed to no text yet": (of_user(consent_version=""), cash_only("consent_outdated", again="")),
    "agreed to an earlier text": (
        of_user(consent_version="2020-01-01"),
        cash_only("consent_outdated", again=""),
    ),
    "a break": (
        pausing(Break.Kind.COOL_OFF, 1),
        dict.fromkeys(["points", "cash", "deposit", "again"], "cooling_off"),
    ),
    "excluded for a year": (pausing(Break.Kind.EXCLUSION, 365), EXCLUDED),
    "excluded for good": (pausing(Break.Kind.EXCLUSION, None), EXCLUDED),
    "the number of an excluded player": (
        shares_number,
        dict.fromkeys(["points", "cash", "again"], "play_held") | {"deposit": "deposits_held"},
    ),
    "play held": (held(Hold.Kind.PLAY), HELD | {"points": "play_held", "cash": "play_held"}),
    "deposits held": (held(Hold.Kind.DEPOSIT), HELD | {"deposit": "deposits_held"}),
    "withdrawals held": (held(Hold.Kind.WITHDRAW), HELD | {"withdraw": "withdrawals_held"}),
    "identity not shown": (asked(), {"withdraw": "identity_unverified"}),
    "identity submitted": (asked(submit_identity), {"withdraw": "identity_unverified"}),
    "identity refused": (asked(refuse_identity), {"withdraw": "identity_unverified"}),
    "identity expired": (asked(expire_identity), {"withdraw": "identity_unverified"}),
    "identity of another name": (
        asked(lambda player: verify_identity(player, "Ravi Rao")),
        {"withdraw": "payee_not_player"},
    ),
    "identity verified": (asked(verify_identity), {}),
    "identity in another order": (asked(lambda player: verify_identity(player, "RAO, Asha")), {}),
}


@contextmanager
def undone():
    """Roll back the block, as if each cell of the table were a separate test."""
    block = transaction.atomic()
    block._from_testcase = True  # Durable blocks may begin inside, as in Django's own tests.
    with block:
        try:
            yield
        finally:
            transaction.set_rollback(True)
            import_module("tables.state.fold").memo._deals.clear()


# The quick run tries one action of each column.
QUICK = {
    "sign up again, play for money",
    "play points, a pool",
    "cash, a buy-in",
    "a deposit",
    "a withdrawal",
    "a socket at one's game",
}


@pytest.mark.parametrize(
    "name", [pytest.param(act, marks=() if act in QUICK else pytest.mark.soak) for act in ACTS]
)
def test_every_state_answers_this_act(name):
    begin, column = ACTS[name]
    open_region("IN-KA")
    player, act = begin()
    expected = {state: codes.get(column, "") for state, (_change, codes) in STATES.items()}

    before, found, moved = books(), {}, []
    for state, (change, _codes) in STATES.items():
        with undone(), override_settings(CASH_WIND_DOWN=change == "CASH_WIND_DOWN"):
            if callable(change):
                change(player)
            found[state] = acts.outcome(act, player)
            if found[state] and column != "again" and books() != before:
                moved.append(state)

    assert found == expected
    assert moved == [], "a refusal moves no money"


def test_every_column_of_the_table_has_an_act():
    columns = {column for _begin, column in ACTS.values()}

    assert columns >= {column for _change, codes in STATES.values() for column in codes}
