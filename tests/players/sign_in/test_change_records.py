"""A change of an account and its record are written together, or neither is."""

import re
from unittest.mock import patch

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection
from django.urls import reverse

from players.sign_in.password_reset import send_letter
from players.sign_in.security import transactions
from players.sign_in.security.models import AccountChange
from tests.builders.people.accounts import make_player
from tests.builders.people.sessions import prove
from tests.builders.processes.routes import named_routes
from tests.builders.staff.factor_codes import code_of
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import row_findings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
PASSWORD, NEXT = "the owner's long pass phrase", "the owner's next pass phrase"
OTHER = "other@example.com"


class ProcessDied(Exception):
    """Simulates a process that is killed before the record is written."""


@pytest.fixture
def owner():
    return make_player(password=PASSWORD)


@pytest.fixture
def browser(client, owner):
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    return prove(client)


def forget_changes():
    """Delete the records so far, bypassing the database's guard."""
    with unguarded() as cursor:
        cursor.execute("DELETE FROM players_accountchange")


def emails(browser, action, email):
    return lambda: browser.post(reverse("account_email"), {f"action_{action}": "", "email": email})


def with_other(owner, *, verified):
    return EmailAddress.objects.create(user=owner, email=OTHER, verified=verified)


def add(browser, _owner):
    return emails(browser, "add", OTHER)


def verify(browser, owner):
    key = EmailConfirmationHMAC(with_other(owner, verified=False)).key
    return lambda: browser.post(reverse("account_confirm_email", args=[key]))


def choose(browser, owner):
    with_other(owner, verified=True)
    return emails(browser, "primary", OTHER)


def remove(browser, owner):
    with_other(owner, verified=True)
    return emails(browser, "remove", OTHER)


def turn_on(browser, _owner):
    page = browser.get(reverse("mfa_activate_totp")).text
    [secret] = re.findall(r'value="([A-Z2-7]{32})"', page)
    return lambda: browser.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})


def turn_off(browser, owner):
    turn_on(browser, owner)()
    forget_changes()
    return lambda: browser.post(reverse("mfa_deactivate_totp"))


def make_codes(browser, owner):
    turn_on(browser, owner)()
    forget_changes()
    return lambda: browser.post(reverse("mfa_generate_recovery_codes"))


def change_password(browser, _owner):
    form = {"oldpassword": PASSWORD, "password1": NEXT, "password2": NEXT}
    return lambda: browser.post(reverse("account_change_password"), form)


def set_password(browser, owner):
    owner.set_unusable_password()
    owner.save()
    browser.force_login(owner)
    prove(browser, method="code")
    form = {"password1": NEXT, "password2": NEXT}
    return lambda: browser.post(reverse("account_set_password"), form)


def reset_password(browser, owner):
    send_letter(email=owner.email, site="http://testserver/", language="en")
    [link] = re.findall(r"(/accounts/password/reset/key/\S+)", mail.outbox[-1].body)
    page = browser.get(link)["Location"]
    return lambda: browser.post(page, {"password1": NEXT, "password2": NEXT})


CHANGES = {
    "email_added": add,
    "email_verified": verify,
    "email_primary": choose,
    "email_removed": remove,
    "factor_added": turn_on,
    "factor_removed": turn_off,
    "codes_made": make_codes,
    "password_changed": change_password,
    "password_set": set_password,
    "password_reset": reset_password,
}


def facts(owner):
    owner.refresh_from_db()
    return (
        owner.email,
        owner.password,
        {*EmailAddress.objects.filter(user=owner).values_list("email", "verified", "primary")},
        [each.data for each in Authenticator.objects.filter(user=owner).order_by("type")],
    )


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_and_its_record_are_committed_together_or_not_at_all(browser, owner, kind):
    act = CHANGES[kind](browser, owner)
    before, seen, found = facts(owner), [], {*row_findings()}
    create = AccountChange.objects.create
    mail.outbox.clear()

    died = pytest.raises(ProcessDied)
    with patch.object(AccountChange.objects, "create", side_effect=ProcessDied), died:
        act()
    assert facts(owner) == before
    assert mail.outbox == []

    def watched(**facts):
        seen.append(connection.in_atomic_block)
        return create(**facts)

    with patch.object(AccountChange.objects, "create", watched):
        answer = act()
    assert answer.status_code == 302, answer.text
    assert facts(owner) != before
    assert [change.kind for change in AccountChange.objects.filter(player=owner)][:1] == [kind]
    assert seen
    assert all(seen)
    # The audit finds this record; the tests themselves have written some rows without one.
    assert {*row_findings()} <= found


def test_the_mail_about_a_new_address_is_sent_after_the_commit(browser, owner, monkeypatch):
    sent = []

    def send(letter):
        sent.append((letter.to, connection.in_atomic_block))

    monkeypatch.setattr("django.core.mail.EmailMessage.send", send)
    add(browser, owner)()

    assert sent == [([OTHER], False)]


def test_allauth_pages_that_require_proof_write_all_or_nothing():
    views = {name: view for name, _path, view in named_routes("/accounts/")}
    wrapped = {name for name, view in views.items() if hasattr(view, "__wrapped__")}
    asking = {name for name in views if transactions.changes_account(name)}

    assert asking <= wrapped
    assert {"account_email", "account_confirm_email", "mfa_activate_totp"} <= asking
