"""From the front door to a practice hand as a guest, and the account kept afterwards."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from players.accounts import consent
from players.accounts.models import User
from players.exceptions import GuestAccount
from players.sign_in.guests import actions as guests
from tables.bots import bots
from tables.lobby import quick_seat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.offers import make_practice
from tests.builders.tables.playing import reread
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
KEPT = {"email": "new@example.com", "handle": "newcomer", "password": "a long enough pass phrase"}


def points_of(player):
    return Account.objects.get(player=player, kind="deposit").balance_minor


def test_one_click_seats_a_visitor_as_a_guest_and_a_second_creates_no_other(client):
    table = make_practice()
    assert reverse("play-now") in client.get("/").content.decode()

    answer = client.post(reverse("play-now"))

    guest = User.objects.get(is_guest=True)
    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert client.get(answer["Location"]).status_code == 200
    assert not guest.has_usable_password()
    assert guest.consent_version == consent.VERSION
    assert points_of(guest) == 10_000_00 - 100_00
    bots.play_bots(table_id=table.pk)  # With poor cards a bot may drop, and the deal be over.
    assert reread(table).phase in {Table.Phase.PLAYING, Table.Phase.SETTLING}
    assert table.deals.count() == 1
    other = make_practice()
    again = client.post(reverse("play-now"))
    assert again["Location"] == reverse("table", args=[other.public_id])
    assert User.objects.filter(is_guest=True).count() == 1


def test_guest_without_an_open_table_gets_a_message_in_the_lobby(client):
    page = client.post(reverse("play-now"), follow=True)

    assert page.redirect_chain == [(reverse("lobby"), 302)]
    assert b"No open table matches" in page.content


def test_guests_and_sign_ups_of_one_address_are_counted_together(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "2/h/ip"}
    make_practice()
    form = {"email": "a@example.com", "handle": "one_more", "password1": KEPT["password"]}

    answers = []
    again = form | {"email": "b@example.com", "handle": "another"}
    for path, sent in [("play-now", {}), ("account_signup", form), ("account_signup", again)]:
        client.cookies.clear()
        answers.append(client.post(reverse(path), sent, REMOTE_ADDR="2001:db8:7:7::1"))

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2]["Retry-After"]) > 0
    # Another address of the same network is no way around it.
    client.cookies.clear()
    assert client.post(reverse("play-now"), REMOTE_ADDR="2001:db8:7:7:8::9").status_code == 429
    assert User.objects.count() == 2


def test_a_guest_does_not_play_for_money_even_where_others_may():
    open_region("DE")
    guest = guests.make_guest()
    guest.country = "DE"
    guest.save()
    table = make_table(currency="INR")

    with pytest.raises(GuestAccount):
        seating.join(table_id=table.pk, player=guest)

    assert not Seat.objects.exists()


def test_a_kept_account_is_the_same_player_and_signs_in_again(client):
    make_practice()
    client.post(reverse("play-now"))
    guest = User.objects.get()

    page = client.post(reverse("account-keep"), KEPT, follow=True)

    assert b"Your account is registered" in page.content
    kept = User.objects.get()
    assert (kept.pk, kept.is_guest, kept.handle) == (guest.pk, False, "newcomer")
    assert points_of(kept) == 10_000_00 - 100_00
    assert [message.to for message in mail.outbox] == [["new@example.com"]]
    client.post(reverse("account_logout"))
    client.post(reverse("account_login"), {"login": KEPT["email"], "password": KEPT["password"]})
    assert client.session["_auth_user_id"] == str(kept.pk)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"handle": "OLDTIMER"}, "This player name is taken"),
        ({"password": "12345"}, "too short"),
        ({"email": "nobody"}, "valid email"),
    ],
)
def test_invalid_registration_leaves_a_guest_unregistered(client, wrong, words):
    make_player(handle="oldtimer", email="old@example.com")
    client.post(reverse("play-now"))

    page = client.post(reverse("account-keep"), KEPT | wrong)

    assert words in page.content.decode()
    assert User.objects.get(handle__startswith="guest_").is_guest


def test_an_account_is_kept_once():
    guest = guests.make_guest()
    guests.keep_account(player_id=guest.pk, **KEPT)

    with pytest.raises(guests.NotAGuest):
        guests.keep_account(player_id=guest.pk, **(KEPT | {"email": "other@example.com"}))

    assert User.objects.get().email == "new@example.com"


def test_guests_without_a_session_are_closed_and_keep_their_money(client):
    client.post(reverse("play-now"))
    User.objects.update(date_joined=timezone.now() - timedelta(days=15))
    rows = Transfer.objects.count()

    assert guests.close_lost_guests(now=timezone.now()) == 0
    Session.objects.update(expire_date=timezone.now())
    assert guests.close_lost_guests(now=timezone.now()) == 1

    assert not User.objects.get().is_active
    assert (Transfer.objects.count(), rows) == (1, 1)
    assert row_findings() == ()


def test_quick_seat_takes_the_table_nearest_its_start_and_never_money_unasked():
    player = make_player()
    make_table(currency="INR", seats_max=2)
    make_table(seats_max=4, entry_minor=10_00)
    near = make_table(seats_max=3, rules=make_rules(start_seconds=10))
    seating.join(table_id=near.pk, player=make_player())

    seat = quick_seat.sit_down(player=player)

    assert seat.table_id == near.pk
