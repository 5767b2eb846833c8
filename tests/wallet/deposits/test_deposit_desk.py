"""The admin of deposits, and the completion of tasks about money in suspense."""

import pytest
from django.urls import reverse

from tests.builders.people.regions import open_region
from tests.builders.staff.previews import post_agreed
from tests.builders.wallet.cashier_desk import (
    make_deposit,
    make_depositor,
    money_of,
    order,
    send,
    tell,
)
from wallet.deposits.models import GatewayEvent, StaffTask
from wallet.gateways.sandbox_page import Sent, event_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("untaxed")]


@pytest.fixture(autouse=True)
def _lawful(db):
    open_region("IN-KA")
    open_region("DE")


@pytest.mark.extended
def test_staff_see_orders_events_and_tasks_and_close_a_task_in_their_name(client):
    deposit = make_deposit()
    unknown = order(deposit) | {"order": "order_nobodys"}
    [body] = event_bodies(unknown, [Sent()])
    send(body)
    task = StaffTask.objects.get()
    clerk = make_depositor(is_staff=True, is_superuser=True)
    client.force_login(clerk)

    for row in (deposit, task, GatewayEvent.objects.get()):
        name = f"admin:wallet_{row._meta.model_name}"
        assert client.get(reverse(f"{name}_changelist"), {"q": "order"}).status_code == 200
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
    done = {"action": "done", "_selected_action": [task.pk]}
    client.post(reverse("admin:wallet_stafftask_changelist"), done)

    task.refresh_from_db()
    assert task.done_by == clerk


@pytest.mark.django_db(transaction=True)
def test_a_task_about_a_known_order_is_not_done_while_its_money_waits(client):
    deposit = make_deposit()
    tell(deposit, Sent(surplus_minor=-100))
    task = StaffTask.objects.get()
    client.force_login(make_depositor(is_staff=True, is_superuser=True))
    desk = reverse("admin:wallet_stafftask_changelist")

    said = client.post(desk, {"action": "done", "_selected_action": [task.pk]}, follow=True)
    task.refresh_from_db()
    assert "not_placed" in said.text
    assert task.done_at is None
    placed = post_agreed(client, desk, {"action": "place", "_selected_action": [task.pk]})

    task.refresh_from_db()
    assert "Credited: " in placed.text
    assert task.done_at is not None
    assert money_of(deposit) == [99_00, 0, -99_00]
