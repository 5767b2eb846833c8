"""The queues of pending work for staff, counted on the dashboard and in the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Min, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core.maker_checker import Checked
from players.accounts.models import User
from players.eligibility.places.models import RegionChange
from players.identity.models import IdentityCheck
from tables.integrity.collusion.models import Finding
from tables.integrity.moderation.dispute_models import Dispute
from tables.manners.models import PlayerReport
from tables.seats.models import ReviewFlag
from tournaments.planning.models import StaffAction, Tournament
from tournaments.prizes.models import TicketRefund
from wallet.audit.models import WithdrawalFreeze
from wallet.bonuses.models import BonusRequest
from wallet.corrections.models import Adjustment
from wallet.deposits.models import StaffTask
from wallet.deposits.payment_models import DepositTerm, PaymentReturn
from wallet.gateways.models import GatewaySettlement
from wallet.tax.residence_models import TaxResidence
from wallet.withdrawals.models import Withdrawal

PLAY, MONEY, PEOPLE, SYSTEM = "play", "money", "people", "system"


@dataclass(frozen=True, slots=True)
class Standing:
    """The number of rows in a queue, and since when the oldest waits."""

    number: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Queue:
    """Pending rows of one model, with the URL of their filtered admin list."""

    # The name on the dashboard; in the menu it is that of the list.
    label: Any
    # `<app>_<model>`, as in the admin's URL names.
    model: str
    query: str
    rows: Callable[[], QuerySet[Any]]
    # The field with the time from which a row waits.
    since: str
    group: str

    def is_for(self, user: User) -> bool:
        return user.has_perm(self.permission)

    @property
    def permission(self) -> str:
        app, _, model = self.model.partition("_")
        return f"{app}.view_{model}"

    @property
    def url(self) -> str:
        return f"{reverse(f'admin:{self.model}_changelist')}?{self.query}"

    def count(self) -> int:
        return self.rows().count()

    def standing(self) -> Standing:
        found = self.rows().order_by().aggregate(number=Count("pk"), since=Min(self.since))
        return Standing(**found)


def _requests(label: Any, model: type[Checked], group: str = MONEY) -> Queue:
    """Return the queue of requests that wait for a second person."""
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    rows = model.objects.undecided
    return Queue(label, name, "status__exact=requested", rows, "made_at", group)


def _withdrawals(label: Any, status: str, since: str) -> Queue:
    return Queue(
        label,
        "wallet_withdrawal",
        f"status__exact={status}",
        lambda: Withdrawal.objects.filter(status=status),
        since,
        MONEY,
    )


def _unconfirmed_aborts() -> QuerySet[StaffAction]:
    running = Tournament.State.RUNNING
    return StaffAction.objects.filter(done_at__isnull=True, tournament__state=running)


# The menu has one entry for both.
WITHDRAWALS: Final = (
    _withdrawals(_("Withdrawals to decide"), Withdrawal.Status.REQUESTED, "requested_at"),
    _withdrawals(_("Withdrawals to pay"), Withdrawal.Status.APPROVED, "decided_at"),
)
QUEUES: Final = (
    *WITHDRAWALS,
    _requests(_("Adjustments to decide"), Adjustment),
    _requests(_("Bonuses to decide"), BonusRequest),
    Queue(
        _("Tasks for staff"),
        "wallet_stafftask",
        "done_at__isempty=1",
        StaffTask.objects.undone,
        "created_at",
        MONEY,
    ),
    Queue(
        _("Payment refunds and disputes"),
        "wallet_paymentreturn",
        "status__in=open,checking",
        PaymentReturn.objects.unsettled,
        "opened_at",
        MONEY,
    ),
    _requests(_("Deposit terms to decide"), DepositTerm),
    _requests(_("Gateway settlements to decide"), GatewaySettlement),
    Queue(
        _("Tax residences to decide"),
        "wallet_taxresidence",
        "state__exact=declared",
        TaxResidence.objects.pending,
        "declared_at",
        PEOPLE,
    ),
    Queue(
        _("Documents to check"),
        "players_identitycheck",
        "state__exact=submitted",
        IdentityCheck.objects.waiting,
        "submitted_at",
        PEOPLE,
    ),
    _requests(_("Region changes to decide"), RegionChange, PEOPLE),
    _requests(_("Ticket refunds to decide"), TicketRefund, PLAY),
    Queue(
        _("Tournament aborts to confirm"),
        "tournaments_staffaction",
        "done_at__isnull=True",
        _unconfirmed_aborts,
        "asked_at",
        PLAY,
    ),
    Queue(
        _("Open disputes"),
        "tables_dispute",
        "status__in=open,assigned",
        Dispute.objects.pending,
        "opened_at",
        PLAY,
    ),
    Queue(
        _("Reports about players"),
        "tables_playerreport",
        "outcome__exact=",
        PlayerReport.objects.pending,
        "sent_at",
        PLAY,
    ),
    Queue(
        _("Pairs to review"),
        "tables_reviewflag",
        "reviewed_at__isnull=True",
        ReviewFlag.objects.unreviewed,
        "at",
        PLAY,
    ),
    Queue(
        _("Findings to decide"),
        "tables_finding",
        "status__exact=open",
        Finding.objects.undecided,
        "found_at",
        PLAY,
    ),
)
# In the menu only: the dashboard shows an active freeze among the figures of the ledger.
FREEZES: Final = Queue(
    _("Withdrawal freezes"),
    "wallet_withdrawalfreeze",
    "",
    WithdrawalFreeze.objects.active,
    "frozen_at",
    MONEY,
)
