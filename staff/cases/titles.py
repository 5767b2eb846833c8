"""The titles of cases: a sentence about what happened, with the people and the amount."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy

from players.cases.models import DataRequest
from tables.integrity.collusion.models import Finding
from tables.integrity.moderation.dispute_models import Dispute
from tables.manners.models import PlayerReport
from tables.seats.models import ReviewFlag
from wallet.deposits.models import StaffTask
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals.models import Withdrawal

COMPLAINTS: Final = {
    Dispute.Category.CARDS: gettext_lazy("%(player)s doubts the cards: %(deal)s"),
    Dispute.Category.CLOCK: gettext_lazy(
        "%(player)s reports the clock or the connection: %(deal)s"
    ),
    Dispute.Category.SCORE: gettext_lazy("%(player)s disputes the score: %(deal)s"),
    Dispute.Category.MONEY: gettext_lazy("%(player)s disputes the money: %(deal)s"),
    Dispute.Category.OTHER: gettext_lazy("%(player)s asks about a deal: %(deal)s"),
}
Kind = StaffTask.Kind
TASKS: Final[dict[str, Any]] = {
    Kind.OTHER_AMOUNT: gettext_lazy("Player paid another amount than ordered"),
    Kind.PAID_TWICE: gettext_lazy("Player charged twice"),
    Kind.UNKNOWN_ORDER: gettext_lazy("Payment for an unknown order"),
    Kind.NO_ACCOUNT: gettext_lazy("Payment by a player with a closed account"),
    Kind.SEAL_REFUSED: gettext_lazy("A transfer was changed and cannot be sealed"),
    Kind.SEALS_MISSING: gettext_lazy("Seals of the ledger are missing"),
    Kind.SEAL_LATE: gettext_lazy("A transfer was not sealed in time"),
    Kind.DISPUTE: gettext_lazy("Player disputes a payment at their bank"),
    Kind.OTHER_REPORT: gettext_lazy("The gateway's reports of a payment differ"),
    Kind.OTHER_RETURN: gettext_lazy("A refund does not match its payment"),
    Kind.SESSION_ENDED: gettext_lazy("A blocking database session was ended"),
}


def deal_text(dispute: Dispute) -> str:
    names = {"table": dispute.deal.table.name, "no": dispute.deal.no}
    return gettext("%(table)s, deal %(no)s") % names


def of_dispute(dispute: Dispute) -> str:
    return COMPLAINTS[Dispute.Category(dispute.category)] % {
        "player": dispute.seat.player,
        "deal": deal_text(dispute),
    }


def of_report(report: PlayerReport) -> str:
    names = {"player": report.reporter, "about": report.reported, "kind": report.get_kind_display()}
    return gettext("%(player)s reports %(about)s: %(kind)s") % names


def of_finding(finding: Finding) -> str:
    names = {"one": finding.one, "other": finding.other}
    return gettext("%(one)s and %(other)s may play for each other") % names


def of_flag(flag: ReviewFlag) -> str:
    names = {"one": flag.seat.player, "other": flag.other.player, "table": flag.table.name}
    if flag.kind == ReviewFlag.Kind.DEVICE:
        return gettext("%(one)s and %(other)s used one device at %(table)s") % names
    return gettext("%(one)s and %(other)s shared a network at %(table)s") % names


def of_withdrawal(withdrawal: Withdrawal) -> str:
    amount = as_text(withdrawal.amount)
    if withdrawal.status not in Withdrawal.PENDING:
        return gettext("Withdrawal of %(amount)s by %(player)s") % {
            "amount": amount,
            "player": withdrawal.player,
        }
    names = {"amount": amount, "player": withdrawal.player}
    if withdrawal.status == Withdrawal.Status.APPROVED:
        return gettext("%(player)s waits too long for the payment of %(amount)s") % names
    return gettext("%(player)s waits too long for a decision about %(amount)s") % names


def of_task(task: StaffTask) -> str:
    """Return what happened and the amount, if any, such as "Player charged twice: ₹280.00"."""
    happened = str(TASKS.get(task.kind, task.get_kind_display()))
    amount = amount_of(task)
    return f"{happened}: {amount}" if amount else happened


def amount_of(task: StaffTask) -> str:
    """Return the amount of a task's payment as text; empty without one.

    `held_minor` is the payment in suspense (`kinds.TASKS.rows`).
    """
    held = getattr(task, "held_minor", None)
    if held is not None:
        currency: str = getattr(task, "held_currency", "")
        return as_text(as_money(held, currency))
    event = task.event
    if event is None or event.amount_minor is None or not event.currency:
        return ""
    return as_text(as_money(event.amount_minor, event.currency))


def of_data_request(asked: DataRequest) -> str:
    return f"{asked.player}: {asked.get_about_display()}"
