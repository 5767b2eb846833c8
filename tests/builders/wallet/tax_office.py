"""Tax rates of other days, and past years, so that tests need not wait for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from itertools import count
from typing import Any

from django.db import connection, transaction
from moneyed import Money

from tests.builders.processes.logins import as_owner
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import (
    balances,
    fund,
    give_bonus,
    make_escrow,
    make_player,
    make_stake,
)
from wallet.audit import seals
from wallet.ledger.models import Account
from wallet.stakes import stakes
from wallet.tax.assessment import quote_withdrawal
from wallet.tax.invoices.models import Registration
from wallet.tax.models import TaxRate
from wallet.withdrawals import withdrawals

_numbers = count(1)
GSTIN = "29AABCP1234D1ZU"
# Printed on the invoices of a company outside India; the checksum is the same.
OFFSHORE_GSTIN = "9917SGP29001OST"
BACK_A_YEAR = """
    INSERT INTO wallet_bookedday (day, ended_at, boundary, closed_at)
    SELECT (booked_on - {0})::date, max(created_at) - {0}, 0, max(created_at) - {0}
    FROM wallet_transfer GROUP BY booked_on ON CONFLICT (day)
        DO UPDATE SET closed_at = greatest(wallet_bookedday.closed_at, excluded.closed_at);
    UPDATE wallet_transfer SET booked_on = booked_on - {0}, created_at = created_at - {0},
        effective_at = effective_at - {0};
    UPDATE wallet_entry SET booked_on = booked_on - {0};
    UPDATE wallet_transfer SET key = 'then:' || key WHERE kind = 'tax';
    -- The moment that was asked for is part of the fingerprint.
    UPDATE wallet_transfer AS t SET fingerprint = ledger_fingerprint(
        t.kind, e.stated, t.emptied, t.effective_at, t.reverses_id,
        t.document, t.document_id, t.game, t.deal)
    FROM (
        SELECT transfer_id,
            string_agg(account_id || ':' || amount_minor, ',' ORDER BY account_id) AS stated
        FROM wallet_entry GROUP BY transfer_id
    ) AS e
    WHERE e.transfer_id = t.id AND t.effective_at <> t.created_at;
    -- By way of another century: a year that has not moved yet may not meet one that has.
    UPDATE wallet_withholding SET year = year + 100;
    UPDATE wallet_withholding SET year = year - 100 - {1}, deducted_on = deducted_on - {0};
    UPDATE wallet_gstcharge SET charged_on = charged_on - {0};
    UPDATE wallet_stake SET closed_at = closed_at - {0};
    UPDATE wallet_stakepartchange SET booked_on = booked_on - {0};
    -- Nothing can be booked before today any more.
    INSERT INTO wallet_bookedday (day, ended_at, boundary, closed_at)
    SELECT ledger_last_ended_day(), ledger_now(), 0, ledger_now() ON CONFLICT (day) DO NOTHING;
