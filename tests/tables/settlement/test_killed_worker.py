"""If a worker is killed during a settlement, another completes it once."""

import os
import signal

import psycopg
import pytest
from django.utils import timezone

from config.celery import app
from devtools import stack
from devtools.children import stop_children
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table
from tables.settlement.models import Result
from tables.state import clock
from tests.builders.processes.waiting import until
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import reread, run_out
from wallet.audit.audit import row_findings
from wallet.ledger.models import Entry, Transfer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
    pytest.mark.timeout(240),
]


@pytest.fixture
def start_worker(tmp_path, test_database, monkeypatch):
    for name, value in test_database.items():
        monkeypatch.setenv(name, value)
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("settle")
    workers = []

    def start():
        workers.append(stack.start_worker("settle", tmp_path / "worker.log", threads=2))
        return workers[-1]

    yield start
    stop_children(workers)


def waits_for_a_lock(observer):
    waiting = observer.execute(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE '%ledger_%'"
    )
    return waiting.fetchone()[0] == 1


@pytest.mark.extended
def test_a_worker_killed_while_it_pays_leaves_a_deal_that_is_settled_once(
    test_database, start_worker
):
    table = make_game(players=2, rules=make_rules(**SUDDEN))
    deal = play_to_the_last_deal(table)
    settled_before = Score.objects.count()

    with (
        psycopg.connect(test_database["DATABASE_URL"]) as blocker,
        psycopg.connect(test_database["DATABASE_URL"], autocommit=True) as observer,
    ):
        escrow = table.escrow_account_id
        blocker.execute("SELECT 1 FROM wallet_account WHERE id = %s FOR UPDATE", [escrow])
        first = start_worker()
        # The scores are written, the prize is not: in mid-settlement.
        until(lambda: waits_for_a_lock(observer))
        os.kill(first.pid, signal.SIGKILL)
        first.wait()

        assert Score.objects.count() == settled_before
        assert reread(table).phase == Table.Phase.SETTLING

    start_worker()
    run_out(table)
    clock.sweep(now=timezone.now())
    until(lambda: reread(table).phase == Table.Phase.FINISHED)

    table = reread(table)
    assert table.deals.get(pk=deal.pk).status == Deal.Status.SETTLED
    assert Transfer.objects.filter(key=f"finish:{table.pk}").count() == 1
    assert Entry.objects.filter(transfer__key=f"finish:{table.pk}", amount_minor=180_00).exists()
    assert list(Result.objects.values_list("place", "prize_minor")) == [(1, 180_00), (2, 0)]
    assert Score.objects.filter(deal=deal).count() == 2
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()
