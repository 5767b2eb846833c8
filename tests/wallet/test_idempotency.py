"""A money request under a key is done once and answered alike ever after."""

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError, ProgrammingError
from django.urls import reverse

from tests.wallet.builders import balances, books, fund, make_player
from tests.wallet.threads import at_once
from wallet.exceptions import IdempotencyKeyReused, InsufficientFunds
from wallet.models import Account, IdempotentRequest, Withdrawal
from wallet.services.idempotency import answer_once

BANK = {"payee_name": "Asha Rao", "bank_account": "123456789012", "ifsc": "HDFC0001234"}


def ask(client, key="k1", **said):
    headers = {} if key is None else {"Idempotency-Key": key}
    body = {"amount": "60.00", "currency": "INR", **BANK} | said
    return client.post(
        reverse("api-withdrawals"), body, content_type="application/json", headers=headers
    )


@pytest.fixture
def rich(client, db):
    player = make_player()
    fund(player, deposit=100_00)
    client.force_login(player)
    return player


@pytest.mark.parametrize("key", [None, "", "x" * 201])
def test_a_money_request_without_a_proper_key_is_refused(client, rich, key):
    before = books()

    answer = ask(client, key)

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_missing")
    assert books() == before


def test_the_same_request_again_gets_the_same_answer_and_moves_nothing(client, rich):
    first = ask(client)
    before = books()

    second = ask(client)

    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert books() == before
    assert Withdrawal.objects.count() == 1


def test_the_same_key_with_another_body_is_refused(client, rich):
    ask(client)
    before = books()

    answer = ask(client, amount="10.00")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert books() == before


def test_a_refusal_is_an_answer_too(client, rich):
    refused = ask(client, amount="500.00")
    fund(rich, deposit=900_00)

    again = ask(client, amount="500.00")

    assert refused.status_code == again.status_code == 409
    assert again.json() == refused.json()
    assert again.json()["code"] == "insufficient_funds"
    assert again["Idempotency-Replayed"] == "true"
    assert Withdrawal.objects.count() == 0


def test_a_key_is_its_players_and_its_routes_own(client, rich):
    other = make_player()
    fund(other, deposit=100_00)
    ask(client)
    client.force_login(other)

    answer = ask(client)

    assert answer.status_code == 201
    assert Withdrawal.objects.count() == 2


@pytest.mark.django_db
def test_a_fault_of_ours_leaves_the_key_unused():
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


@pytest.mark.django_db(transaction=True)
def test_two_bodies_under_one_key_at_once_are_one_and_a_refusal():
    player = make_player()

    def request(body):
        return answer_once(player=player, route="r", key="k", asked=body, act=dict)

    answers = at_once([lambda: request(b"1"), lambda: request(b"2")])

    refused = [answer for answer in answers if isinstance(answer, IdempotencyKeyReused)]
    assert len(refused) == 1


@pytest.mark.django_db
def test_an_answer_is_not_rewritten(owner):
    answer_once(player=make_player(), route="r", key="k", asked=b"1", act=dict)

    with owner(), pytest.raises(IntegrityError, match="is answered"):
        _execute("UPDATE wallet_idempotentrequest SET answer = '{}'")
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        _execute("DELETE FROM wallet_idempotentrequest")


def _execute(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("sent", "kind", "status"),
    [("{", "application/json", 400), ("[]", "application/json", 400), ("a=1", "text/csv", 415)],
)
def test_what_cannot_be_read_uses_up_no_key(client, rich, sent, kind, status):
    for route in ("api-deposits", "api-withdrawals"):
        headers = {"Idempotency-Key": "k1"}
        answer = client.post(reverse(route), sent, content_type=kind, headers=headers)

        assert answer.status_code == status
        assert answer.json()["code"]
    assert not IdempotentRequest.objects.exists()


@pytest.mark.django_db
def test_a_stranger_moves_no_money(client):
    assert ask(client).status_code == 403
