"""The checklist before play for money: one list for refusals, pages and the API (RB 11.6)."""

from datetime import date

import pytest
from django.urls import reverse

from players.eligibility.checklist import cash_checklist
from players.eligibility.places.models import Offer
from players.eligibility.verdicts import Act, may
from players.sign_in.guests.actions import make_guest
from tests.builders.people.accounts import unverify
from tests.builders.people.identities import submit_identity, verify_identity
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db

DEPOSIT = reverse("start-deposit")


@pytest.fixture(autouse=True)
def place():
    return open_region("IN-KA", withdrawal_needs_identity=True)


def newcomer(**fields):
    player = make_player(birth_date=None, consent_version="", **fields)
    unverify(player)
    return player


def codes(player, *, done):
    return [step.code for step in cash_checklist(player) if step.is_done == done]


def test_newcomer_has_every_step_open_and_each_has_a_page():
    player = newcomer(country="")

    assert codes(player, done=False) == [
        "place_not_given",
        "age_unknown",
        "email_unverified",
        "consent_outdated",
    ]
    assert all(step.url for step in cash_checklist(player))
    assert may(player, Act.CASH).code == "place_not_given"


@pytest.mark.parametrize(
    ("fields", "code", "sentence"),
    [
        ({"country": ""}, "place_not_given", "The law where you live decides"),
        ({"country": "IN", "region": "TN"}, "cash_not_offered", "not offered where you live"),
        ({"country": "IN", "region": "KA", "birth_date": None}, "age_unknown", "adults only"),
    ],
)
def test_play_is_not_offered_only_where_the_place_is_known_and_closed(fields, code, sentence):
    open_region("IN-TN", Offer.PROHIBITED)

    verdict = may(make_depositor(**fields), Act.DEPOSIT)

    assert (verdict.code, sentence in verdict.sentence) == (code, True)


def test_guest_registers_first_and_has_no_other_button():
    steps = cash_checklist(make_guest())

    assert [step.code for step in steps if step.url] == ["guest_account"]
    assert may(make_guest(), Act.CASH).code == "guest_account"


@pytest.mark.parametrize(
    ("show", "is_done", "has_button"),
    [(None, False, True), (submit_identity, False, False), (verify_identity, True, False)],
)
def test_identity_is_a_step_before_withdrawals_only(show, is_done, has_button):
    player = make_depositor(country="IN", region="KA")
    if show:
        show(player)

    step = cash_checklist(player)[-1]

    assert (step.code, step.is_done, bool(step.url)) == ("identity_unverified", is_done, has_button)
    assert may(player, Act.CASH).is_allowed


def test_api_refusal_lists_the_steps(client):
    player = newcomer(country="IN", region="KA")
    client.force_login(player)
    asked = {"amount_minor": 100_00, "currency": "INR"}

    answer = client.post(
        reverse("api-deposits"), asked, "application/json", headers={"Idempotency-Key": "d1"}
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "age_unknown")
    assert [(step["code"], step["is_done"], step["url"]) for step in answer.json()["steps"]] == [
        ("place_not_given", True, ""),
        ("age_unknown", False, reverse("birth-date")),
        ("email_unverified", False, reverse("account_email")),
        ("consent_outdated", False, reverse("network-data")),
    ]


def test_deposit_page_shows_the_steps_and_each_form_returns_to_it(client):
    player = newcomer(country="")
    client.force_login(player)
    onward = f"?next={DEPOSIT.replace('/', '%2F')}"

    page = client.get(DEPOSIT).text
    assert f'href="{reverse("place")}{onward}"' in page
    assert f'href="{reverse("birth-date")}{onward}"' in page

    answers = [
        client.post(reverse("place") + onward, {"country": "IN", "region": "KA"}),
        client.post(reverse("birth-date") + onward, {"born": date(1990, 1, 1)}),
    ]

    assert [answer.get("Location") for answer in answers] == [DEPOSIT, DEPOSIT]
    player.refresh_from_db()
    assert codes(player, done=True) == ["place_not_given", "age_unknown"]


def test_withdrawal_page_shows_the_open_identity_step_only(client):
    player = make_depositor(country="IN", region="KA")
    client.force_login(player)
    address = reverse("start-withdrawal")

    page = client.get(address).text

    assert "Before you withdraw" in page
    assert f'href="{reverse("identity")}?next={address.replace("/", "%2F")}"' in page
    verify_identity(player)
    assert "Before you withdraw" not in client.get(address).text


def test_page_of_another_site_is_not_returned_to(client):
    client.force_login(newcomer(country=""))

    answer = client.post(
        reverse("place") + "?next=https://elsewhere.example/", {"country": "IN", "region": "KA"}
    )

    assert answer["Location"] == reverse("place")
