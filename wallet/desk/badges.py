"""What waits for the cashier's staff, as figures beside the menu's words."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from wallet.corrections.models import Adjustment
from wallet.holdings.bonus_models import BonusRequest
from wallet.payments.models import StaffTask
from wallet.payments.withdrawal_models import Withdrawal


def late_withdrawals(request: HttpRequest) -> str:
    """Return how many withdrawals wait, and how many of them are overdue (RB 11.2)."""
    waiting = Withdrawal.objects.pending().count()
    late = Withdrawal.objects.overdue(timezone.now()).count()
    return gettext("%(n)s waiting, %(late)s late") % {"n": waiting, "late": late}


def undone_tasks(request: HttpRequest) -> str:
    return gettext("%(n)s to do") % {"n": StaffTask.objects.undone().count()}


def undecided_adjustments(request: HttpRequest) -> str:
    return gettext("%(n)s to decide") % {"n": Adjustment.objects.undecided().count()}


def undecided_bonuses(request: HttpRequest) -> str:
    return gettext("%(n)s to decide") % {"n": BonusRequest.objects.undecided().count()}


def sees_adjustments(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_adjustment")


def sees_bonuses(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_bonusrequest")


def sees_withdrawals(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_withdrawal")


def sees_tasks(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_stafftask")
