"""Account changes are mailed to the old addresses, shown, and hold withdrawals."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings as django_settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from players.notifications.models import Notification, NotificationChoice
from players.sign_in import actions as sign_ins
from players.sign_in.security.letters import RETRY_DELAYS, mail_changes
from players.sign_in.security.models import HOLDING, AccountChange
from tables.accounts.own_data import own_data
from tests.builders.people.accounts import unverify
from tests.builders.people.sessions import prove
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import fund, make_player
from wallet.exceptions import AccountChanged, AccountNew, NothingToSend
from wallet.withdrawals import overdue, withdrawals
from wallet.withdrawals.refusals import findings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache", "lawful")]
PASSWORD, NEXT = "the owner's long pass phrase", "the owner's next pass phrase"
OTHER = "other@example.com"
TERM_HOURS = django_settings.NEW_ACCOUNT_HOURS
TERM = timedelta(hours=TERM_HOURS)
PAYEE = {"payee_name": "Asha Rao", "bank_account": "000111222333", "ifsc": "HDFC0001234"}


@pytest.fixture
def owner():
    return make_player(password=PASSWORD, country="IN", region="KA")


@pytest.fixture
def browser(client, owner):
    client.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    return prove(client)


def letters():
    """Send due e-mails; return recipients and text of each e-mail about a change."""
    mail.outbox.clear()
    mail_changes(now=timezone.now())
    return {letter.to[0]: letter.body for letter in mail.outbox}


def kinds(player):
    return [change.kind for change in AccountChange.objects.of_player(player).order_by("pk")]


def confirm(address):
    row = EmailAddress.objects.get(email=address)
    Client().post(reverse("account_confirm_email", args=[EmailConfirmationHMAC(row).key]))


def test_page_of_addresses_offers_only_what_can_be_done(browser, owner):
    page = reverse("account_email")

    def actions(address):
        rows = browser.get(page).text.split('<li class="panel">')[1:]
        (row,) = (row for row in rows if f"<b>{address}</b>" in row)
        return re.findall(r'name="(action_\w+)"', row.partition("</li>")[0])

    assert actions(owner.email) == []
    browser.post(page, {"action_add": "", "email": OTHER})
    assert actions(OTHER) == ["action_send", "action_remove"]
    confirm(OTHER)
    assert actions(OTHER) == ["action_primary", "action_remove"]
    browser.post(page, {"action_primary": "", "email": OTHER})
    assert (actions(OTHER), actions(owner.email)) == ([], ["action_primary", "action_remove"])


def test_each_step_of_a_change_of_address_is_written_to_the_old_one(browser, owner):
    page = reverse("account_email")

    browser.post(page, {"action_add": "", "email": OTHER})
    added = letters()
    confirm(OTHER)
    verified = letters()
    browser.post(page, {"action_primary": "", "email": OTHER})
    primary = letters()
    browser.post(page, {"action_remove": "", "email": owner.email})
    removed = letters()

    assert {*added} == {*verified} == {owner.email}
    assert {*primary} == {*removed} == {owner.email, OTHER}
    assert f"E-mail address added: {OTHER}" in added[owner.email]
    assert f"E-mail address removed: {owner.email}" in removed[owner.email]
    assert "Withdrawals are not approved before" in removed[owner.email]
    assert kinds(owner) == ["email_added", "email_verified", "email_primary", "email_removed"]


def test_first_address_of_an_account_is_not_reported_as_a_change(owner):
    unverify(owner)

    confirm(owner.email)

    assert EmailAddress.objects.get(user=owner).verified
    assert kinds(owner) == []


def test_reset_password_is_mailed_and_holds_withdrawals(owner):
    from players.sign_in.password_reset import send_letter

    send_letter(email=owner.email, site="http://testserver/", language="en")
    [link] = re.findall(r"(/accounts/password/reset/key/\S+)", mail.outbox[0].body)
    client = Client()
    form_at = client.get(link)["Location"]
    client.post(form_at, {"password1": NEXT, "password2": NEXT})

    owner.refresh_from_db()
    assert owner.check_password(NEXT)
    assert kinds(owner) == ["password_reset"]
    assert "Password reset by e-mail" in letters()[owner.email]
    fund(owner, deposit=500_00)
    with pytest.raises(AccountNew):
        step("approve", make_withdrawal(10, player=owner))


def test_changes_of_tokens_bank_accounts_and_limits_are_always_mailed(browser, owner):
    for topic in Notification.Topic:
        NotificationChoice.objects.create(player=owner, topic=topic, on_site=False, by_mail=False)
    EmailAddress.objects.create(user=owner, email=OTHER, verified=True)

    browser.post(reverse("tokens"), {"name": "mine", "scopes": ["read"]})
    browser.post(reverse("payees"), PAYEE)
    browser.post(reverse("own-play"), {"what": "tables:", "most": "2"})
    browser.post(reverse("own-play"), {"what": "tables:", "most": "1"})
    browser.post(reverse("own-play"), {"what": "tables:", "most": ""})

    assert kinds(owner) == ["token_made", "payee_added", "limit_raised"]
    mail_changes(now=timezone.now())
    assert sorted(letter.to[0] for letter in mail.outbox) == sorted([owner.email, OTHER] * 3)
    assert Notification.objects.filter(player=owner, kind="payee_registered", on_site=True).exists()
    assert not [each for each in AccountChange.objects.all() if each.kind in HOLDING]


def test_a_letter_that_is_not_sent_is_tried_again_for_that_address_alone(owner, monkeypatch):
    EmailAddress.objects.create(user=owner, email=OTHER, verified=True)
    sent, at = [], timezone.now()

    def send(_subject, _text, _sender, to):
        if to == [OTHER] and len(sent) < 3:
            sent.append("failed")
            raise OSError("no such host")
        sent.append(to[0])

    monkeypatch.setattr("players.sign_in.security.letters.send_mail", send)
    sign_ins.record_change(player=owner, kind=AccountChange.Kind.PASSWORD_CHANGED)
    for delay in RETRY_DELAYS:
        mail_changes(now=at + delay + timedelta(seconds=5))

    assert sent.count(owner.email) == sent.count(OTHER) == 1
    assert not AccountChange.objects.to_be_mailed().exists()


def change(player, kind="password_changed"):
    return sign_ins.record_change(player=player, kind=AccountChange.Kind(kind))


def test_withdrawal_after_an_account_change_waits_like_one_to_a_new_account(owner, clocks):
    fund(owner, deposit=500_00)

    for kind in HOLDING:
        made = change(owner, kind)
        asked = make_withdrawal(10, player=owner)
        assert asked.account_new_until == made.at + TERM, kind
        assert asked.due_at > made.at + TERM
        with pytest.raises(AccountNew):
            step("approve", asked)
        clocks.let_pass(hours=TERM_HOURS, seconds=1)
        step("approve", asked)
    assert len(HOLDING) >= 8


def test_withdrawal_requested_before_a_change_is_held(owner, clocks):
    fund(owner, deposit=500_00)
    waiting, approved = make_withdrawal(10, player=owner), make_withdrawal(20, player=owner)
    step("approve", approved)
    change(owner, "email_added")

    with pytest.raises(AccountChanged) as refusal:
        step("approve", waiting)
    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=make_player(is_staff=True))

    assert refusal.value.code == "account_changed"
    assert any(
        each.startswith("E-mail address added: it cannot be approved") for each in findings(waiting)
    )
    clocks.let_pass(hours=TERM_HOURS, seconds=1)
    step("approve", waiting)
    assert withdrawals.send_to_bank(by=make_player(is_staff=True)).withdrawals.count() == 2


def test_a_held_withdrawal_is_reported_as_late_only_once_it_may_be_decided(owner, clocks):
    fund(owner, deposit=500_00)
    waiting = make_withdrawal(10, player=owner)
    clocks.move_clock(waiting.due_at - timedelta(hours=1))
    change(owner)
    clocks.let_pass(hours=2)
    assert overdue.report_overdue() == []

    clocks.let_pass(hours=TERM_HOURS)

    assert [task.transfer_id for task in overdue.report_overdue()] == [waiting.hold_id]


def test_new_token_or_limit_does_not_hold_withdrawals(owner):
    fund(owner, deposit=500_00)
    for kind in ("token_made", "payee_removed", "limit_raised"):
        change(owner, kind)

    step("approve", make_withdrawal(10, player=owner))


def test_the_account_shows_open_sessions_and_changes_and_ends_a_session(browser, owner):
    elsewhere = Client(headers={"User-Agent": "A stranger's browser"})
    elsewhere.post(reverse("account_login"), {"login": owner.email, "password": PASSWORD})
    change(owner)
    page = browser.get(reverse("account")).text
    theirs = UserSession.objects.get(user_agent__startswith="A stranger")
    assert "A stranger&#x27;s browser" in page
    assert "Password changed" in page
    assert "Withdrawals are not approved before" in page

    browser.post(reverse("session-end", args=[theirs.pk]))

    assert elsewhere.get(reverse("account"))["Location"].startswith(reverse("account_login"))
    assert browser.get(reverse("account")).status_code == 200
    assert "A stranger&#x27;s browser" not in browser.get(reverse("account")).text


def test_player_cannot_end_the_session_of_another(browser):
    other = make_player(password=PASSWORD, country="IN", region="KA")
    elsewhere = Client()
    elsewhere.post(reverse("account_login"), {"login": other.email, "password": PASSWORD})
    theirs = UserSession.objects.get(user=other)

    browser.post(reverse("session-end", args=[theirs.pk]))

    assert elsewhere.get(reverse("account")).status_code == 200


def test_changes_by_staff_are_mailed(client, owner):
    boss = make_player(is_staff=True, is_superuser=True)
    Authenticator.objects.create(user=owner, type="totp", data={})
    client.force_login(boss)
    page = reverse("admin:auth_user_password_change", args=[owner.pk])
    sent = {"password1": NEXT, "password2": NEXT, "usable_password": "true"}
    assert "/reauthenticate/" in client.post(page, sent)["Location"]

    prove(client)
    client.post(page, sent)
    sign_ins.remove_second_factor(player_id=owner.pk, by=boss)

    assert kinds(owner) == ["password_set", "factor_removed"]
    assert all(each.by_staff for each in AccountChange.objects.all())
    assert "Our staff changed your account" in letters()[owner.email]


def test_address_change_by_a_superuser_is_mailed_to_the_old_address(client, owner):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    prove(client)
    page = reverse("admin:players_user_change", args=[owner.pk])
    shown = client.get(page).context["adminform"].form.initial
    fields = {name: value for name, value in shown.items() if value not in (None, False)}
    fields |= {"groups": [], "user_permissions": [], "email": OTHER}

    assert client.post(page, fields).status_code == 302

    assert kinds(owner) == ["email_primary"]
    assert {*letters()} == {EmailAddress.objects.get(user=owner).email}


def test_data_export_contains_account_changes(owner):
    change(owner)

    assert [row["what"] for row in own_data(owner)["changes"]] == ["Password changed"]
