"""What limits players have set on their deposits, act by act."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.read_only import ReadOnlyAdmin
from wallet.deposits.models import DepositLimit
from wallet.ledger.admin_columns import OfPlayer
from wallet.ledger.money import as_text


@admin.register(DepositLimit)
class DepositLimitAdmin(OfPlayer, ReadOnlyAdmin, ModelAdmin):
    list_display = ("id", "who", "period", "figure", "asked_at", "applies_at")
    list_filter = ("period", "currency")
    list_select_related = ("player",)
    search_fields = ("=player__public_id", "player__handle", "player__email")
    date_hierarchy = "asked_at"
    show_full_result_count = False
    fields = ("who", "period", "figure", "asked_at", "applies_at")

    @admin.display(description=gettext_lazy("At most"), ordering="amount_minor")
    def figure(self, act: DepositLimit) -> str:
        return "no limit of their own" if act.amount is None else as_text(act.amount)
