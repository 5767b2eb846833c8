"""Stakes and the buckets their parts came from."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline

from core.admin.links import link_to
from core.admin.read_only import ReadOnlyAdmin
from wallet.holdings.models import Stake, StakePart
from wallet.ledger.admin_columns import OfPlayer
from wallet.ledger.money import as_text


class StakePartInline(ReadOnlyAdmin, TabularInline):
    model = StakePart
    fields = ("position", "bucket", "bonus", "amount_minor", "consumed_minor", "returned_minor")
    readonly_fields = fields
    extra = 0
    hide_title = True

    @admin.display(description=gettext_lazy("Bucket"))
    def bucket(self, part: StakePart) -> str:
        return link_to(part.account, part.account.get_kind_display())

    @admin.display(description=gettext_lazy("Bonus"))
    def bonus(self, part: StakePart) -> str:
        return link_to(part.grant)


@admin.register(Stake)
class StakeAdmin(OfPlayer, ReadOnlyAdmin, ModelAdmin):
    list_display = ("id", "who", "game", "entry", "rake_minor", "status", "created_at")
    list_filter = ("status", "escrow__currency")
    list_select_related = ("player", "escrow", "transfer")
    search_fields = ("player__handle", "escrow__ref", "transfer__key")
    date_hierarchy = "created_at"
    ordering = ("-id",)
    show_full_result_count = False
    inlines = (StakePartInline,)
    fields = (
        *("who", "game", "paid_by", "entry", "rake_minor", "net_minor"),
        *("status", "created_at", "closed_at"),
    )

    @admin.display(description=gettext_lazy("Escrow"))
    def game(self, stake: Stake) -> str:
        return link_to(stake.escrow)

    @admin.display(description=gettext_lazy("Paid by"))
    def paid_by(self, stake: Stake) -> str:
        return link_to(stake.transfer)

    @admin.display(ordering="entry_minor")
    def entry(self, stake: Stake) -> str:
        return as_text(stake.entry)
