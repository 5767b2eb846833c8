"""Anonymous visitors learn nothing about addresses, and cannot lock out an owner."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from config.celery import app
from players import tasks
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.sign_in import password_reset
from tests.builders.people.accounts import make_player, unverify
from wallet.bonuses.play_points import sign_up_guest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
PASSWORD = "a long enough pass phrase"
FREE, TAKEN = "free@example.com", "taken@example.com"


@pytest.fixture(autouse=True)
def _letters_at_once(monkeypatch):
    monkeypatch.setattr(app.conf, "task_always_eager", True)


@pytest.fixture
def owner():
    return make_player("owner", email=TAKEN, password=PASSWORD)


def sign_in(email, password, address="192.0.2.1"):
    client = Client(REMOTE_ADDR=address)
    answer = client.post(reverse("account_login"), {"login": email, "password": password})
    return answer, client.session.get("_auth_user_id")


def without_secrets(answer, email):
    """Return the content of a response without values that differ between requests."""
    text = re.sub(r'(name="csrfmiddlewaretoken" value|data-csrf)="\w+"', "", answer.text)
    text = re.sub(r"new_\w+|guest_\w+", "", text.replace(email, ""))
    # The default avatar follows from the account's key.
    text = re.sub(r'<img class="avatar"[^>]*>|(?<=") checked', "", text)
    return answer.status_code, answer.get("Location"), text.splitlines()


def both(ask):
    """Send the request with a free and with a taken address; return both responses."""
    shown = []
    for number, email in enumerate((FREE, TAKEN)):
        mail.outbox.clear()
        answers = ask(email, f"new_{number}")
        letters = [(len(letter.to), letter.subject) for letter in mail.outbox]
        shown.append(([without_secrets(answer, email) for answer in answers], letters))
    return shown


def sign_up(email, handle):
    client = Client()
    form = {"email": email, "handle": handle, "password1": PASSWORD}
    return client.post(reverse("account_signup"), form), client.get(reverse("account"))


def keep_account(email, handle):
    client = Client()
    client.force_login(sign_up_guest())
    form = {"email": email, "handle": handle, "password": PASSWORD}
    return client.post(reverse("account-keep"), form), client.get(reverse("account"))


@pytest.mark.parametrize("ask", [sign_up, keep_account])
def test_a_form_answers_alike_for_taken_and_free_addresses(owner, ask):
    free, taken = both(ask)

    assert free == taken
    assert free[0][0][0] == 302
    # A verified address stays its owner's: only the owner's password signs in.
    assert sign_in(TAKEN, PASSWORD)[1] == str(owner.pk)


def test_password_reset_answers_alike_for_taken_and_free_addresses(owner):
    def ask(email, _handle):
        return (Client().post(reverse("account_reset_password"), {"email": email}),)

    free, taken = both(ask)

    assert free[0] == taken[0]
    assert len(free[1]) == len(taken[1]) == 1  # An e-mail is sent in both cases.


@pytest.mark.parametrize("email", [FREE, TAKEN])
def test_a_new_password_is_worked_on_after_the_answer(
    owner, monkeypatch, django_assert_num_queries, email
):
    """Lookup, link and e-mail took longer for an address with an account."""
    left = []
    monkeypatch.setattr(password_reset, "enqueue", lambda *about: left.append(about))

    with django_assert_num_queries(0):
        answer = Client().post(reverse("account_reset_password"), {"email": email.upper()})

    assert (answer.status_code, mail.outbox) == (302, [])
    assert left == [("players.send_password_reset", email, "http://testserver/", "en")]
    tasks.send_password_reset(email, "https://testserver/", "hi")
    (letter,) = mail.outbox
    assert letter.to == [email]
    assert "https://testserver/accounts/" in letter.body


def test_an_address_is_one_accounts_once_it_is_verified(owner):
    other = User.objects.create_user(handle="other", email=TAKEN.upper(), password="another phrase")
    claim = EmailAddress.objects.create(user=other, email=TAKEN, primary=True)

    assert not claim.can_set_verified()
    with pytest.raises(IntegrityError, match="unique_verified_email"), transaction.atomic():
        EmailAddress.objects.filter(pk=claim.pk).update(verified=True)
    assert sign_in(TAKEN, "another phrase")[1] is None


@pytest.mark.extended
def test_right_password_allows_closing_the_account(owner):
    client = Client()
    client.force_login(owner)
    client.get(reverse("account-close"))

    anew = {"password": PASSWORD, "next": reverse("account-close")}
    page = client.post(reverse("account_reauthenticate"), anew, follow=True)
    assert "Close my account permanently" in page.text
    client.post(reverse("account-close"))

    owner.refresh_from_db()
    assert not owner.is_active


def signed_up(email, handle, password):
    """Sign up a player; return the page of the link in the e-mail."""
    form = {"email": email, "handle": handle, "password1": password}
    Client().post(reverse("account_signup"), form)
    return link_in(mail.outbox.pop())


def link_in(letter):
    return re.search(r"http://[^/]+(/\S+)", letter.body)[1]


def test_of_two_accounts_with_one_address_the_verified_one_has_it():
    """An unverified address is not reserved: its owner can still register with it."""
    of_stranger = signed_up(TAKEN, "stranger", "a stranger's pass phrase")
    of_owner = signed_up(TAKEN.title(), "owner", PASSWORD)
    stranger, owner = (User.objects.get(handle=handle) for handle in ("stranger", "owner"))
    assert sign_in(TAKEN, "a stranger's pass phrase")[1] == str(stranger.pk)
    assert sign_in(TAKEN, PASSWORD)[1] == str(owner.pk)

    Client().post(of_owner)
    Client().post(of_stranger)
    assert sign_in(TAKEN, "a stranger's pass phrase")[1] is None
    assert sign_in(TAKEN, PASSWORD)[1] == str(owner.pk)
    Client().post(reverse("account_reset_password"), {"email": TAKEN})

    assert list(EmailAddress.objects.filter(verified=True).values_list("user", flat=True)) == [
        owner.pk
    ]
    assert (has_verified_email(owner), has_verified_email(stranger)) == (True, False)
    (letter,) = [letter for letter in mail.outbox if "/password/reset/key/" in letter.body]
    page = Client().get(link_in(letter), follow=True)
    form = {"password1": "a new pass phrase", "password2": "a new pass phrase"}
    page.client.post(page.request["PATH_INFO"], form)
    assert sign_in(TAKEN, "a new pass phrase")[1] == str(owner.pk)


@pytest.mark.extended
def test_letters_asked_for_from_one_network_leave_the_owner_some(owner):
    unverify()
    stranger = User.objects.create_user(handle="stranger", email=TAKEN)
    EmailAddress.objects.create(user=stranger, email=TAKEN, primary=True)

    def ask(player, address):
        client = Client(REMOTE_ADDR=address)
        client.force_login(player)
        mail.outbox.clear()
        client.post(reverse("account_email"), {"email": TAKEN, "action_send": ""})
        Client(REMOTE_ADDR=address).post(reverse("account_reset_password"), {"email": TAKEN})
        return ["/confirm-email/" in letter.body for letter in mail.outbox]

    while ask(stranger, "203.0.113.9"):
        pass

    assert sorted(ask(owner, "198.51.100.7")) == [False, False, True]
