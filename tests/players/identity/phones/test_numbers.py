"""Optional mobile numbers, and self-exclusions found by them."""

from datetime import timedelta
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.phone_exclusions import forget_numbers
from players.eligibility.verdicts import Act, may
from players.exceptions import (
    BadPhoneNumber,
    IdentityUnverified,
    NotForGuests,
    SharedInterest,
    TooManyNumbers,
)
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import (
    distinguish_player,
    give_number,
    number_of,
    remove_number,
)
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tests.builders.people.accounts import sign_up
from tests.builders.people.identities import verify_identity
from tests.builders.people.phones import prove
from tests.builders.processes.logins import as_owner
from tests.builders.staff.people import a_person
from tests.builders.wallet.players import acts, make_player, verify_email

pytestmark = pytest.mark.django_db
MOBILE, TYPED = "+919876543210", "098765 43210"
EXCLUSION, YEAR = Break.Kind.EXCLUSION, timedelta(days=365)


def give(player, number=TYPED):
    return give_number(player_id=player.pk, number=number)


def excluded(length=None, number=TYPED):
    player = make_player()
    prove(player, number)
    take_break(player=player, kind=EXCLUSION, length=length)
    return player


def code_of(player):
    return may(User.objects.get(pk=player.pk), Act.POINTS).code


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        *[(typed, MOBILE) for typed in ("9876543210", TYPED, "+91-98765-43210", "९८७६५४३२१०")],
        *[(f"{first}000012345", f"+91{first}000012345") for first in "6789"],
    ],
)
def test_number_is_stored_in_one_form_and_encrypted(typed, kept):
    player = make_player()

    row = give(player, typed)

    assert number_of(player) == kept
    assert kept[3:].encode() not in bytes(row.encrypted_content)
    assert give(player, kept) == row


# Banks call from the 1600 series; phonenumberslite 9.0.42 classes it as mobile.
@pytest.mark.parametrize(
    "typed",
    [
        *("", "911", "022 2345 6789", "98765432100", "9876543210 ext 5", "+999 1234", "me"),
        *("1600123456", "01601234567", "+91 1601234567", "0091 1401234567"),
    ],
)
def test_invalid_mobile_number_is_refused(typed):
    with pytest.raises(BadPhoneNumber):
        give(make_player(), typed)


def test_a_1600_number_is_refused_at_sign_up_and_in_the_account(client):
    player = make_player()
    client.force_login(player)
    page = client.post(reverse("phone"), {"number": "1600 123 456"}).text
    sign_up(Client(), email="asha@example.org", mobile="1600123456")

    assert "6, 7, 8 or 9" in page
    assert not PhoneNumber.objects.exists()
    assert not User.objects.filter(email="asha@example.org").exists()


def test_a_number_without_a_code_is_read_as_of_the_players_country():
    player = make_player(country="GB")
    give(player, "07400 123456")
    assert number_of(player) == "+447400123456"


def test_guest_cannot_set_a_number():
    with pytest.raises(NotForGuests):
        give(make_player(is_guest=True))


def test_a_player_changes_and_removes_their_number_a_few_times_a_day():
    player = make_player()
    for last in "01234":
        give(player, f"987654321{last}")
    with pytest.raises(TooManyNumbers):
        give(player, "9876543219")

    assert number_of(player) == "+919876543214"
    remove_number(player_id=player.pk)
    assert number_of(player) == ""
    assert forget_numbers(now=timezone.now()) == 0
    assert forget_numbers(now=timezone.now() + timedelta(days=1, minutes=1)) == 5


def test_two_players_can_have_the_same_number():
    first, second = make_player(), make_player()
    prove(first)
    prove(second)

    take_break(player=first, kind=EXCLUSION, length=None)

    assert code_of(first) == "self_excluded"
    assert code_of(second) == "", "the second player had proved it before"
    remove_number(player_id=second.pk)
    prove(second)
    assert code_of(second) == ""


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("has_new_key", [False, True])
def test_self_exclusion_is_found_by_the_number_alone(settings, is_closed, has_new_key):
    first, second = excluded(YEAR), make_player()
    if is_closed:
        close_account(player_id=first.pk)
    assert code_of(second) == ""
    if has_new_key:
        settings.IDENTITY_KEYS = [Fernet.generate_key().decode(), *settings.IDENTITY_KEYS]

    prove(second)

    verdict = may(second, Act.CASH)
    assert (verdict.code, verdict.since, verdict.until) == ("play_held", None, None)
    assert may(second, Act.DEPOSIT).code == "deposits_held"
    assert may(second, Act.WITHDRAW).is_allowed
    assert code_of(make_player()) == ""


def test_a_number_given_at_sign_up_counts_once_it_is_proved(client):
    excluded()

    assert sign_up(client, mobile="98765-43210").status_code == 302

    newcomer = User.objects.get(handle="newcomer")
    assert number_of(newcomer) == MOBILE
    assert code_of(newcomer) == ""
    prove(newcomer)
    assert code_of(newcomer) == "play_held"


