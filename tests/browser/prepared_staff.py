"""For a running site: create members of staff, and a player whose requests they decide.

Returns the e-mail addresses, of staff first; all have the same password.
"""

from __future__ import annotations

import json
import secrets
from datetime import date
from typing import Any

# A day that is over, on which nothing was booked.
YESTERDAY = """
    INSERT INTO wallet_bookedday (day, ended_at, boundary, closed_at)
    SELECT ledger_last_ended_day(), ledger_now(), 0, ledger_now() ON CONFLICT (day) DO NOTHING
"""


# The site's audit stops withdrawals once it has found a deal that a test scored without its moves.
NOTHING_FROZEN = """
    UPDATE wallet_withdrawalfreeze
    SET lifted_at = ledger_now(), lifted_by = 'a test', cleared_by = 'another'
    WHERE lifted_at IS NULL
"""


def main(kind: str, password: str) -> str:
    mark = secrets.token_hex(3)

    def named(name: str) -> dict[str, Any]:
        handle = f"{name}_{mark}"
        return {"handle": handle, "email": f"{handle}@example.com", "password": password}

    prepare = {
        "bank": bank,
        "case": case,
        "correction": correction,
        "payment": payment,
        "rows": rows,
        "withdrawal": withdrawal,
    }[kind]
    return prepare(named)


def bank(named: Any) -> str:
    """Prepare a payout sent to the bank, and a closed day: JSON of clerk, payout and day."""
    from finance.closing.actions import close_days
    from finance.reports.frame.models import DailyClose
    from players.accounts.models import User
    from tests.builders.wallet.tax_office import unguarded
    from wallet.withdrawals import withdrawals
    from wallet.withdrawals.models import Withdrawal

    clerk, checker, sender, player = withdrawal(named).split()
    people = {one.email: one for one in User.objects.filter(email__in=[checker, sender])}
    asked = Withdrawal.objects.get(player__email=player)
    withdrawals.approve(withdrawal_id=asked.pk, by=people[checker])
    withdrawals.send_to_bank(by=people[sender])
    with unguarded(adopts=["wallet_bookedday"]) as cursor:
        cursor.execute(YESTERDAY)
    close_days()
    day = DailyClose.objects.latest("day").day
    payout = Withdrawal.objects.with_short_reference().get(pk=asked.pk).short_reference
    return json.dumps({"clerk": clerk, "payout": payout, "day": f"{day:%d/%m/%y}"})


def case(named: Any) -> str:
    """Prepare a member of support, and a player with a dispute about a deal: its key."""
    from tests.builders.staff.people import hire
    from tests.builders.tables.disputes import complain, played_deal

    support, dispute = hire("Support", **named("support")), complain(played_deal())
    player = dispute.seat.player
    player.email = named("complainant")["email"]
    player.set_password(named("complainant")["password"])
    player.save()
    return f"{support.email} {player.email} {dispute.pk}"


def correction(named: Any) -> str:
    """Prepare two of finance, and a player with 12.34 in winnings: their handle and key."""
    (maker, checker), player = _with_winnings(named, "12.34", "asker", "decider")
    return f"{maker.email} {checker.email} {player.handle} {player.pk}"


def payment(named: Any) -> str:
    """Prepare a superuser, and a player who paid 317 this month and asks about it.

    Returns the superuser's address, the player's handle, the key of the message, the order, and
    the player's key.
    """
    from moneyed import Money

    from players.cases.help_requests import write_to_support
    from tests.builders.wallet.cashier_desk import start_deposit, tell
    from tests.builders.wallet.players import create_user, verify_email
    from wallet.deposits.models import Deposit
    from wallet.gateways.sandbox_page import Sent
    from wallet.support.attachments import attachments_of

    boss = create_user(is_staff=True, is_superuser=True, **named("boss"))
    born = date(1990, 5, 12)
    player = create_user(country="IN", region="KA", birth_date=born, **named("payer"))
    verify_email(player)
    deposit = start_deposit(player=player, amount=Money(317, "INR"))
    tell(deposit, Sent())
    asked = write_to_support(
        player=player,
        email="",
        language="en",
        subject="Where is my deposit?",
        text="I paid today and cannot see it.",
        attached=attachments_of(player)[0],
    )
    order = Deposit.objects.get(pk=deposit.pk).order_reference
    return f"{boss.email} {player.handle} {asked.pk} {order} {player.pk}"


def rows(named: Any) -> str:
    """Prepare rows for lists that no other preparation fills, once for each site."""
    from tests.builders.books.persons import persons
    from tests.builders.books.settlements import ask_for, settled_line, settlement_file
    from tests.builders.staff.people import hire
    from wallet.audit import freezes
    from wallet.gateways.models import GatewaySettlement
    from wallet.ledger import accounts

    if GatewaySettlement.objects.filter(reference__startswith="setl_DGlQ").exists():
        return ""
    clerk, checker = (hire("Finance", **named(one)) for one in ("lister", "other"))
    lines = (
        settled_line(
            f"pay_{name}", 1_23_456_00, fee=2_46_912, tax=44_444, settlement=f"setl_{name}"
        )
        for name in ("DGlQ1Rj8os78Ec", "EJG3qKbvx9xfIW")
    )
    ask_for(settlement_file(*lines), by=clerk)
    people = persons(clerk, checker)
    account = accounts.open_player_accounts(player=people.known, currency="INR")["winnings"]
    freezes.freeze_account(account=account, reason="A court's order", by=clerk)
    return ""


def withdrawal(named: Any) -> str:
    """Prepare three of finance, the first of whom asked for a player's withdrawal."""
    from moneyed import Money

    from tests.builders.wallet.tax_office import unguarded
    from wallet.withdrawals import withdrawals
    from wallet.withdrawals.payees.actions import register_payee
    from wallet.withdrawals.payees.sealing import Payee

    with unguarded() as cursor:
        cursor.execute(NOTHING_FROZEN)
    staff, player = _with_winnings(named, "75", "maker", "checker", "payer")
    withdrawals.request_withdrawal(
        player=player,
        amount=Money(70, "INR"),
        payee=register_payee(player=player, payee=Payee("Asha Rao", "001234567890", "HDFC0001234")),
        requested_by=staff[0],
    )
    return " ".join(one.email for one in (*staff, player))


def _with_winnings(named: Any, amount: str, *staff: str) -> tuple[list[Any], Any]:
    """Hire people of finance, the first two of whom give a player winnings by a correction."""
    from moneyed import Money

    from players.accounts.models import User
    from tests.builders.staff.people import hire
    from wallet.corrections import adjustments
    from wallet.ledger import accounts
    from wallet.ledger.models import Account

    # New deposits are held for a day, so the money comes from a correction.
    people = [hire("Finance", **named(name)) for name in staff]
    player = User.objects.create_user(**named("payee"))
    won = adjustments.request_adjustment(
        source=accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR"),
        target=accounts.open_player_accounts(player=player, currency="INR")["winnings"],
        amount=Money(amount, "INR"),
        reason="Won before the books began",
        by=people[0],
    )
    adjustments.approve_adjustment(adjustment=won, by=people[1])
    return people, player
