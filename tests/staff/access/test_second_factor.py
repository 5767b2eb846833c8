"""Staff without a second factor, if it is required, reach only the page that sets it up."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.urls import reverse

from players.accounts.models import User
from players.sign_in import actions as sign_ins
from players.sign_in.enrolment import address_of, make_link
from tests.builders.staff.factor_codes import code_of
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough password"
PAGE = "/staff/second-factor/"


@pytest.fixture(autouse=True)
def _asked_for(settings):
    settings.STAFF_MFA_REQUIRED = True


@pytest.fixture
def boss():
    boss = make_player(password=PASSWORD, is_staff=True, is_superuser=True)
    EmailAddress.objects.create(user=boss, email=boss.email, verified=True, primary=True)
    return boss


def sign_in(client, person):
    fields = {"login": person.email, "password": PASSWORD}
    return client.post(reverse("account_login"), fields | {"next": "/admin/"})


def enrol(client) -> str:
    """Set up a factor by a link and the password; return its secret."""
    person = User.objects.get(pk=client.session["_auth_user_id"])
    client.post(address_of(make_link(player=person, by=None)))
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    [secret] = re.findall(r'value="([A-Z2-7]{32})"', page)
    client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    return secret


def test_the_api_answers_with_a_code(client, boss):
    sign_in(client, boss)

    answer = client.get("/api/v1/tables/")

    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_required")


def test_page_fragment_without_a_second_factor_is_empty(client, boss):
    sign_in(client, boss)

    answer = client.get("/tournaments/ready/", headers={"HX-Request": "true"})

    assert (answer.status_code, answer.content) == (204, b"")


def test_a_code_counts_for_half_a_minute_more_and_no_longer(client, boss):
    sign_in(client, boss)
    secret = enrol(client)
    again = reverse("mfa_reauthenticate") + "?next=/admin/"

    assert client.post(again, {"code": code_of(secret, later=-90)}).status_code == 200
    assert client.post(again, {"code": code_of(secret, later=-15)})["Location"] == "/admin/"


def test_another_session_of_the_account_must_enter_a_code(client, boss):
    elsewhere = client.__class__()
    sign_in(elsewhere, boss)
    sign_in(client, boss)
    enrol(client)

    assert elsewhere.get("/admin/")["Location"].startswith(PAGE)


def test_sign_in_with_a_second_factor_requires_its_code(client, boss):
    first = client.__class__()
    sign_in(first, boss)
    secret = enrol(first)

    asked = sign_in(client, boss)
    given = client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})

    assert asked["Location"].startswith(reverse("mfa_authenticate"))
    assert given["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_superuser_removes_a_lost_factor_with_an_audit_entry(client, boss):
    sign_in(client, boss)
    enrol(client)
    other = make_player(is_staff=True, is_superuser=True)

    assert sign_ins.remove_second_factor(player_id=boss.pk, by=other)
    assert not sign_ins.remove_second_factor(player_id=boss.pk, by=other)

    assert not Authenticator.objects.exists()
    assert client.get("/admin/")["Location"].startswith("/admin/login/")
    act, link = acts().filter(by=other).order_by("pk")
    assert (act.by, act.about, act.act) == (other, boss, "take_factor")
    assert (link.act, link.about) == ("make_link", boss)
    assert act.before == "second_factor=recovery_codes, totp"


def test_a_factor_is_taken_off_a_blocked_account_of_staff_without_a_link(boss):
    Authenticator.objects.create(user=boss, type="totp", data={"secret": "A" * 32})
    User.objects.filter(pk=boss.pk).update(is_active=False)

    other = make_player(is_staff=True, is_superuser=True)
    assert sign_ins.remove_second_factor(player_id=boss.pk, by=other)

    assert not Authenticator.objects.exists()
    assert [act.act for act in acts().filter(by=other)] == ["take_factor"]


def test_players_need_no_factor_and_are_redirected_within_the_site(client):
    client.force_login(make_player())

    assert client.get("/lobby/").status_code == 200
    assert client.get(PAGE)["Location"] == "/admin/"
    for onward in (
        "//evil.example/",
        "/\\\\evil.example/",
        "https://evil.example/",
        "javascript:1",
    ):
        assert client.get(PAGE, {"next": onward})["Location"] == "/admin/"
