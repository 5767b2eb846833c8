"""What waits for the cashier's staff, as figures beside the menu's words."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from wallet.models import StaffTask, Withdrawal
from wallet.waiting import waiting_adjustments, waiting_bonus_requests


def late_withdrawals(request: HttpRequest) -> str:
    """Say how many withdrawals outlast what their players were promised (RB 11.2)."""
    return f"{Withdrawal.objects.overdue(timezone.now()).count()} late"


def undone_tasks(request: HttpRequest) -> str:
    return f"{StaffTask.objects.undone().count()} to do"


def undecided_adjustments(request: HttpRequest) -> str:
    return f"{waiting_adjustments()} to decide"


def undecided_bonuses(request: HttpRequest) -> str:
    return f"{waiting_bonus_requests()} to decide"


def sees_adjustments(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_adjustment")


def sees_bonuses(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_bonusrequest")


def sees_withdrawals(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_withdrawal")


def sees_tasks(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_stafftask")
