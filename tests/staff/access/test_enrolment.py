"""Enrolment: only the person entered by a superuser can set up a staff second factor."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from config.celery import app
from core.models import AuditEntry
from players.exceptions import BadEnrolmentLink
from players.notifications.models import Notification
from players.sign_in import enrolment
from players.sign_in.security.models import FactorLink
from players.sign_in.sessions import SessionStore, player_of_socket
from players.sign_in.tokens import access
from tests.builders.people.accounts import unverify
from tests.builders.people.sessions import prove
from tests.builders.processes.threads import at_once
from tests.builders.staff.factor_codes import code_of
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import unguarded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
PASSWORD = "a long enough password"
PAGE = "/staff/second-factor/"


@pytest.fixture(autouse=True)
def _asked_for(settings, monkeypatch):
    settings.STAFF_MFA_REQUIRED = True
    settings.PUBLIC_URL = "https://rummy.example"
    monkeypatch.setattr(app.conf, "task_always_eager", True)


@pytest.fixture
def colleague():
    person = make_player(password=PASSWORD, is_staff=True)
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    return person


@pytest.fixture
def superuser():
    return make_player(is_staff=True, is_superuser=True)


def sign_in(client, person):
    client.post(reverse("account_login"), {"login": person.email, "password": PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def link_for(person):
    return enrolment.address_of(enrolment.make_link(player=person, by=None)).removeprefix(
        "https://rummy.example"
    )


def secret_on_the_page(client):
    page = client.get(reverse("mfa_activate_totp"))
    return re.findall(r'value="([A-Z2-7]{32})"', page.text)


def test_a_stolen_password_neither_moves_the_address_nor_enrols_a_factor(client, colleague):
    sign_in(client, colleague)

    client.post(reverse("account_email"), {"action_add": "", "email": "thief@example.com"})
    factor = client.get(reverse("mfa_activate_totp"))
    new = {"oldpassword": PASSWORD, "password1": "quite another", "password2": "quite another"}
    client.post(reverse("account_change_password"), new)

    assert factor.status_code == 302
    assert factor["Location"].startswith(PAGE)
    assert not EmailAddress.objects.filter(email="thief@example.com").exists()
    assert not Authenticator.objects.exists()
    colleague.refresh_from_db()
    assert colleague.check_password(PASSWORD)


def test_before_the_first_factor_every_page_but_its_own_and_sign_out_is_closed(client, colleague):
    sign_in(client, colleague)
    pages = [
        "account_email",
        "account_change_password",
        "account_set_password",
        "account_reauthenticate",
        "mfa_index",
        "mfa_activate_totp",
        "mfa_view_recovery_codes",
        "mfa_generate_recovery_codes",
        "usersessions_list",
        "account",
        "tokens",
        "payees",
        "lobby",
        "history",
        "admin:index",
        "admin:wallet_withdrawal_changelist",
        "admin:password_change",
    ]

    closed = [
        name for name in pages if client.get(reverse(name)).get("Location", "").startswith(PAGE)
    ]

    assert closed == pages
    page = client.get(PAGE)
    assert (page.status_code, "Send me the link" in page.text) == (200, True)
    assert reverse("mfa_activate_totp") not in page.text
    assert reverse("mfa_reauthenticate") not in page.text
    assert client.post(reverse("account_logout"))["Location"] == "/"


@pytest.mark.extended
def test_the_link_and_the_password_together_enrol_and_the_link_counts_once(
    client, colleague, superuser, django_capture_on_commit_callbacks
):
    link = link_for(colleague)
    sign_in(client, colleague)

    assert client.get(link).status_code == 200  # A mail scanner's GET does not use the link.
    assert client.post(link)["Location"] == reverse("mfa_activate_totp")
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    [secret] = secret_on_the_page(client)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})

    assert Authenticator.objects.filter(user=colleague, type="totp").exists()
    assert client.get(reverse("mfa_view_recovery_codes")).status_code == 200
    assert reverse("mfa_reauthenticate") in client.get("/admin/", follow=True).text
    given = client.post(reverse("mfa_reauthenticate") + "?next=/admin/", {"code": code_of(secret)})
    assert given["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert client.get(PAGE)["Location"] == "/admin/"
    entries = AuditEntry.objects.filter(about=colleague).exclude(act="add").order_by("pk")
    assert [(each.act, each.actor) for each in entries] == [
        ("make_link", "enrolment_link"),
        ("use_link", colleague.handle),
        ("set_up_factor", colleague.handle),
    ]
    notices = Notification.objects.not_of_decisions().filter(player=superuser).order_by("pk")
    assert [(each.kind, each.subject) for each in notices] == [
        ("factor_link", colleague.handle),
        ("factor_set_up", colleague.handle),
    ]


def end_at(link, moment):
    """Change the expiry of a link, bypassing the database's guard."""
    with unguarded() as cursor:
        cursor.execute(
            "UPDATE players_factorlink SET expires_at = %s WHERE id = %s", [moment, link.pk]
        )


