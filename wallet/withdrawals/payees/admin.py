"""Admin of registered bank accounts."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy

from core.admin.links import link_to, link_to_list
from core.admin.read_only import ReadOnlyAdmin
from wallet.exceptions import PayeeUnreadable
from wallet.ledger.admin_columns import OfPlayer
from wallet.withdrawals.models import Withdrawal
from wallet.withdrawals.payees.models import RegisteredPayee
from wallet.withdrawals.payees.sealing import open_payee
from wallet.withdrawals.refusals import others_with

MOST_SHARING_SHOWN = 20


class OfPayee:
    """Columns about the bank account that `payee_of` returns for a row."""

    def payee_of(self, row: Withdrawal | RegisteredPayee) -> RegisteredPayee:
        return row if isinstance(row, RegisteredPayee) else row.payee

    @admin.display(description=gettext_lazy("Payee"))
    def payee_name(self, row: Withdrawal | RegisteredPayee) -> str:
        try:
            return open_payee(self.payee_of(row)).name
        except PayeeUnreadable as refusal:
            return str(refusal)

    @admin.display(description=gettext_lazy("Account also used by"))
    def also_of(self, row: Withdrawal | RegisteredPayee) -> str:
        others = others_with(self.payee_of(row))[:MOST_SHARING_SHOWN]
        return format_html_join(", ", "{}", ((link_to(player),) for player in others)) or "-"


@admin.register(RegisteredPayee)
class RegisteredPayeeAdmin(OfPayee, OfPlayer, ReadOnlyAdmin):
    """Read-only: players register and remove their accounts."""

    list_display = ("account", "who", "bank_state", "registered_at", "usable_from", "removed_at")
    list_filter = (("removed_at", admin.EmptyFieldListFilter),)
    list_select_related = ("player",)
    search_fields = ("=public_id", "=payee_hash", *OfPlayer.BY_PLAYER)
    date_hierarchy = "registered_at"
    fields = ("public_id", "account", "payee_name", "also_of", *list_display[1:], "withdrawals")

    @admin.display(description=gettext_lazy("Bank account"))
    def account(self, payee: RegisteredPayee) -> str:
        return str(payee)

    @admin.display(description=gettext_lazy("Bank merged into"))
    def bank_state(self, payee: RegisteredPayee) -> str:
        return f"{payee.merger.into_name} ({payee.merger.into})" if payee.merger else "-"

    @admin.display(description=gettext_lazy("Withdrawals"))
    def withdrawals(self, payee: RegisteredPayee) -> str:
        number = Withdrawal.objects.filter(payee=payee).count()
        return link_to_list(Withdrawal, str(number), payee__id__exact=payee.pk)
