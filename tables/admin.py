"""Read-only admin of tables; cards that are still in play are never shown."""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy

from core.admin.links import link, preformatted
from core.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from players.limits.models import OwnLimit
from tables.integrity.collusion.admin import FindingAdmin, FindingDecisionAdmin
from tables.integrity.moderation.dispute_admin import DisputeAdmin
from tables.integrity.moderation.live_admin import live_view
from tables.integrity.moderation.models import Ruling
from tables.integrity.moderation.rulings_admin import DrainAdmin, ReviewFlagAdmin, RulingAdmin
from tables.lobby.table_templates.admin import TableTemplateAdmin
from tables.manners.admin import PlayerReportAdmin
from tables.models.deals import Deal, Move
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.settlement.models import Result
from tables.templatetags.table_text import DEAL_ENDINGS
from wallet.ledger.admin_columns import OfPlayer, amount_column, share_column
from wallet.ledger.money import as_money, as_text

__all__ = [
    "DisputeAdmin",
    "DrainAdmin",
    "FindingAdmin",
    "FindingDecisionAdmin",
    "PlayerReportAdmin",
    "ReviewFlagAdmin",
    "RulingAdmin",
    "TableTemplateAdmin",
]


class SeatInline(ReadOnlyInline):
    model = Seat
    fields = ("number", "player", "joined_at", "left_at")


class ScoreInline(ReadOnlyInline):
    model = Score
    fields = ("seat", "points", "how", "total_after", "arrangement")


class ResultInline(ReadOnlyInline):
    model = Result
    fields = ("place", "seat", "total", "won")

    won = amount_column("prize_minor", gettext_lazy("Prize"), currency="table.currency")


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "phase", "profile", "price", "deal_no", "due_at", "started_at")
    list_filter = ("phase", "currency", "template")
    search_fields = ("=public_id", "name", "seats__player__handle")
    list_select_related = ("profile",)
    inlines = (SeatInline, ResultInline)
    date_hierarchy = "created_at"
    exclude: ClassVar[list[str]] = ["entry_minor", "point_value_minor", "rake_bps"]
    readonly_fields = ("price", "point_value", "rake")

    price = amount_column("entry_minor", gettext_lazy("Entry"))
    point_value = amount_column("point_value_minor", gettext_lazy("Value of a point"))
    rake = share_column("rake_bps", gettext_lazy("Rake"))

    def get_urls(self) -> list[URLPattern]:
        live = self.admin_site.admin_view(live_view)
        return [path("live/", live, name="tables_table_live"), *super().get_urls()]


class EndingFilter(admin.SimpleListFilter):
    title, parameter_name = gettext_lazy("ending"), "ending"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(DEAL_ENDINGS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Deal]) -> QuerySet[Deal]:
        return queryset.filter(ending=self.value()) if self.value() else queryset


@admin.register(Deal)
class DealAdmin(ReadOnlyAdmin):
    list_display = (
        "__str__",
        "table",
        "no",
        "status",
        "ended",
        "started_at",
        "settled_at",
        "ruling",
    )
    list_filter = ("status", EndingFilter)
    search_fields = ("=public_id", "=table__public_id", "commitment")
    list_select_related = ("table",)
    inlines = (ScoreInline,)

    exclude: ClassVar[list[str]] = ["ending"]
    readonly_fields = ("ended",)

    @admin.display(description=gettext_lazy("Ending"), ordering="ending")
    def ended(self, deal: Deal) -> str:
        return str(DEAL_ENDINGS.get(deal.ending, deal.ending or "-"))

    @admin.display(description=gettext_lazy("Ruling"))
    def ruling(self, deal: Deal) -> str:
        """Link to the form that declares this deal void, while it is played."""
        if deal.status not in (Deal.Status.PLAYING, Deal.Status.ENDED):
            return "-"
        said = urlencode({"table": deal.table_id, "deal": deal.pk, "kind": Ruling.Kind.VOID})
        url = reverse("admin:tables_ruling_add")
        return link(f"{url}?{said}", gettext("Declare void"))


@admin.register(Move)
class MoveAdmin(ReadOnlyAdmin):
    """Moves of settled deals: earlier, a show or a grouping may name a card not yet revealed."""

    list_display = ("deal", "ply", "seat", "text", "origin", "version", "made_at")
    list_filter = ("origin",)
    search_fields = ("=deal__public_id", "=deal__table__public_id")
    list_select_related = ("deal__table", "seat__table")
    exclude: ClassVar[list[str]] = ["move_id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Move]:
        moves: QuerySet[Move] = super().get_queryset(request)
        return moves.filter(deal__status__in=[Deal.Status.SETTLED, Deal.Status.VOID])


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("deal", "seat", "points", "how", "total_after", "arrangement")
    list_filter = ("how",)
    search_fields = ("=deal__public_id", "=deal__table__public_id", "seat__player__handle")
    list_select_related = ("deal__table", "seat__table")
    exclude: ClassVar[list[str]] = ["won_minor"]
    readonly_fields = ("won",)

    won = amount_column("won_minor", gettext_lazy("Won or lost"), currency="deal.table.currency")


@admin.register(Elimination)
class EliminationAdmin(ReadOnlyAdmin):
    list_display = ("seat", "deal", "total", "at", "rejoined_at")
    list_select_related = ("seat__table", "deal__table")


@admin.register(RuleProfile)
class RuleProfileAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "sha256", "created_at")
    search_fields = ("name", "=sha256")
    exclude: ClassVar[list[str]] = ["text"]
    readonly_fields = ("rules",)

    @admin.display(description=gettext_lazy("Rules"))
    def rules(self, profile: RuleProfile) -> str:
        return preformatted(profile.text)


@admin.register(OwnLimit)
class OwnLimitAdmin(OfPlayer, ReadOnlyAdmin):
    """Players' own limits, change by change; here because their amounts are the wallet's."""

    list_display = ("id", "who", "kind", "period", "figure", "asked_at", "applies_at")
    list_filter = ("kind", "period", "currency")
    list_select_related = ("player",)
    search_fields = ("=player__public_id", "player__handle", "player__email")
    date_hierarchy = "asked_at"
    fields = ("who", "kind", "period", "figure", "asked_at", "applies_at")

    @admin.display(description=gettext_lazy("Limit"), ordering="amount_minor")
    def figure(self, limit: OwnLimit) -> str:
        if limit.amount_minor is not None:
            return as_text(as_money(limit.amount_minor, limit.currency))
        return gettext("no limit") if limit.number is None else str(limit.number)
