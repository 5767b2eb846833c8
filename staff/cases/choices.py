"""The decisions offered on the page of a case, each with what it posts to the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from players.accounts.models import User
from tables.integrity.collusion.models import Finding
from tables.integrity.moderation import reviews
from tables.integrity.moderation.dispute_models import Dispute
from wallet.deposits import deposits, suspense
from wallet.ledger.models import Account
from wallet.ledger.money import as_money, as_text
from wallet.tax.arithmetic import taken_out_of
from wallet.withdrawals import withdrawals
from wallet.withdrawals.models import Withdrawal


@dataclass(frozen=True)
class Choice:
    """One button: its label, what it posts, and who may press it."""

    name: str
    label: Any
    # What the button does, as a sentence; for an open row.
    effect: Callable[[Any], str]
    permission: str
    act: Callable[[int, User, str], object]
    # The label of the text that it needs; empty for none.
    asks: Any = ""
    # Whether the exact entries are shown before they are posted.
    is_previewed: bool = False
    is_offered: Callable[[Any], bool] = lambda row: True


@dataclass(frozen=True)
class Link:
    """A button that leads to the form of an action in another place."""

    label: Any
    effect: Any
    permission: str
    url: Callable[[Any], str]


def _nothing(row: Any) -> str:
    return gettext("Posts nothing.")


def _held(task: Any) -> int:
    return task.held_minor or 0


def _is_held(task: Any) -> bool:
    return bool(task.deposit_id and _held(task))


def _placed(task: Any) -> str:
    """Return how the payment in suspense is split into credit and tax."""
    currency, bps = task.held_currency, task.deposit.gst_bps
    sums = taken_out_of(_held(task), bps) if bps else None
    names = {
        "paid": as_text(as_money(_held(task), currency)),
        "credited": as_text(as_money(sums.credited if sums else _held(task), currency)),
        "tax": as_text(as_money(sums.tax if sums else 0, currency)),
        "player": task.deposit.player,
    }
    return (
        gettext("Posts %(paid)s from suspense: %(credited)s to %(player)s, %(tax)s GST payable.")
        % names
    )


def _sent_back(task: Any) -> str:
    amount = as_text(as_money(_held(task), task.held_currency))
    return gettext("Posts %(amount)s from suspense to the gateway's account.") % {"amount": amount}


def _returned(withdrawal: Withdrawal) -> str:
    names = {"amount": as_text(withdrawal.amount), "player": withdrawal.player}
    return gettext("Posts %(amount)s back to the wallet of %(player)s.") % names


def _set_aside(withdrawal: Withdrawal) -> str:
    return gettext("Posts nothing: the money stays set aside until it is sent to the bank.")


def _compensation(dispute: Dispute) -> str:
    account = Account.objects.filter(
        player=dispute.seat.player_id,
        currency=dispute.deal.table.currency,
        kind=Account.Kind.DEPOSIT,
    ).first()
    asked = {"target": account.pk if account else "", "reason": gettext("Dispute")}
    return f"{reverse('admin:wallet_adjustment_add')}?{urlencode(asked)}"


def _finding_page(finding: Finding) -> str:
    return reverse("admin:tables_finding_change", args=[finding.pk])


OF_TASKS: Final = (
    Choice(
        "place",
        gettext_lazy("Credit the player"),
        _placed,
        "wallet.change_stafftask",
        lambda pk, by, text: suspense.place_payment(task_id=pk, by=by),
        is_previewed=True,
        is_offered=_is_held,
    ),
    Choice(
        "send_back",
        gettext_lazy("Record as sent back"),
        _sent_back,
        "wallet.change_stafftask",
        lambda pk, by, text: suspense.return_payment(task_id=pk, by=by, remark=text),
        asks=gettext_lazy("The gateway's reference of the refund"),
        is_previewed=True,
        is_offered=_is_held,
    ),
    Choice(
        "done",
        gettext_lazy("Finish the task"),
        _nothing,
        "wallet.change_stafftask",
        lambda pk, by, text: deposits.finish_task(task_id=pk, by=by),
        is_offered=lambda task: not _is_held(task),
    ),
)
OF_WITHDRAWALS: Final = (
    Choice(
        "approve",
        gettext_lazy("Approve"),
        _set_aside,
        "wallet.decide_withdrawal",
        lambda pk, by, text: withdrawals.approve(withdrawal_id=pk, by=by),
        is_offered=lambda row: row.status == Withdrawal.Status.REQUESTED,
    ),
    Choice(
        "reject",
        gettext_lazy("Reject"),
        _returned,
        "wallet.decide_withdrawal",
        lambda pk, by, text: withdrawals.reject(withdrawal_id=pk, by=by, remark=text),
        asks=gettext_lazy("Reason, shown to the player"),
        is_previewed=True,
        is_offered=lambda row: row.status == Withdrawal.Status.REQUESTED,
    ),
)
OF_FLAGS: Final = (
    Choice(
        "review",
        gettext_lazy("Save the review"),
        _nothing,
        "tables.change_reviewflag",
        lambda pk, by, text: reviews.review_pair(flag_id=pk, by=by, note=text),
        asks=gettext_lazy("Note about the pair"),
    ),
)
OF_DISPUTES: Final = (
    Link(
        gettext_lazy("Request a compensation"),
        gettext_lazy("Posts nothing yet: a second person approves the adjustment."),
        "wallet.add_adjustment",
        _compensation,
    ),
)
OF_FINDINGS: Final = (
    Link(
        gettext_lazy("Decide the finding"),
        gettext_lazy("Posts nothing yet: a second person confirms a forfeit."),
        "tables.view_finding",
        _finding_page,
    ),
)
