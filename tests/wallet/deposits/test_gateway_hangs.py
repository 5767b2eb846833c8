"""No transaction and no lock is held while a gateway call is slow or hangs."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, connections, transaction
from moneyed import Money

from players.accounts.models import User
from tests.builders.wallet.cashier_desk import make_depositor
from wallet.cashier.requests import deposit_once
from wallet.deposits.models import Deposit
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.gateways.sandbox import SandboxGateway

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful", "untaxed")]
OTHERS_AT_WORK = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
        AND backend_type = 'client backend'
"""


@pytest.fixture
def hanging(monkeypatch):
    """Block the gateway; return an event set at its call, and one that releases it."""
    asked, go_on = Event(), Event()

    def hang(method):
        plain = getattr(SandboxGateway, method)

        def slow(self, **facts):
            asked.set()
            assert go_on.wait(30)
            return plain(self, **facts)

        monkeypatch.setattr(SandboxGateway, method, slow)

    yield hang, asked, go_on
    go_on.set()


def meanwhile(asked, go_on, call, player):
    """Run a call in a thread; while its gateway hangs, look at what it holds."""

    def run():
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        try:
            assert asked.wait(30)
            with connection.cursor() as cursor:
                at_work = cursor.execute(OTHERS_AT_WORK).fetchone()[0]
            with transaction.atomic():
                User.objects.select_for_update(nowait=True).get(pk=player.pk)
                list(Deposit.objects.select_for_update(nowait=True))
        finally:
            go_on.set()
        return at_work, running.result(30)


def test_order_is_opened_and_cancelled_without_a_lock(hanging):
    hang, asked, go_on = hanging
    hang("open_order")
    player = make_depositor()

    def ask():
        return deposit_once(
            player=player, route="api:deposits", key="k1", asked=b"1", amount=Money(10, "INR")
        )

    at_work, answer = meanwhile(asked, go_on, ask, player)

    assert (at_work, answer.status) == (0, 201)
    again = ask()
    assert (again.is_replay, again.content["id"]) == (True, answer.content["id"])
    deposit = Deposit.objects.get()
    for event in (asked, go_on):
        event.clear()
    hang("close_order")
    at_work, cancelled = meanwhile(
        asked, go_on, lambda: cancel_deposit(deposit_id=deposit.pk), player
    )
    assert (at_work, cancelled.status) == (0, "cancelled")
