"""The audit page (trial balance, seals, all audit runs) and the withdrawal freezes."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from moneyed import Money

from core.admin.edit_pages import action_on_each, permitted
from core.admin.links import clipped_column
from core.admin.read_only import ReadOnlyAdmin
from wallet.audit import freezes
from wallet.audit.models import AuditRun, Seal, SentHead, WithdrawalFreeze
from wallet.audit.seals import missing_seals, unsealed
from wallet.ledger.admin_columns import actor_column
from wallet.ledger.money import as_money, as_text
from wallet.stakes.balances import TrialRow, trial_balance

SEALS_SHOWN = 5


@admin.register(AuditRun)
class AuditRunAdmin(ReadOnlyAdmin):
    list_display = ("ran_at", "kind", "differences", "transfers", "entries", "seconds")
    list_filter = ("kind",)
    list_before_template = "admin/wallet/ledger.html"
    date_hierarchy = "ran_at"

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        rows = trial_balance()
        books = {
            "trial_rows": [
                (row.currency, row.kind, row.accounts, as_text(row.balance)) for row in rows
            ],
            "trial_totals": _totals(rows),
            "last_audit": AuditRun.objects.first(),
            "standing": WithdrawalFreeze.objects.active().first(),
            "seals": Seal.objects.latest_first()[:SEALS_SHOWN],
            "unsealed": unsealed().count(),
            "missing_seals": missing_seals(),
            "sent_head": SentHead.objects.first(),
        }
        return super().changelist_view(request, (extra_context or {}) | books)


@admin.register(Seal)
class SealAdmin(ReadOnlyAdmin):
    list_display = (
        "number",
        "sealed_at",
        "transfer_count",
        "entry_count",
        "version_count",
        "sealed_hash",
    )
    search_fields = ("=hash", "=number")
    date_hierarchy = "sealed_at"

    sealed_hash = clipped_column("hash", gettext_lazy("Hash"))


def _totals(rows: list[TrialRow]) -> list[str]:
    """Return the totals as text; the audit reports any that are not zero."""
    sums: dict[str, Money] = {}
    for row in rows:
        sums[row.currency] = sums.get(row.currency, as_money(0, row.currency)) + row.balance
    return [as_text(total) for total in sums.values()]


@admin.register(WithdrawalFreeze)
class WithdrawalFreezeAdmin(ReadOnlyAdmin):
    list_display = ("reason", "frozen_at", "clearer", "lifted_at", "lifter")
    fields = ("reason", "findings", "frozen_at", "clearer", "lifted_at", "lifter")
    date_hierarchy = "frozen_at"
    actions = ("clear", "lift")

    clearer = actor_column("cleared_by", gettext_lazy("Cleared by"))
    lifter = actor_column("lifted_by", gettext_lazy("Lifted by"))

    has_lift_permission = permitted("wallet.change_withdrawalfreeze")

    clear = action_on_each(
        lambda freeze, by: freezes.clear_freeze(freeze=freeze, by=by),
        label=gettext_lazy("Clear: the ledger is right"),
        message=gettext_lazy("Cleared; another person must lift it"),
        permission="lift",
    )

    lift = action_on_each(
        lambda freeze, by: freezes.lift_freeze(freeze=freeze, by=by),
        label=gettext_lazy("Lift a freeze that another person cleared"),
        message=gettext_lazy("Lifted; withdrawals are possible again"),
        permission="lift",
    )