"""
# Those of the tables above that keep versions.
WATCHED = (
    "wallet_bookedday",
    "wallet_withholding",
    "wallet_gstcharge",
    "wallet_stake",
    "wallet_stakepartchange",
)


@contextmanager
def unguarded(*, adopts: Sequence[str] = ()) -> Iterator[Any]:
    """Act as the owner with the guards switched off.

    What was written to the tables of `adopts` counts as if the services had written it.
    """
    with as_owner(), connection.cursor() as cursor:
        # Run the deferred checks on the state before.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET session_replication_role = replica")
        yield cursor
        cursor.execute("SET session_replication_role = DEFAULT")
        for table in adopts:
            cursor.execute("SELECT wallet_adopt(%s)", [table])


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def lay_down(tax, *, bps, treatment, starts_on=date(2026, 4, 1)):
    """Insert a rate that has already begun, which cannot be appended."""
    with unguarded(adopts=["wallet_taxrate"]):
        return TaxRate.objects.create(
            tax=tax,
            bps=bps,
            treatment=treatment,
            starts_on=starts_on,
            law="A law of the tests",
            added_by="tests",
        )


def operator_registration(**given):
    """Return the registration of an operator in Karnataka, not stored yet."""
    return Registration(
        **{
            "starts_on": "2020-01-01",
            "legal_name": "Khel Games Private Limited",
            "address": "1 MG Road, Bengaluru 560001",
            "state": "KA",
            "gstin": GSTIN,
            "goods_code": "9807",
            "invoice_prefix": "KG",
        }
        | given
    )


def no_gst():
    return lay_down("gst", bps=0, treatment="none")


def let_years_pass(years=1):
    """Move all that was booked so far back by whole years, as if it had happened then."""
    _move_back(f"interval '{years} years'", years)


def let_days_pass(days):
    """Move all that was booked so far back by days; what was withheld stays in its year."""
    _move_back(f"interval '{days} days'", 0)


def _move_back(interval, years):
    with unguarded(adopts=WATCHED) as cursor:
        cursor.execute(BACK_A_YEAR.format(interval, years))
    if not connection.in_atomic_block:
        seals.seal_ledger()  # Unsealed for years, it would be a difference.


def win(player, rupees):
    """Let a player win this much in a game that a bonus of one rupee let them enter."""
    give_bonus(player, Money(1, "INR"))
    escrow = make_escrow()
    lost = make_stake(escrow=escrow, entry=Money(rupees - 1, "INR"), rake_bps=0)
    entered = stakes.take_stake(
        player=player,
        escrow=escrow,
        entry=Money(1, "INR"),
        rake_bps=0,
        key=f"win:{next(_numbers)}",
        bonus_share_bps=10_000,
    )
    stakes.settle_game(
        escrow=escrow,
        stakes=[entered, lost],
        prizes=[(player, Money(rupees, "INR"))],
        key=f"finish:{escrow.pk}",
    )


def lose(player, rupees):
    """Let a player lose this amount of their own money to another player."""
    escrow = make_escrow()
    winner = make_stake(escrow=escrow, entry=Money(1, "INR"), rake_bps=0)
    stake = stakes.take_stake(
        player=player,
        escrow=escrow,
        entry=Money(rupees, "INR"),
        rake_bps=0,
        key=f"buyin:{escrow.pk}",
    )
    stakes.settle_game(
        escrow=escrow,
        stakes=[stake, winner],
        prizes=[(winner.player, Money(rupees + 1, "INR"))],
        key=f"finish:{escrow.pk}",
    )


def make_winner(*, deposit=0, winnings=0):
    player = make_player()
    fund(player)
    if deposit:
        fund(player, deposit=deposit * 100)
    if winnings:
        win(player, winnings)
    return player


def withdraw(player, rupees, *, tax=None):
    """Withdraw, agreeing to the tax quoted or to the one given."""
    amount = Money(rupees, "INR")
    agreed = (
        quote_withdrawal(player=player, amount=amount).tax if tax is None else Money(tax, "INR")
    )
    return withdrawals.request_withdrawal(
        player=player,
        amount=amount,
        payee=payee_for(player),
        requested_by=player,
        agreed_tax=agreed,
    )


def history_of_the_vector():
    """C 1000, B 34000, earlier withdrawals of 25000 with 2000 of them taxed (RB 11.4)."""
    player = make_winner(deposit=1000)
    let_years_pass()
    fund(player, deposit=22000_00)
    win(player, 2000)
    withdraw(player, 25000)
    fund(player, deposit=12000_00)
    win(player, 4000)
    return player


def send(withdrawal):
    """Bring a withdrawal into a file for the bank."""
    withdrawals.approve(withdrawal_id=withdrawal.pk, by=make_player(is_staff=True))
    withdrawals.send_to_bank(by=make_player(is_staff=True))
    withdrawal.refresh_from_db()
    return withdrawal


def give_back(withdrawal, way_back="reject"):
    if way_back == "mark_failed":
        send(withdrawal)
    clerk = make_player(is_staff=True)
    getattr(withdrawals, way_back)(withdrawal_id=withdrawal.pk, by=clerk, remark="because")


def deposit_money(deposit):
    """Return what wallet, tax, suspense and clearing hold."""
    operators = {
        kind: Account.objects.filter(kind=kind, currency="INR", player=None)
        for kind in ("gst_payable", "suspense", "gateway_clearing")
    }
    sums = {k: sum(a.balance_minor for a in found) for k, found in operators.items()}
    return [*balances(fund(deposit.player)["deposit"]), *sums.values()]
