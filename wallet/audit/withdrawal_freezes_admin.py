"""Admin of withdrawal freezes."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.edit_pages import action_on_each
from core.admin.read_only import ReadOnlyAdmin
from wallet.audit import withdrawal_freezes
from wallet.ledger.safeguard_models import WithdrawalFreeze


@admin.register(WithdrawalFreeze)
class WithdrawalFreezeAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("reason", "frozen_at", "cleared_by", "lifted_at", "lifted_by")
    date_hierarchy = "frozen_at"
    actions = ("clear", "lift")

    def has_lift_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("wallet.change_withdrawalfreeze")

    clear = action_on_each(
        lambda freeze, by: withdrawal_freezes.clear_freeze(freeze=freeze, by=by),
        label=gettext_lazy("Clear: the ledger is right"),
        message=gettext_lazy("Cleared; another person must lift it"),
        permission="lift",
    )

    lift = action_on_each(
        lambda freeze, by: withdrawal_freezes.lift_freeze(freeze=freeze, by=by),
        label=gettext_lazy("Lift a freeze that another person cleared"),
        message=gettext_lazy("Lifted; withdrawals are possible again"),
        permission="lift",
    )
