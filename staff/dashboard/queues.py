"""The queues of pending work for staff, counted on the dashboard and in the menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from core.clock import database_now
from players.accounts.models import User
from players.eligibility.places.models import RegionChange
from tables.integrity.collusion.models import Finding
from tables.integrity.moderation.dispute_models import Dispute
from tables.seats.models import ReviewFlag
from tournaments.planning.models import StaffAction, Tournament
from tournaments.prizes.models import TicketRefund
from wallet.bonuses.models import BonusRequest
from wallet.corrections.models import Adjustment
from wallet.deposits.models import StaffTask
from wallet.deposits.payment_models import DepositTerm, PaymentReturn
from wallet.gateways.models import GatewaySettlement
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.tax.residence_models import TaxResidence
from wallet.withdrawals.models import Withdrawal


@dataclass(frozen=True, slots=True)
class Queue:
    """Pending rows of one model, with the URL of their filtered admin list."""

    label: Any
    # `<app>_<model>`, as in the admin's URL names.
    model: str
    query: str
    count: Callable[[], int]

    def is_for(self, user: User) -> bool:
        app, _, model = self.model.partition("_")
        return user.has_perm(f"{app}.view_{model}")

    @property
    def url(self) -> str:
        return f"{reverse(f'admin:{self.model}_changelist')}?{self.query}"

    def sees(self, request: HttpRequest) -> bool:
        return self.is_for(request.user)  # type: ignore[arg-type]

    def badge(self, request: HttpRequest) -> str:
        return gettext("%(n)s waiting") % {"n": self.count()}


ADJUSTMENTS: Final = Queue(
    gettext_lazy("Adjustments to decide"),
    "wallet_adjustment",
    "status__exact=requested",
    lambda: Adjustment.objects.undecided().count(),
)
BONUSES: Final = Queue(
    gettext_lazy("Bonuses to decide"),
    "wallet_bonusrequest",
    "status__exact=requested",
    lambda: BonusRequest.objects.undecided().count(),
)
TASKS: Final = Queue(
    gettext_lazy("Tasks for staff"),
    "wallet_stafftask",
    "done_at__isempty=1",
    lambda: StaffTask.objects.undone().count(),
)
RETURNS: Final = Queue(
    gettext_lazy("Payment refunds and disputes"),
    "wallet_paymentreturn",
    "status__in=open,checking",
    lambda: PaymentReturn.objects.unsettled().count(),
)
TERMS: Final = Queue(
    gettext_lazy("Deposit terms to decide"),
    "wallet_depositterm",
    "status__exact=requested",
    lambda: DepositTerm.objects.undecided().count(),
)
REGIONS: Final = Queue(
    gettext_lazy("Region changes to decide"),
    "players_regionchange",
    "status__exact=requested",
    lambda: RegionChange.objects.undecided().count(),
)
RESIDENCES: Final = Queue(
    gettext_lazy("Tax residences to decide"),
    "wallet_taxresidence",
    "state__exact=declared",
    lambda: TaxResidence.objects.pending().count(),
)
SETTLEMENTS: Final = Queue(
    gettext_lazy("Gateway settlements to decide"),
    "wallet_gatewaysettlement",
    "status__exact=requested",
    lambda: GatewaySettlement.objects.undecided().count(),
)
FREEZES: Final = Queue(
    gettext_lazy("Withdrawal freezes"),
    "wallet_withdrawalfreeze",
    "",
    lambda: WithdrawalFreeze.objects.active().count(),
)
REFUNDS: Final = Queue(
    gettext_lazy("Ticket refunds to decide"),
    "tournaments_ticketrefund",
    "status__exact=requested",
    lambda: TicketRefund.objects.undecided().count(),
)
ABORTS: Final = Queue(
    gettext_lazy("Tournament aborts to confirm"),
    "tournaments_staffaction",
    "done_at__isnull=True",
    lambda: StaffAction.objects.filter(
        done_at__isnull=True, tournament__state=Tournament.State.RUNNING
    ).count(),
)
DISPUTES: Final = Queue(
    gettext_lazy("Open disputes"),
    "tables_dispute",
    "status__in=open,assigned",
    lambda: Dispute.objects.pending().count(),
)
PAIRS: Final = Queue(
    gettext_lazy("Pairs to review"),
    "tables_reviewflag",
    "reviewed_at__isnull=True",
    lambda: ReviewFlag.objects.unreviewed().count(),
)
FINDINGS: Final = Queue(
    gettext_lazy("Findings to decide"),
    "tables_finding",
    "status__exact=open",
    lambda: Finding.objects.undecided().count(),
)
QUEUES: Final = (
    ADJUSTMENTS,
    BONUSES,
    TASKS,
    RETURNS,
    TERMS,
    SETTLEMENTS,
    REGIONS,
    RESIDENCES,
    REFUNDS,
    ABORTS,
    DISPUTES,
    PAIRS,
    FINDINGS,
)


def sees_withdrawals(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_withdrawal")


def withdrawals_badge(request: HttpRequest) -> str:
    """Return the number of pending withdrawals, and of overdue ones among them (RB 11.2)."""
    waiting = Withdrawal.objects.pending().count()
    late = Withdrawal.objects.overdue(database_now()).count()
    return gettext("%(n)s waiting, %(late)s late") % {"n": waiting, "late": late}


# Names used in `staff.admin_menu`.
adjustments_badge, sees_adjustments = ADJUSTMENTS.badge, ADJUSTMENTS.sees
bonuses_badge, sees_bonuses = BONUSES.badge, BONUSES.sees
tasks_badge, sees_tasks = TASKS.badge, TASKS.sees
returns_badge, sees_returns = RETURNS.badge, RETURNS.sees
terms_badge, sees_terms = TERMS.badge, TERMS.sees
settlements_badge, sees_settlements = SETTLEMENTS.badge, SETTLEMENTS.sees
regions_badge, sees_regions = REGIONS.badge, REGIONS.sees
residences_badge, sees_residences = RESIDENCES.badge, RESIDENCES.sees
freezes_badge, sees_freezes = FREEZES.badge, FREEZES.sees
refunds_badge, sees_refunds = REFUNDS.badge, REFUNDS.sees
aborts_badge, sees_aborts = ABORTS.badge, ABORTS.sees
disputes_badge, sees_disputes = DISPUTES.badge, DISPUTES.sees
pairs_badge, sees_pairs = PAIRS.badge, PAIRS.sees
findings_badge, sees_findings = FINDINGS.badge, FINDINGS.sees
