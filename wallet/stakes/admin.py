"""Admin of stakes and their parts."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.links import link_column, link_to
from core.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from wallet.ledger.admin_columns import OfPlayer, amount_column
from wallet.stakes.models import Stake, StakePart


class StakePartInline(ReadOnlyInline):
    model = StakePart
    fields = ("position", "bucket", "bonus", "amount", "consumed", "returned")
    hide_title = True

    amount = amount_column("amount_minor", gettext_lazy("Amount"), currency="stake.currency")
    consumed = amount_column("consumed_minor", gettext_lazy("Used up"), currency="stake.currency")
    returned = amount_column("returned_minor", gettext_lazy("Returned"), currency="stake.currency")

    @admin.display(description=gettext_lazy("Bucket"))
    def bucket(self, part: StakePart) -> str:
        return link_to(part.account, part.account.get_kind_display())

    bonus = link_column("grant", gettext_lazy("Bonus"))


@admin.register(Stake)
class StakeAdmin(OfPlayer, ReadOnlyAdmin):
    list_display = ("id", "who", "game", "entry", "rake", "status", "created_at")
    list_filter = ("status", "escrow__currency")
    list_select_related = ("player", "escrow__player", "transfer")
    search_fields = ("player__handle", "escrow__ref", "transfer__key")
    date_hierarchy = "created_at"
    ordering = ("-id",)
    inlines = (StakePartInline,)
    fields = (
        "who",
        "game",
        "paid_by",
        "entry",
        "rake",
        "net",
        "status",
        "created_at",
        "closed_at",
    )

    entry = amount_column("entry_minor", gettext_lazy("Entry"))
    rake = amount_column("rake_minor", gettext_lazy("Rake"))
    net = amount_column("net_minor", gettext_lazy("Entry without rake"))
    game = link_column("escrow", gettext_lazy("Escrow"))
    paid_by = link_column("transfer", gettext_lazy("Paid by"))
