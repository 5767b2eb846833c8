"""Sample books: every kind of event once, made by the services, committed and sealed."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

from django.db import transaction
from django.utils import timezone
from moneyed import Money

from core import audit_log
from finance.closing.actions import close_days
from finance.matching.actions import keep_statement
from finance.matching.models import GatewayFile, GatewayLine
from finance.tokens import actions as finance_tokens
from players.limits.models import OwnLimit
from tables.integrity.moderation import rulings
from tables.seats import seating
from tests.builders.books.persons import persons
from tests.builders.books.settlements import ask_for, settled_line, settlement_file
from tests.builders.people.regions import region_open
from tests.builders.tables.points_tables import make_points_game, play_deal
from tests.builders.tables.pools import OUT, YES, agree, make_pool, nobody_rejoins, say, score
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.wallet.bonus_desk import RELEASE, give, join, rupees, settle
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import (
    BACK_A_YEAR,
    WATCHED,
    give_back,
    make_winner,
    send,
    unguarded,
    withdraw,
)
from tournaments.planning import opening
from wallet.audit import freezes, seals
from wallet.audit.models import SentHead, WithdrawalFreeze
from wallet.bonuses import play_points
from wallet.bonuses import requests as bonus_requests
from wallet.cashier import requests as idempotency
from wallet.corrections import adjustments
from wallet.deposits import limits as deposit_limits
from wallet.deposits import suspense
from wallet.deposits.models import StaffTask
from wallet.gateways.sandbox_page import FAILED, Sent
from wallet.gateways.settlements import approve_settlement
from wallet.stakes import stakes
from wallet.withdrawals import withdrawals

STATEMENT = b"date,text,amount\n2026-01-05,UTRSETL1,87.88\n"
HERE = {"country": "IN", "region": "KA"}


def make_sample_books() -> SimpleNamespace:
    """Create every kind of event once; return some of the people and rows."""
    with region_open("IN-KA"):
        _a_day_that_is_over()
        clerk, checker = (make_player(is_staff=True, **HERE) for _ in range(2))
        seals.seal_ledger()
        _money_in_and_out(clerk, checker)
        seals.seal_ledger()
        _bonuses_and_stakes(clerk, checker)
        seals.seal_ledger()
        _games(clerk)
        persons(clerk, checker)
        seals.seal_ledger()
        _site(clerk, checker)
    seals.seal_ledger()
    head = seals.seal_ledger() or seals.Seal.objects.latest_first()[:1]
    SentHead.objects.create(number=head[0].number, hash=head[0].hash, sent_to="https://heads")
    fund(make_player(**HERE), deposit=3_00)
    seals.seal_ledger()
    return SimpleNamespace(clerk=clerk, checker=checker)


def _a_day_that_is_over() -> None:
    fund(make_player(), deposit=9_00)
    with unguarded(adopts=WATCHED) as cursor:
        cursor.execute(BACK_A_YEAR.format("interval '1 day'", 0))
    close_days()


def _money_in_and_out(clerk, checker) -> None:
    paid, other = make_deposit(500), make_deposit(200)
    make_deposit(100)
    tell(paid, Sent())
    tell(other, Sent(FAILED), Sent(surplus_minor=-1_00))
    task = StaffTask.objects.get(deposit=other)
    suspense.place_payment(task_id=task.pk, by=clerk)
    tell(make_deposit(300), Sent(surplus_minor=5_00))
    idempotency.answer_once(
        player=paid.player,
        route="deposits",
        key="lived-in",
        asked=b"{}",
        act=lambda: {"amount": "5.00"},
    )
    deposit_limits.set_limit(
        player=paid.player,
        period=OwnLimit.Period.DAY,
        currency="INR",
        amount=rupees(900),
        is_proved=True,
    )

    player = make_winner(deposit=500, winnings=1000)
    out = send(withdraw(player, 700))
    withdrawals.mark_paid(withdrawal_id=out.pk, by=make_player(is_staff=True), remark="UTR 1")
    give_back(withdraw(player, 50))
    withdraw(player, 20)

    source, target = fund(player)["winnings"], fund(make_player(**HERE))["deposit"]
    for decide in (adjustments.approve_adjustment, adjustments.reject_adjustment):
        asked = adjustments.request_adjustment(
            source=source, target=target, amount=Money(5, "INR"), reason="Paid twice", by=clerk
        )
        decide(adjustment=asked, by=checker)
    freezes.freeze_account(account=target, reason="A court's order", by=clerk)
    freezes.thaw_account(account=target, reason="The order is lifted", by=checker)
    freezes.freeze_account(account=source, reason="A court's order", by=clerk)


def _bonuses_and_stakes(clerk, checker) -> None:
    asked = bonus_requests.request_bonus(
        player=make_player(**HERE),
        amount=rupees(50),
        mode="spend",
        term_days=30,
        reason="Diwali",
        by=clerk,
    )
    bonus_requests.approve_bonus(request=asked, by=checker)
    player, rival = make_player(**HERE), make_player(**HERE)
    for one in (player, rival):
        fund(one, deposit=900_00)
    give(player, 50)
    give(player, 80, mode=RELEASE, release_bps=1_000)
    won, called_off, live = (join(player, rake_bps=1_000) for _ in range(3))
    settle(won)
    stakes.return_stakes(stakes=[called_off], key="back:1")
    stakes.lose_stake(stake=join(rival, escrow=live.escrow, rake_bps=1_000))


def _games(clerk) -> None:
    pool = make_pool(players=6, entry_minor=100_00, rake_bps=1_000)
    score(pool, 0, 0, 0, 0, 0, OUT)
    say(pool, 6, YES)
    score(pool, 20, 55, 92, OUT, OUT, OUT)
    nobody_rejoins(pool)
    agree(pool, 3)

    points = make_points_game(players=3, rake_bps=1_000)
    play_deal(points, 0, 10, 30)
    seating.leave(seat_id=points.seats.order_by("number").last().pk)

    cancelled = make_pool(players=2, entry_minor=50_00)
    rulings.cancel_game(table_id=cancelled.pk, by=clerk, reason="A power cut")

    _, main, [used, _] = a_ticket()
    main.announce_hours = 24
    opening.change_template(template=main, by=clerk)
    register_with(used, main)
    play_points.refill_points(player=make_player())


def _site(clerk, checker) -> None:
    now = timezone.now()
    finance_tokens.create_token(
        name="Ledger", scopes=["journal"], created_by=clerk, expires_at=now + timedelta(days=9)
    )
    with transaction.atomic():
        file = GatewayFile.objects.create(
            provider="razorpay",
            shape="settlements",
            name="recon.csv",
            sha256="a" * 64,
            line_count=1,
            passed_over=0,
            staff=clerk,
        )
        audit_log.record(by=clerk, act="upload", row=file)
        GatewayLine.objects.create(
            file=file,
            number=1,
            what="payment",
            reference="setl_1",
            payment_reference="pay_1",
            currency="INR",
            amount_minor=500_00,
            at=now,
            day=now.date(),
        )
    settled = settlement_file(settled_line("pay_2", 90_00, fee=1_80, tax=32))
    [settlement] = ask_for(settled, by=clerk)
    approve_settlement(settlement_id=settlement.pk, by=checker)
    keep_statement(name="bank.csv", body=STATEMENT, uploaded_by=clerk)
    seals.seal_ledger()
    freezes.check_books()
    freeze = WithdrawalFreeze.objects.create(reason="A drill")
    freezes.clear_freeze(freeze=freeze, by=clerk)
    freezes.lift_freeze(freeze=freeze, by=checker)
