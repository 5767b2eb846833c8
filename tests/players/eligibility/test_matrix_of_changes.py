"""Acts on what a player has already, through services and the API, after each change of state.

The table of tests/players/eligibility/test_matrix.py asks of new acts; here somebody who was
allowed has a seat, a ticket or an invitation when their state changes.
"""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.hold_models import Hold
from players.exceptions import NotEligible
from players.places.doubt_models import PlaceDoubt
from players.places.models import Offer
from tables.lobby import invitations
from tables.offers import profiles
from tables.seats import seating
from tables.table.profile_models import TableTemplate
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import YES, say, score
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import books, fund
from tournaments.entries.models import Ticket

pytestmark = pytest.mark.django_db
CASH, POINTS, OPEN = "cash", "points", "open"
JSON = "application/json"


def rich():
    player = make_depositor()
    fund(player, deposit=1_000_00)
    fund(player, currency="PTS", deposit=10_000_00)
    return player


def rejoin():
    table = make_table(rules=make_rules(gap_seconds=60), currency="INR", seats_min=3, seats_max=3)
    for _ in range(3):
        seating.join(table_id=table.pk, player=rich())
    score(table, 0, 50, 101)
    seat = reread(table).seats.select_related("player").get(number=3)
    return seat.player, lambda: say(table, 3, YES)


def ticket():
    _satellite, main, tickets = a_ticket()
    player = tickets[0].player
    User.objects.filter(pk=player.pk).update(country="IN", region="KA", birth_date="1990-01-01")
    player.refresh_from_db()
    return player, lambda: register_with(Ticket.objects.get(pk=tickets[0].pk), main)


def private_table():
    player = rich()
    kind = TableTemplate.objects.create(
        slug=f"private-{player.pk}",
        name="Private",
        profile=profiles.register_profile(make_rules()),
        seats_max=2,
        entry_minor=100_00,
    )
    table = invitations.open_private_table(player=player, template_id=kind.pk)

    def sit_down():
        # As a request reads it.
        now = User.objects.get(pk=player.pk)
        seating.join(table_id=table.pk, player=now, code=table.invite_code)

    return player, sit_down


def by_api(address, body):
    def prepare():
        player, client = rich(), Client()
        client.force_login(player)
        table = make_table(currency="INR" if address == "cash" else "PTS")
        path = {
            "deposit": "/api/v1/wallet/deposits/",
            "wallet": "/api/v1/wallet/",
        }.get(address, f"/api/v1/tables/{table.public_id}/seats/")

        def act():
            key = {"Idempotency-Key": f"matrix-{player.pk}"}
            send = client.get if address == "wallet" else client.post
            answer = send(path, body, content_type=JSON, headers=key)
            if answer.status_code == 403:
                assert answer.json()["message"]
                raise Refused(answer.json()["code"])
            assert answer.status_code in (200, 201), answer.json()

        return player, act

    return prepare


class Refused(Exception):
    pass


# How somebody comes to it, and what kind of act it is.
ACTS = {
    "rejoin": (rejoin, CASH),
    "private table": (private_table, POINTS),
    "API, a seat for cash": (by_api("cash", {}), CASH),
    "API, a seat for play points": (by_api("points", {}), POINTS),
    "API, deposit": (by_api("deposit", {"amount_minor": 100_00, "currency": "INR"}), CASH),
    "API, the wallet": (by_api("wallet", {}), OPEN),
}


def change(**fields):
    return lambda player: User.objects.filter(pk=player.pk).update(**fields)


def doubt(player):
    PlaceDoubt.objects.create(
        player=player,
        kind=PlaceDoubt.Kind.ELSEWHERE,
        declared_country="IN",
        declared_region="KA",
        seen_country="DE",
        noticed_at=timezone.now(),
    )


def pause(kind, days):
    return lambda player: take_break(player=player, kind=kind, length=days and timedelta(days=days))


# What happens meanwhile, the code of acts for cash, and that of play points; "" is allowed.
CHANGES = {
    "nothing": (lambda _player: None, "", ""),
    "wind-down": (lambda _: open_region("IN-KA", Offer.WIND_DOWN), "cash_winding_down", ""),
    "play points only": (lambda _: open_region("IN-KA", Offer.POINTS), "cash_not_offered", ""),
    "prohibited": (
        lambda _: open_region("IN-KA", Offer.PROHIBITED),
        "cash_not_offered",
        "play_prohibited",
    ),
    "moved": (change(country="IN", region="TN"), "cash_not_offered", "play_prohibited"),
    "in doubt": (doubt, "place_doubted", ""),
    "no birth date": (change(birth_date=None), "age_unknown", ""),
    "unverified": (
        lambda player: EmailAddress.objects.filter(user=player).update(verified=False),
        "email_unverified",
        "",
    ),
    "a break": (pause(Break.Kind.COOL_OFF, 1), "cooling_off", "cooling_off"),
    "excluded": (pause(Break.Kind.EXCLUSION, 365), "self_excluded", "self_excluded"),
    "held": (lambda player: hold_player(player, Hold.Kind.PLAY), "play_held", "play_held"),
}


def outcome(act):
    try:
        act()
    except NotEligible as refusal:
        return refusal.code
    except Refused as refusal:
        return str(refusal)
    return ""


def expected(name, kind, changed):
    _change, cash, points = CHANGES[changed]
    if kind == OPEN or (name == "API, deposit" and changed == "held"):
        return ""
    return cash if kind == CASH else points


@pytest.mark.parametrize("changed", CHANGES)
@pytest.mark.parametrize("name", ACTS)
def test_what_somebody_has_is_no_way_around_a_refusal(name, changed):
    prepare, kind = ACTS[name]
    open_region("IN-KA")
    player, act = prepare()
    CHANGES[changed][0](player)
    before = books()

    found = outcome(act)

    assert found == expected(name, kind, changed)
    if found:
        assert books() == before


@pytest.mark.extended
@pytest.mark.parametrize("changed", CHANGES)
def test_a_ticket_is_no_way_around_a_refusal(changed):
    open_region("IN-KA")
    player, act = ticket()
    CHANGES[changed][0](player)
    before = books()

    found = outcome(act)

    assert found == CHANGES[changed][2]
    if found:
        assert books() == before
