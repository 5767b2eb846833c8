"""The admin of table templates: create, change, offer and withdraw."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin.edit_pages import ServiceAdmin, apply_to_each
from players.accounts.models import User
from tables.games import game_of
from tables.lobby.table_templates import actions as templates
from tables.lobby.table_templates.forms import GROUPS, OWN, TemplateForm
from tables.models.templates import TableTemplate
from tables.state.rules import rules_of, variant_of
from wallet.ledger.admin_columns import share_column
from wallet.ledger.money import as_money, as_text


@admin.register(TableTemplate)
class TableTemplateAdmin(ServiceAdmin):
    """Changes apply to tables opened later; running games of withdrawn templates are finished."""

    form = TemplateForm
    list_display = ("name", "variant", "seats", "price", "rake", "bots_fill", "is_offered")
    list_filter = ("is_offered", "bots_fill", "currency")
    list_select_related = ("profile",)
    search_fields = ("name", "slug")
    prepopulated_fields = {"slug": ("name",)}  # noqa: RUF012  Required by the admin.
    readonly_fields = ("thresholds",)
    actions = ("offer", "withdraw")
    fieldsets = (
        (None, {"fields": ("name", "slug", "base", "is_offered")}),
        (_("Practice"), {"fields": ("bots_fill", "bot_strength")}),
        (_("Seats and money"), {"fields": ("seats_min", "seats_max", "currency", "entry")}),
        (None, {"fields": ("point_value", "rake_bps", "same_network")}),
        (_("Own rules"), {"fields": tuple(OWN), "classes": ("collapse",)}),
        (_("Groups and losing hands"), {"fields": tuple(GROUPS), "classes": ("collapse",)}),
        (_("Thresholds from the rules"), {"fields": ("thresholds",)}),
    )

    rake = share_column("rake_bps", _("Rake"))

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Any]:
        return {} if obj else {"slug": ("name",)}

    def save_by_action(self, row: TableTemplate, form: Any, by: User) -> TableTemplate:
        return templates.change_template(template=row, rules=form.rules, by=by)

    @admin.display(description=_("Rules"))
    def variant(self, obj: TableTemplate) -> str:
        return variant_of(obj.profile)

    @admin.display(description=_("Seats"))
    def seats(self, obj: TableTemplate) -> str:
        return f"{obj.seats_min}-{obj.seats_max}"

    @admin.display(description=_("Entry or point"))
    def price(self, obj: TableTemplate) -> str:
        return as_text(as_money(game_of(obj.profile).price_minor(obj), obj.currency))

    @admin.display(description=_("Thresholds"))
    def thresholds(self, obj: TableTemplate) -> str:
        """The thresholds of the limit (RB 7.2, 7.3), or the limits of a stack."""
        if obj.pk is None:
            return str(_("Shown after saving the template."))
        return game_of(obj.profile).thresholds(rules_of(obj.profile), obj.entry)

    @admin.action(description=_("Offer in the lobby"), permissions=["change"])
    def offer(self, request: HttpRequest, queryset: QuerySet[TableTemplate]) -> None:
        self._set_offered(request, queryset, is_offered=True)

    @admin.action(description=_("Withdraw from the lobby"), permissions=["change"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[TableTemplate]) -> None:
        self._set_offered(request, queryset, is_offered=False)

    def _set_offered(
        self, request: HttpRequest, chosen: QuerySet[TableTemplate], *, is_offered: bool
    ) -> None:
        apply_to_each(
            request,
            chosen,
            lambda template, by: templates.set_offered(
                template_id=template.pk, is_offered=is_offered, by=by
            ),
            message=gettext("Offered") if is_offered else gettext("Withdrawn"),
        )
