"""Admin of bonuses: requests and decisions, lots, and the liability report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy
from moneyed import Money
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminSelectWidget

from core.admin.autocomplete import AutocompleteAdmin
from core.admin.edit_pages import MakerCheckerAdmin, approval, rejection
from core.admin.links import link_column
from core.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from core.http.csv_stream import csv_response
from players.accounts.models import User
from wallet.bonuses import bonuses
from wallet.bonuses import liability as bonus_liability
from wallet.bonuses import requests as bonus_requests
from wallet.bonuses.models import BonusGrant, BonusMode, BonusMovement, BonusRequest
from wallet.ledger.admin_columns import (
    OfAmount,
    OfPlayer,
    amount_column,
    money_column,
    share_column,
)
from wallet.ledger.forms import FiguresField, ShareField
from wallet.ledger.money import BASIS_POINTS


def _currencies() -> list[tuple[str, str]]:
    return [(code, code) for code in settings.CASH_CURRENCIES]


class BonusRequestForm(forms.ModelForm[BonusRequest]):
    currency = forms.ChoiceField(
        label=gettext_lazy("Currency"), choices=_currencies, widget=UnfoldAdminSelectWidget()
    )
    amount = FiguresField(
        label=gettext_lazy("Amount"),
        max_digits=18,
        help_text=gettext_lazy("Above zero."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )

    release_bps = ShareField(
        label=gettext_lazy("Released of each entry"),
        required=False,
        help_text=gettext_lazy("Locked bonuses only, in percent; empty means 10."),
    )

    class Meta:
        model = BonusRequest
        fields = ("player", "currency", "mode", "release_bps", "term_days", "reason")
        help_texts = {  # noqa: RUF012
            "term_days": gettext_lazy("Counted from the approval."),
            "reason": gettext_lazy("Shown to the player."),
        }

    def clean(self) -> dict[str, Any]:
        asked = self.cleaned_data
        if asked.get("release_bps") is None:
            is_locked = asked.get("mode") == BonusMode.RELEASE
            asked["release_bps"] = bonuses.RELEASE_SHARE_BPS if is_locked else None
        elif asked.get("mode") == BonusMode.SPEND:
            self.add_error("release_bps", gettext("Only locked bonuses have a released share."))
        elif not 1 <= asked["release_bps"] <= BASIS_POINTS:
            self.add_error("release_bps", gettext("Enter a percentage above 0, up to 100."))
        return asked


@admin.register(BonusRequest)
class BonusRequestAdmin(AutocompleteAdmin, OfPlayer, OfAmount, MakerCheckerAdmin):
    form = BonusRequestForm
    autocomplete_fields = ("player",)
    asked = ("who", "figure", "mode", "term_days", "reason")
    list_display = ("id", *asked, "status", "made_by", "checked_by")
    list_filter = ("status", "mode")
    list_select_related = ("player", "made_by", "checked_by")
    search_fields = ("player__handle", "player__email", "reason")
    date_hierarchy = "made_at"

    def get_fields(self, request: HttpRequest, obj: BonusRequest | None = None) -> list[str]:
        if obj is None:
            return ["player", "currency", "amount", "mode", "release_bps", "term_days", "reason"]
        return [*self.asked, "release_share", *self.DECISION, "granted"]

    release_share = share_column("release_bps", gettext_lazy("Released of each entry"))

    def save_by_action(self, row: BonusRequest, form: Any, by: User) -> BonusRequest:
        asked = form.cleaned_data
        return bonus_requests.request_bonus(
            player=asked["player"],
            amount=Money(asked["amount"], asked["currency"]),
            mode=BonusMode(asked["mode"]),
            release_bps=asked["release_bps"],
            term_days=asked["term_days"],
            reason=asked["reason"],
            by=by,
        )

    approve = approval(
        lambda asked, by: bonus_requests.approve_bonus(request=asked, by=by),
        label=gettext_lazy("Approve and grant"),
        message=gettext_lazy("Approved and granted"),
        previewed=True,
    )

    reject = rejection(lambda asked, by: bonus_requests.reject_bonus(request=asked, by=by))

    granted = link_column("grant", gettext_lazy("Bonus"))


class BonusMovementInline(ReadOnlyInline):
    model = BonusMovement
    fields = ("moved_by", "figure")
    hide_title = True

    moved_by = link_column("transfer", gettext_lazy("Transfer"))

    figure = amount_column("amount_minor", gettext_lazy("Amount"), currency="grant.currency")


@admin.register(BonusGrant)
class BonusGrantAdmin(ReadOnlyAdmin):
    """Lots, below the operator's liability for them."""

    list_display = ("id", "who", "reason", "mode", "granted", "left", "granted_at", "expires_at")
    list_filter = ("mode", "account__currency")
    list_select_related = ("account__player",)
    search_fields = ("=public_id", "account__player__handle", "account__player__email", "reason")
    date_hierarchy = "expires_at"
    list_before_template = "admin/wallet/bonus_liability.html"
    inlines = (BonusMovementInline,)
    about = ("where", "release_share", "granted_by", "asked_for", "paid_by")
    fields = ("public_id", *list_display[1:], *about)

    release_share = share_column("release_bps", gettext_lazy("Released of each entry"))

    def get_urls(self) -> list[URLPattern]:
        file = self.admin_site.admin_view(self.file_view)
        return [path("liability.csv", file, name="bonus-liability"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        owed = {
            "liability_rows": bonus_liability.liability_by_month(),
            "liability_totals": bonus_liability.liability_totals(),
        }
        return super().changelist_view(request, (extra_context or {}) | owed)

    def file_view(self, request: HttpRequest) -> HttpResponseBase:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return csv_response(
            request,
            filename="bonus-liability.csv",
            columns=bonus_liability.COLUMNS,
            chunks=bonus_liability.liability_by_player(),
        )

    who = link_column("account.player", gettext_lazy("Player"), ordering="account__player__handle")
    where = link_column("account", gettext_lazy("Account"))
    granted = money_column("amount", gettext_lazy("Granted"), ordering="amount_minor")
    left = money_column("remaining", gettext_lazy("Left"), ordering="remaining_minor")

    asked_for = link_column("request", gettext_lazy("Request"))
    paid_by = link_column("transfer", gettext_lazy("Transfer"))
