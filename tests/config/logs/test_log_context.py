"""Every log line names the request or task and the table that it is about."""

import pytest
from django.db import transaction

from tables.models.tables import Table
from tables.tasks import settle_deal
from tests.builders.tables.deals import SUDDEN, play_to_the_last_deal
from tests.builders.tables.making import make_game, make_rules, make_table
from tests.builders.tables.pools import make_rich_player
from tests.builders.wallet.players import fund, make_player
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)


def lines(caplog, event):
    shown = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [one for one in shown if one["event"] == event]


@pytest.mark.extended
def test_log_lines_of_a_task_name_the_task_and_its_deal(caplog):
    deal = play_to_the_last_deal(make_game(players=2, rules=make_rules(**SUDDEN)))
    caplog.clear()

    settle_deal.apply((deal.pk,))

    prize = Transfer.objects.get(key=f"finish:{deal.table_id}")
    [posted] = [one for one in lines(caplog, "transfer_posted") if one["kind"] == "prize"]
    assert (posted["transfer"], posted["key"]) == (str(prize.public_id), prize.key)
    assert (posted["deal"], posted["task"]) == (str(deal.pk), "tables.settle_deal")
    [settled] = lines(caplog, "deal_settled")
    assert (settled["table"], settled["deal"]) == (deal.table_id, deal.pk)


def test_log_lines_of_a_request_name_its_table(client, caplog):
    table = make_table()
    player = make_rich_player(500_00)
    client.force_login(player)
    caplog.clear()

    answer = client.post(
        f"/api/v1/tables/{table.public_id}/seats/", content_type="application/json"
    )

    assert answer.status_code == 201, answer.content
    [posted] = lines(caplog, "transfer_posted")
    assert (posted["kind"], posted["table"]) == ("buy_in", str(table.public_id))
    assert posted["user_id"] == player.pk
    assert Table.objects.get().seats.count() == 1


def test_rolled_back_transfer_is_not_logged(caplog):
    player = make_player()

    with transaction.atomic():
        fund(player, deposit=5)
        transaction.set_rollback(True)

    assert not Transfer.objects.exists()
    assert lines(caplog, "transfer_posted") == []