def test_a_guest_who_keeps_their_account_may_give_a_number(client):
    excluded()
    guest = make_player(is_guest=True)
    client.force_login(guest)
    fields = {"email": "g@example.com", "handle": "kept", "password": "a long pass phrase"}

    client.post(reverse("account-keep"), fields | {"mobile": "9876543210"})

    assert code_of(guest) == ""
    prove(User.objects.get(pk=guest.pk))
    assert code_of(guest) == "play_held"


def test_removing_the_number_does_not_lift_an_exclusion():
    excluded()
    second = make_player()
    prove(second)

    remove_number(player_id=second.pk)
    prove(second, "98765 43211")
    forget_numbers(now=timezone.now() + timedelta(days=30))

    assert code_of(second) == "play_held"
    kept = own_data(second)["mobile_numbers"]
    assert [(row["number"], row["removed"] is None) for row in kept] == [
        (MOBILE, False),
        ("+919876543211", True),
    ]


def test_closing_an_account_does_not_lift_an_exclusion_by_number():
    excluded()
    second = make_player(email="asha@example.com")
    verify_email(second)
    prove(second)
    close_account(player_id=second.pk)

    again = make_player(email="asha@example.com")
    verify_email(again)

    assert code_of(again) == "play_held"


def test_longer_exclusion_stops_players_who_proved_the_number_before(monkeypatch):
    now = timezone.now()
    first, second = excluded(YEAR), make_player()
    prove(second)
    take_break(player=first, kind=EXCLUSION, length=None)

    monkeypatch.setattr(timezone, "now", lambda: now + YEAR + timedelta(days=1))
    assert code_of(second) == "play_held"


def test_neither_a_break_of_days_nor_one_that_is_over_stops_another_account(clocks):
    first, second = excluded(YEAR), make_player()
    prove(second)
    pausing, third = make_player(), make_player()
    prove(pausing, "98765 43211")
    take_break(player=pausing, kind=Break.Kind.COOL_OFF, length=timedelta(days=7))
    prove(third, "98765 43211")
    assert code_of(third) == ""

    over = Break.objects.get(player=first).ends_at + timedelta(minutes=1)
    clocks.move_clock(over)

    assert code_of(second) == ""


def test_staff_distinguish_two_people_by_documents():
    excluded()
    second = make_player()
    row = prove(second)
    member = a_person("Identity")
    with pytest.raises(IdentityUnverified):
        distinguish_player(number_id=row.pk, by=member)
    with pytest.raises(SharedInterest):
        distinguish_player(number_id=row.pk, by=second)

    verify_identity(second)
    for _twice in range(2):
        distinguish_player(number_id=row.pk, by=member)

    assert code_of(second) == ""
    assert [each.about_id for each in acts().filter(act="distinguish_player")] == [second.pk]
    assert row.number_hash not in str(list(acts().values()))
    remove_number(player_id=second.pk)
    prove(second)
    assert code_of(second) == "", "the same number, given again, asks nothing of staff again"


def test_excluded_staff_cannot_distinguish_the_other_player():
    member, second = a_person("Identity"), make_player()
    prove(member)
    take_break(player=member, kind=EXCLUSION, length=None)
    row = prove(second)
    verify_identity(second)

    with pytest.raises(SharedInterest):
        distinguish_player(number_id=row.pk, by=member)

    assert code_of(second) == "play_held"


def test_a_closed_account_keeps_its_number_for_an_exclusion_alone():
    plain, stopped = make_player(), excluded(number="98765 43211")
    prove(plain)

    close_account(player_id=plain.pk)
    close_account(player_id=stopped.pk)

    assert [row.player_id for row in PhoneNumber.objects.all()] == [stopped.pk]
    assert number_of(stopped) == ""


def test_numbers_are_readable_and_found_after_key_rotation(settings):
    old, new = settings.IDENTITY_KEYS[0], Fernet.generate_key().decode()
    first = excluded()
    close_account(player_id=first.pk)
    settings.IDENTITY_KEYS = [new, old]
    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())
    settings.IDENTITY_KEYS = [new]

    second = make_player()
    prove(second)

    assert number_of(second) == MOBILE
    assert code_of(second) == "play_held"


def test_only_the_owner_sees_the_whole_number(client):
    player = make_player()
    client.force_login(player)
    mine = client.post(reverse("phone"), {"number": TYPED}, follow=True).text
    row = PhoneNumber.objects.get()
    desk = reverse("player-desk", args=[player.pk])
    listed = reverse("admin:players_phonenumber_changelist")
    opened = reverse("admin:players_phonenumber_change", args=[row.pk])
    client.force_login(a_person("Support"))
    support = client.get(desk).text
    assert client.get(listed).status_code == 403
    client.force_login(a_person("Identity"))
    seen = [client.get(page).text for page in (desk, listed, opened)]

    assert MOBILE in mine
    assert own_data(player)["profile"]["mobile_number"] == MOBILE
    assert all("+91 XXXXXXX210" in page for page in [support, *seen])
    assert "9876543210" not in "".join([support, *seen])
