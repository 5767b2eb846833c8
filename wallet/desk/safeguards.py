"""Freezes of withdrawals in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.read_only import LookOnly
from core.admin.staff_pages import do_to_each
from wallet.audit import withdrawal_stop as withdrawals
from wallet.ledger.safeguard_models import WithdrawalFreeze


@admin.register(WithdrawalFreeze)
class WithdrawalFreezeAdmin(LookOnly, ModelAdmin):
    list_display = ("reason", "frozen_at", "cleared_by", "lifted_at", "lifted_by")
    date_hierarchy = "frozen_at"
    actions = ("clear", "lift")

    def has_lift_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("wallet.change_withdrawalfreeze")

    @admin.action(description=gettext_lazy("The books are right: clear"), permissions=["lift"])
    def clear(self, request: HttpRequest, freezes: QuerySet[WithdrawalFreeze]) -> None:
        do_to_each(
            request,
            freezes,
            lambda freeze, by: withdrawals.clear_freeze(freeze=freeze, by=by),
            said=gettext("Cleared; another person lifts it"),
        )

    @admin.action(
        description=gettext_lazy("Cleared by another: let money leave again"), permissions=["lift"]
    )
    def lift(self, request: HttpRequest, freezes: QuerySet[WithdrawalFreeze]) -> None:
        do_to_each(
            request,
            freezes,
            lambda freeze, by: withdrawals.lift_freeze(freeze=freeze, by=by),
            said=gettext("Lifted; money leaves again"),
        )
