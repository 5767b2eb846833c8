"""A money request with a key is done once and always gets the same answer."""

from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import signed_in_payee
from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.cashier import requests
from wallet.cashier.models import IdempotentRequest
from wallet.cashier.requests import answer_once
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account
from wallet.tasks import forget_old_requests
from wallet.withdrawals.models import Withdrawal


def ask(client, key="k1", **said):
    headers = {} if key is None else {"Idempotency-Key": key}
    body = {"amount_minor": 60_00, "currency": "INR", **said}
    if "payee" not in said:
        body["payee"] = signed_in_payee(client)
    return client.post(
        reverse("api-withdrawals"), body, content_type="application/json", headers=headers
    )


@pytest.fixture
def rich(client, db):
    player = make_player()
    fund(player, deposit=100_00)
    client.force_login(player)
    return player


def test_request_is_done_once_for_its_player_and_key(client, rich):
    before = books()
    for key in (None, "", "x" * 201):
        answer = ask(client, key)
        assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_missing")
    assert books() == before
    first = ask(client)
    before = books()

    second = ask(client)
    other = ask(client, amount_minor=10_00)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert books() == before
    somebody = make_player()
    fund(somebody, deposit=100_00)
    client.force_login(somebody)
    assert ask(client).status_code == 201
    assert Withdrawal.objects.count() == 2


def test_refusal_is_stored_and_repeated_like_an_answer(client, rich):
    refused = ask(client, amount_minor=500_00)
    fund(rich, deposit=900_00)

    again = ask(client, amount_minor=500_00)

    assert refused.status_code == again.status_code == 409
    assert again.json() == refused.json()
    assert again.json()["code"] == "insufficient_funds"
    assert again["Idempotency-Replayed"] == "true"
    assert Withdrawal.objects.count() == 0


@pytest.mark.django_db
def test_error_leaves_the_key_unused():
    player = make_player()

    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answer_once(player=player, route="r", key="k", asked=b"1", act=fail)

    assert not IdempotentRequest.objects.exists()


@pytest.mark.django_db
def test_a_refusal_undoes_what_was_done_before_it():
    player = make_player()

    def act():
        fund(player, deposit=1)
        raise InsufficientFunds("no")

    answer = answer_once(player=player, route="r", key="k", asked=b"1", act=act)

    assert answer.is_refusal
    assert not Account.objects.of_player(player).exists()


@pytest.mark.django_db(transaction=True)
def test_two_requests_with_one_key_at_once_are_one():
    player = make_player()
    mine = fund(player, deposit=100_00)

    def act():
        fund(player, deposit=1_00)
        return {"done": True}

    def request():
        return answer_once(player=player, route="r", key="k", asked=b"1", act=act)

    answers = at_once([request] * 4)

    assert [answer.content for answer in answers] == [{"done": True}] * 4
    assert sorted(answer.is_replay for answer in answers) == [False, True, True, True]
    assert balances(mine["deposit"]) == [101_00]


@pytest.mark.parametrize(
    ("sent", "kind", "status"),
    [("{", "application/json", 400), ("[]", "application/json", 400), ("a=1", "text/csv", 415)],
)
def test_unreadable_request_uses_no_key(client, rich, sent, kind, status):
    for route in ("api-deposits", "api-withdrawals"):
        headers = {"Idempotency-Key": "k1"}
        answer = client.post(reverse(route), sent, content_type=kind, headers=headers)

        assert answer.status_code == status
        assert answer.json()["code"]
    assert not IdempotentRequest.objects.exists()


@pytest.fixture
def aged(owner, settings):
    """Make all answers old enough for deletion, with guards off."""

    def age():
        days = settings.IDEMPOTENCY_KEPT_DAYS + 1
        with owner(), connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")
            cursor.execute(
                "UPDATE wallet_idempotentrequest SET created_at = created_at - %s",
                [timedelta(days=days)],
            )
            cursor.execute("SET session_replication_role = DEFAULT")

    return age


@pytest.mark.django_db
def test_old_answers_are_deleted_and_recent_ones_kept(client, rich, aged, monkeypatch):
    monkeypatch.setattr(requests, "FORGOTTEN_AT_ONCE", 2)
    for number in range(3):
        ask(client, f"old{number}", amount_minor=1_00)
    aged()
    ask(client, "young", amount_minor=1_00)
    before = books()

    assert requests.forget_old_requests() == 3

    assert [request.key for request in IdempotentRequest.objects.all()] == ["young"]
    assert books() == before
    assert ask(client, "young", amount_minor=1_00)["Idempotency-Replayed"] == "true"


@pytest.mark.django_db(transaction=True)
def test_request_being_answered_is_not_deleted(rich):
    """It is the oldest and unanswered; concurrent sweeps skip it."""
    swept = []

    def act():
        swept.extend(at_once([forget_old_requests]))
        return {}

    answer_once(player=rich, route="r", key="slow", asked=b"{}", act=act)

    assert swept == [None]
    assert IdempotentRequest.objects.get().status == 201
