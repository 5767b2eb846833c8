"""A money request with a key is done once and always gets the same answer."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError, ProgrammingError
from django.urls import reverse

from tests.builders.processes.threads import at_once
from tests.builders.wallet.payout_desk import signed_in_payee
from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.cashier import idempotency
from wallet.cashier.idempotency import answer_once
from wallet.cashier.models import IdempotentRequest
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

    answer = ask(client, amount_minor=10_00)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert books() == before


def test_refusal_is_stored_and_repeated_like_an_answer(client, rich):
    refused = ask(client, amount_minor=500_00)
    fund(rich, deposit=900_00)

    again = ask(client, amount_minor=500_00)

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


@pytest.mark.django_db
def test_an_answer_is_not_rewritten(owner):
    answer_once(player=make_player(), route="r", key="k", asked=b"1", act=dict)

    with owner(), pytest.raises(IntegrityError, match="is answered"):
        _execute("UPDATE wallet_idempotentrequest SET answer = '{}'")
    with pytest.raises(ProgrammingError, match="permission denied"):
        _execute("UPDATE wallet_idempotentrequest SET body_sha256 = ''")


def _execute(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


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
    monkeypatch.setattr(idempotency, "FORGOTTEN_AT_ONCE", 2)
    for number in range(3):
        ask(client, f"old{number}", amount_minor=1_00)
    aged()
    ask(client, "young", amount_minor=1_00)
    before = books()

    assert idempotency.forget_old_requests() == 3

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


@pytest.mark.django_db
@pytest.mark.parametrize("is_owner", [False, True])
def test_answer_of_today_cannot_be_deleted(client, rich, owner, is_owner):
    ask(client)

    with ExitStack() as stack:
        if is_owner:
            stack.enter_context(owner())
        stack.enter_context(pytest.raises(IntegrityError, match="a day at least"))
        stack.enter_context(transaction.atomic())
        IdempotentRequest.objects.all().delete()
