"""The decisions offered on the page of a case, each with what it posts to the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from tables.integrity.moderation.dispute_models import Dispute
from wallet.deposits.payment_models import PaymentReturn
from wallet.ledger.models import Account
from wallet.ledger.money import as_money, as_text
from wallet.tax.arithmetic import taken_out_of
from wallet.withdrawals.models import Withdrawal


@dataclass(frozen=True)
class Choice:
    """One button: an action of the admin list of the case's rows, and what it posts.

    The action has the label, the permission and the preview of what is posted.
    """

    name: str
    # What the button does, as a sentence; for an open row.
    effect: Callable[[Any], str]
    # The label of the remark that it needs; empty for none.
    asks: Any = ""
    is_offered: Callable[[Any], bool] = lambda row: True
    # If the action's label is about several rows.
    label: Any = ""


@dataclass(frozen=True)
class Link:
    """A button that leads to the form of an action in another place.

    It is offered if `url` of the row is not empty.
    """

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


def _is_requested(withdrawal: Withdrawal) -> bool:
    return withdrawal.status == Withdrawal.Status.REQUESTED


def _compensation(dispute: Dispute) -> str:
    account = Account.objects.filter(
        player=dispute.seat.player_id,
        currency=dispute.deal.table.currency,
        kind=Account.Kind.DEPOSIT,
    ).first()
    asked = {"target": account.pk if account else "", "reason": gettext("Dispute")}
    return f"{reverse('admin:wallet_adjustment_add')}?{urlencode(asked)}"


def _page(row: Any) -> str:
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def _payment_return(task: Any) -> str:
    """Return the page of the refund or dispute that the gateway reported; empty for none."""
    event = task.event
    if event is None or not event.case_reference:
        return ""
    found = PaymentReturn.objects.filter(provider=event.provider, reference=event.case_reference)
    case = found.first()
    return _page(case) if case else ""


OF_TASKS: Final = (
    Choice("place", _placed, is_offered=_is_held),
    Choice(
        "send_back",
        _sent_back,
        asks=gettext_lazy("The gateway's reference of the refund"),
        is_offered=_is_held,
    ),
    Choice("done", _nothing, is_offered=lambda task: not _is_held(task)),
    Link(
        gettext_lazy("Open the refund or dispute"),
        gettext_lazy("Shows its payment and deposit, and what the gateway reported."),
        "wallet.view_paymentreturn",
        _payment_return,
    ),
)
OF_WITHDRAWALS: Final = (
    Choice("approve", _set_aside, is_offered=_is_requested, label=gettext_lazy("Approve")),
    Choice(
        "reject",
        _returned,
        asks=gettext_lazy("Reason, shown to the player"),
        is_offered=_is_requested,
    ),
)
OF_FLAGS: Final = (
    Link(
        gettext_lazy("Review the pair"),
        gettext_lazy("Posts nothing: the pair's deals and a note about it."),
        "tables.change_reviewflag",
        _page,
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
OF_REPORTS: Final = (
    Link(
        gettext_lazy("Decide the report"),
        gettext_lazy("Posts nothing: an outcome, which is sent to both, and a note for staff."),
        "tables.decide_playerreport",
        _page,
    ),
)
OF_FINDINGS: Final = (
    Link(
        gettext_lazy("Decide the finding"),
        gettext_lazy("Posts nothing yet: a second person confirms a forfeit."),
        "tables.view_finding",
        _page,
    ),
)
