"""Breaks, sessions, tokens and region changes begin and end by the database's clock."""

from datetime import timedelta

import pytest
from django.test import Client

from core.clock import database_now
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.places import regions
from players.eligibility.places.models import Offer
from players.eligibility.verdicts import Act, may
from players.identity.states import current_verification
from players.sign_in.tokens.actions import create_token
from players.sign_in.tokens.models import PlayerToken
from tests.builders.people.identities import verify_identity
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player

pytestmark = pytest.mark.django_db

DAY = 24 * 3_600
WRONG = pytest.mark.parametrize("ahead", [1_000 * DAY, -1_000 * DAY])
PLAYERS_ONLY = "/api/v1/wallet/balances/"


@WRONG
def test_break_lasts_its_days(clocks, ahead):
    player = make_player()
    with clocks.process_clock(ahead=ahead):
        taken = take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=7))
        assert abs(database_now() - taken.began_at) < timedelta(seconds=5)
        assert may(player, Act.POINTS).code == "cooling_off"
        clocks.let_pass(days=7, seconds=1)
        assert may(player, Act.POINTS).is_allowed


@WRONG
def test_session_of_staff_lasts_its_hours(clocks, settings, ahead):
    client = Client()
    with clocks.process_clock(ahead=ahead):
        client.force_login(make_player(is_staff=True))
        assert client.get("/account/").status_code == 200
        clocks.let_pass(hours=settings.STAFF_SESSION_HOURS, seconds=1)
        assert client.get("/account/").status_code == 302


@WRONG
def test_token_is_in_force_until_its_end(clocks, ahead):
    player = make_player()
    with clocks.process_clock(ahead=ahead):
        token, text = create_token(player=player, name="x", scopes=[PlayerToken.Scope.READ])
        program = Client(headers={"Authorization": f"Bearer {text}"})
        assert program.get("/api/v1/games/").status_code == 200
        clocks.move_clock(token.expires_at + timedelta(seconds=1))
        assert program.get("/api/v1/games/").status_code == 401


@WRONG
def test_identity_is_verified_until_its_end(clocks, ahead):
    player = make_player()
    check = verify_identity(player)
    with clocks.process_clock(ahead=ahead):
        assert current_verification(player) == check
        clocks.move_clock(check.expires_at + timedelta(seconds=1))
        assert current_verification(player) is None


@WRONG
def test_region_changes_at_its_time(clocks, ahead):
    begins_at = database_now() + timedelta(days=2)
    terms = {"withdrawal_needs_identity": True, "reason": "Test"}
    open_region("IN-KA", begins_at=begins_at, **terms)
    with clocks.process_clock(ahead=ahead):
        assert regions.offer_in("IN", "KA") == Offer.PROHIBITED
        clocks.move_clock(begins_at)
        assert regions.offer_in("IN", "KA") == Offer.ALLOWED
