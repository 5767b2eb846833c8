"""Breaks: they start immediately, stop all play, and cannot be lifted early."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from players.eligibility.break_models import Break
from players.eligibility.breaks import break_in_force, take_break
from players.eligibility.verdicts import Act, may, require_may
from players.exceptions import BreakTooShort, SelfExcluded
from players.notifications.models import Notification
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tables.models.seats import Seat
from tables.seats import presence, seating
from tests.builders.tables.making import make_table
from tests.builders.wallet.players import fund, make_player, verify_email

pytestmark = pytest.mark.django_db

COOL_OFF, EXCLUSION = Break.Kind.COOL_OFF, Break.Kind.EXCLUSION
DAY, YEAR = timedelta(days=1), timedelta(days=365)


def test_break_message_has_its_first_and_last_moment(clocks):
    player = make_player()
    taken = take_break(player=player, kind=COOL_OFF, length=DAY)

    verdict = may(player, Act.POINTS)

    assert (verdict.code, verdict.since, verdict.until) == (
        "cooling_off",
        taken.began_at,
        taken.ends_at,
    )
    assert timezone.localtime(taken.ends_at).strftime("%H:%M") in verdict.sentence
    clocks.move_clock(taken.ends_at)
    assert may(player, Act.POINTS).is_allowed


@pytest.mark.parametrize(
    ("kind", "length"),
    [
        (COOL_OFF, timedelta(hours=23)),
        (COOL_OFF, timedelta(days=43)),
        (COOL_OFF, None),
        (EXCLUSION, timedelta(days=182)),
    ],
)
def test_a_break_has_a_length_that_is_offered(kind, length):
    player = make_player()
    ends_at = None if length is None else timezone.now() + length

    with pytest.raises(BreakTooShort):
        take_break(player=player, kind=kind, length=length)
    with pytest.raises(IntegrityError), transaction.atomic():
        Break.objects.create(player=player, kind=kind, began_at=timezone.now(), ends_at=ends_at)

    assert may(player, Act.POINTS).is_allowed


def test_a_running_break_can_be_made_longer_and_never_shorter():
    player = make_player()
    take_break(player=player, kind=EXCLUSION, length=YEAR)

    with pytest.raises(BreakTooShort):
        take_break(player=player, kind=COOL_OFF, length=DAY)
    for_good = take_break(player=player, kind=EXCLUSION, length=None)
    with pytest.raises(BreakTooShort):
        take_break(player=player, kind=EXCLUSION, length=2 * YEAR)

    assert break_in_force(player) == for_good
    assert "permanently" in may(player, Act.CASH).sentence


def test_a_players_own_data_holds_their_breaks():
    player = make_player()
    taken = take_break(player=player, kind=COOL_OFF, length=DAY)
    take_break(player=make_player(), kind=EXCLUSION, length=None)

    assert own_data(player)["breaks"] == [
        {"kind": "cool_off", "began": taken.began_at, "ends": taken.ends_at}
    ]


def test_break_cannot_be_lifted():
    player = make_player()
    take_break(player=player, kind=EXCLUSION, length=YEAR)

    for lift in (
        lambda: Break.objects.update(ends_at=timezone.now()),
        lambda: Break.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            lift()

    with pytest.raises(SelfExcluded):
        require_may(player, Act.POINTS)


def test_new_account_with_the_same_address_is_still_excluded():
    player = make_player(email="asha@example.com")
    verify_email(player)
    take_break(player=player, kind=EXCLUSION, length=None)
    close_account(player_id=player.pk)
    again = make_player(email="Asha@example.com")

    assert may(again, Act.POINTS).is_allowed  # The address is not verified.
    verify_email(again)

    assert may(again, Act.POINTS).code == "self_excluded"
    assert may(make_player(), Act.POINTS).is_allowed


def test_a_seat_that_waits_for_a_game_is_given_up_and_paid_back():
    table, player, other = make_table(seats_max=3), make_player(), make_player()
    for each in (player, other):
        fund(each, currency="PTS", deposit=1_000_00)
    seat = seating.join(table_id=table.pk, player=player)
    kept = fund(player, currency="PTS")["deposit"].balance_minor
    seating.join(table_id=make_table(seats_max=3).pk, player=other)

    assert presence.give_up_away_seats(timezone.now()) == 0
    take_break(player=player, kind=COOL_OFF, length=DAY)
    assert presence.give_up_away_seats(timezone.now()) == 1

    seat.refresh_from_db()
    assert seat.left_at is not None
    assert fund(player, currency="PTS")["deposit"].balance_minor == kept + seat.table.entry_minor
    assert Seat.objects.active().of_player(other).exists()
    assert Notification.objects.get().kind == Notification.Kind.SEAT_GIVEN_UP


@pytest.fixture
def player(client):
    player = make_player()
    client.force_login(player)
    return player


def take_a_seat(client, **more):
    address = f"/api/v1/tables/{make_table().public_id}/seats/"
    return client.post(address, {}, content_type="application/json", **more)


def test_a_break_is_taken_on_the_page_and_shown_there(client, player):
    page = client.post(
        reverse("break"), {"length": "cool_off:7", "is_sure": "on"}, follow=True
    ).text

    [taken] = Break.objects.all()
    assert (taken.player, taken.ends_at - taken.began_at) == (player, timedelta(days=7))
    assert f'datetime="{taken.ends_at.astimezone().strftime("%Y-%m-%d")}' in page
    assert "but not shorten it" in page


@pytest.mark.parametrize("said", [{"length": "cool_off:7"}, {"is_sure": "on"}, {"length": "x:1"}])
def test_break_needs_a_valid_length_and_confirmation(client, player, said):
    page = client.post(reverse("break"), said)

    assert "errorlist" in page.text
    assert not Break.objects.exists()


def test_permanently_excluded_player_is_offered_no_other_break(client, player):
    take_break(player=player, kind=Break.Kind.EXCLUSION, length=None)

    page = client.get(reverse("break")).text

    assert "For good" in page
    assert 'name="length"' not in page


def test_the_page_and_the_refusal_are_in_hindi_too(client, player):
    hindi = {"Accept-Language": "hi"}
    client.post(reverse("break"), {"length": "cool_off:7", "is_sure": "on"})

    page = client.get(reverse("break"), headers=hindi).text
    refused = take_a_seat(client, headers=hindi)

    assert "विराम" in page
    assert "Take a break" not in page
    assert "विराम" in refused.json()["detail"]


def test_the_api_begins_a_break_and_refusals_say_since_when(client, player):
    answer = client.post(
        reverse("api-breaks"), {"kind": "cool_off", "days": 2}, content_type="application/json"
    )
    refused = take_a_seat(client)

    begun = Break.objects.get()
    assert (answer.status_code, answer.json()["kind"]) == (201, "cool_off")
    assert client.get(reverse("api-breaks")).json()["results"] == [answer.json()]
    assert (refused.status_code, refused.json()["code"]) == (403, "cooling_off")
    assert refused.json()["since"] == begun.began_at.isoformat()
    assert refused.json()["until"] == begun.ends_at.isoformat()
