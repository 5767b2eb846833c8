"""Each kind of process can do its own work with its login, and nothing else."""

from contextlib import ExitStack, contextmanager

import pytest
from django.db import ProgrammingError
from django.urls import reverse
from moneyed import Money

from core.clock import database_now
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.processes.logins import KINDS, app_login, connected_as
from tests.builders.tables.playing import deal_at, move, reread
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.pools import make_pool, make_rich_player, prizes, seat_no
from tests.builders.tournaments.tournaments import make_sit_and_go, make_tournament
from tests.builders.wallet.cashier_desk import make_depositor, money_of, order, start_deposit
from tests.builders.wallet.players import make_player
from tournaments.lobby import registration
from tournaments.rounds import clock as tournament_clock
from tournaments.rounds import stopping
from wallet.audit.audit import row_findings
from wallet.deposits.deposits import apply_received, receive_event
from wallet.deposits.models import Deposit, GatewayEvent
from wallet.gateways.sandbox import SIGNATURE_HEADER, sign
from wallet.gateways.sandbox_page import Sent, event_bodies
from wallet.ledger.models import Transfer
from wallet.stakes.models import StackChange, Stake

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.no_settlement_worker]


@pytest.fixture
def acting_as():
    """Let what follows run as the login of one kind of process, over connections of its own."""
    with ExitStack() as stack:
        logins = {kind: stack.enter_context(app_login(kind)) for kind in KINDS}

        @contextmanager
        def acting(kind):
            with connected_as(logins[kind]):
                yield

        yield acting


def deliver(body):
    headers = {SIGNATURE_HEADER: sign(body)}
    return receive_event(provider="sandbox", body=body, headers=headers)


@pytest.mark.usefixtures("lawful", "untaxed")
def test_a_deposit_takes_an_order_an_event_and_a_posting_by_three_logins(acting_as):
    player = make_depositor()
    with acting_as("web"):
        deposit = start_deposit(player=player, amount=Money(100, "INR"))
        [body] = event_bodies(order(deposit), [Sent()])
    for kind in ("web", "settle"):
        with acting_as(kind), pytest.raises(ProgrammingError, match="permission denied"):
            deliver(body)

    with acting_as("intake"):
        assert deliver(body) == "received"
        assert deliver(body) == "ignored"
    with acting_as("web"):
        apply_received()
        assert GatewayEvent.objects.get().outcome == "received"
    with acting_as("settle"):
        apply_received()

    assert Deposit.objects.get().status == "paid"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert row_findings() == ()


@pytest.mark.usefixtures("lawful", "untaxed")
def test_the_intake_answers_webhooks_and_is_ready(acting_as, client):
    deposit = start_deposit(player=make_depositor(), amount=Money(100, "INR"))
    [body] = event_bodies(order(deposit), [Sent()])
    with acting_as("intake"):
        answer = client.post(
            reverse("api-webhook", args=["sandbox"]),
            body,
            content_type="application/json",
            headers={SIGNATURE_HEADER: sign(body)},
        )
        forged = client.post(
            reverse("api-webhook", args=["sandbox"]),
            body.replace(b"10000", b"99999"),
            content_type="application/json",
            headers={SIGNATURE_HEADER: sign(body)},
        )
        ready = client.get("/readyz").json()["checks"]

    assert (answer.status_code, answer.json()) == (200, {"outcome": "received"})
    assert (forged.status_code, forged.json()["code"]) == (400, "bad_signature")
    assert (ready["database"], ready["migrations"], ready["clock_skew"]) == (True, True, True)
    assert GatewayEvent.objects.get().outcome == "received"


def test_a_prize_takes_moves_and_a_settlement_by_two_logins(acting_as):
    table = make_pool(players=2)
    with acting_as("web"):
        while reread(table).phase == Table.Phase.PLAYING:
            move(table, fold_of(deal_at(table)).state.to_act, "drop")
        with pytest.raises(ProgrammingError, match="permission denied"):
            scoring.settle_deal(deal_id=deal_at(table).pk)
    assert reread(table).phase == Table.Phase.SETTLING
    with acting_as("settle"):
        scoring.settle_deal(deal_id=deal_at(table).pk)
    assert reread(table).phase == Table.Phase.BETWEEN

    with acting_as("web"):
        seating.leave(seat_id=seat_no(table, 2).pk)
        with pytest.raises(ProgrammingError, match="permission denied"):
            scoring.settle_table(table_id=table.pk)
    assert not table.results.exists()
    with acting_as("settle"):
        scoring.settle_table(table_id=table.pk)

    assert reread(table).phase == Table.Phase.FINISHED
    assert [prize > 0 for prize in prizes(table)] == [True, False]
    assert Transfer.objects.get(kind="prize").game == f"table:{table.public_id}"
    assert row_findings() == ()


def test_a_sit_and_go_is_entered_on_pages_and_started_by_settlement(acting_as):
    tournament = make_sit_and_go(entrants_max=3)
    players = [make_rich_player(100_00) for _ in range(3)]
    with acting_as("web"):
        for player in players:
            registration.register(tournament_id=tournament.pk, player=player)
    with acting_as("settle"):
        tournament_clock.sweep(now=database_now())
        tournament_clock.sweep(now=database_now())
    table = Table.objects.get(owner_ref__startswith="tournament:")
    with acting_as("web"):
        clock.apply_overdue(table_id=table.pk, now=database_now())
        while reread(table).phase == Table.Phase.PLAYING:
            move(table, fold_of(deal_at(table)).state.to_act, "drop")
    with acting_as("settle"):
        scoring.settle_deal(deal_id=deal_at(table).pk)

    tournament.refresh_from_db()
    assert tournament.state == "running"
    assert table.seats.count() == 3
    assert table.deals.get(no=1).scores.count() == 3


def test_a_points_deal_is_paid_by_settlement_and_cashed_out_on_a_page(acting_as):
    with acting_as("web"):
        table = make_points_game()
        move(table, fold_of(deal_at(table)).state.to_act, "drop")
    with acting_as("settle"):
        scoring.settle_deal(deal_id=deal_at(table).pk)
    with acting_as("web"):
        for seat in table.seats.all():
            seating.leave(seat_id=seat.pk)

    assert StackChange.objects.count() == 2
    assert {stake.status for stake in Stake.objects.all()} <= {"settled", "refunded"}
    assert Transfer.objects.filter(kind="cash_out").count() == 2
    assert row_findings() == ()


def test_a_cancelled_tournament_is_paid_back_by_settlement(acting_as):
    tournament = make_tournament()
    player, staff = make_rich_player(100_00), make_player(is_staff=True)
    with acting_as("web"):
        entry = registration.register(tournament_id=tournament.pk, player=player)
        stopping.cancel(tournament_id=tournament.pk, by=staff, reason="A drill")
        [act] = stopping.actions_due()
        with pytest.raises(ProgrammingError, match="permission denied"):
            stopping.carry_out(action_id=act.pk)
    with acting_as("settle"):
        tournament_clock.sweep(now=database_now())

    tournament.refresh_from_db()
    entry.refresh_from_db()
    assert (tournament.state, entry.state) == ("cancelled", "released")
    assert entry.stake.status == "refunded"
    assert row_findings() == ()