def test_used_expired_replaced_forged_or_foreign_enrolment_link_is_refused(client, colleague):
    other = make_player(password=PASSWORD, is_staff=True)
    used, for_another = link_for(colleague), link_for(other)
    sign_in(client, colleague)
    client.post(used)
    session = client.session
    session.pop(enrolment.GRANT)
    session.save()
    replaced, newest = link_for(colleague), link_for(colleague)

    def is_refused(link):
        answer = client.post(link)
        return answer.status_code == 200 and "Request another link" in answer.text

    assert is_refused(used)
    assert is_refused(for_another)
    assert is_refused(replaced)
    assert is_refused(newest[:-3] + "xx/")
    row = FactorLink.objects.filter(player=colleague).first()
    end_at(row, timezone.now() - timedelta(seconds=1))
    assert is_refused(newest)
    end_at(row, row.expires_at)
    assert secret_on_the_page(client) == []
    assert client.post(newest)["Location"] == reverse("mfa_activate_totp")


def test_a_link_ends_with_the_address_it_was_sent_to(client, colleague):
    link = link_for(colleague)
    sign_in(client, colleague)
    type(colleague).objects.filter(pk=colleague.pk).update(email="moved@example.com")

    assert "address has changed" in client.post(link).text
    assert secret_on_the_page(client) == []


def test_a_link_verifies_its_address_and_removes_unverified_ones(client, colleague):
    unverify(colleague)
    EmailAddress.objects.create(user=colleague, email="typed@example.com")
    link = link_for(colleague)
    sign_in(client, colleague)

    client.post(link)

    rows = EmailAddress.objects.filter(user=colleague).values_list("email", "verified", "primary")
    assert [*rows] == [(colleague.email, True, True)]


def test_requested_enrolment_link_is_sent_only_to_the_persons_address(
    client, colleague, django_capture_on_commit_callbacks
):
    sign_in(client, colleague)

    with django_capture_on_commit_callbacks(execute=True):
        client.post(PAGE, {"email": "thief@example.com"})
        again = client.post(PAGE, follow=True)

    [letter] = mail.outbox
    assert letter.to == [colleague.email]
    assert "https://rummy.example/staff/second-factor/" in letter.body
    assert "A link was sent a few minutes ago" in again.text
    assert FactorLink.objects.count() == 1


def test_making_an_account_staff_sends_the_link_to_the_address_entered(
    client, superuser, django_capture_on_commit_callbacks
):
    player = make_player(password=PASSWORD)
    Authenticator.objects.create(user=superuser, type="totp", data={})
    client.force_login(superuser)
    prove(client, method="mfa")
    page = reverse("admin:players_user_change", args=[player.pk])
    shown = client.get(page).context["adminform"].form.initial
    fields = {name: value for name, value in shown.items() if value not in (None, False)}
    fields |= {"groups": [], "user_permissions": [], "is_staff": "on"}
    fields |= {"email": "entered@example.com"}

    prove(client, seconds_ago=3600, method="mfa")
    client.post(page, fields)
    player.refresh_from_db()
    assert not player.is_staff

    prove(client, method="mfa")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(page, fields)

    [link] = FactorLink.objects.all()
    assert (link.player, link.made_by, link.sent_to) == (player, superuser, "entered@example.com")
    [letter] = mail.outbox
    assert letter.to == ["entered@example.com"]


@pytest.mark.parametrize("who", ["", "player"])
def test_the_command_prints_a_link_for_staff_alone(colleague, who):
    out = StringIO()
    call_command("enrolment_link", colleague.email.upper(), stdout=out)

    assert out.getvalue().startswith("https://rummy.example/staff/second-factor/")
    [entry] = AuditEntry.objects.filter(act="make_link")
    assert (entry.actor, entry.about) == ("enrolment_link", colleague)
    email = make_player().email if who else "nobody@example.com"
    with pytest.raises(CommandError, match="No member of staff"):
        call_command("enrolment_link", email)


def test_a_socket_shows_staff_without_a_factor_what_strangers_see(client, colleague):
    sign_in(client, colleague)
    session = SessionStore(client.session.session_key)

    assert player_of_socket(session) == colleague
    assert access._viewer_of(session).is_anonymous


@pytest.mark.django_db(transaction=True)
def test_concurrent_uses_of_an_enrolment_link_succeed_once(colleague):
    token = link_for(colleague).rstrip("/").rsplit("/", 1)[1]

    def use():
        try:
            return enrolment.use_link(token=token, player=colleague).used_at
        except BadEnrolmentLink as refusal:
            return refusal.code

    results = at_once([use, use])

    assert results.count("bad_enrolment_link") == 1
    assert AuditEntry.objects.filter(act="use_link").count() == 1
