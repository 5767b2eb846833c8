"""The admin of staff actions on tables: rulings, drains, and pairs of seats to review."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from core.admin.autocomplete import AutocompleteAdmin
from core.admin.edit_pages import CreateOnlyAdmin, ServiceAdmin, action_on_each, permitted
from core.admin.links import text_column
from players.accounts.models import User
from tables.integrity.moderation import reviews, rulings
from tables.integrity.moderation.models import Ruling
from tables.models.tables import Drain
from tables.play import drains
from tables.seats.models import ReviewFlag


class RulingForm(forms.ModelForm[Ruling]):
    """A void names the deal that was seen, because the next one may have begun meanwhile."""

    class Meta:
        model = Ruling
        fields = ("table", "kind", "deal", "reason")
        help_texts = {  # noqa: RUF012  The form's own declaration.
            "deal": gettext_lazy("The deal to be declared void."),
            "reason": gettext_lazy("Shown to players."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        deal = cleaned.get("deal")
        if cleaned.get("kind") == Ruling.Kind.CANCEL:
            if deal is not None:
                self.add_error(
                    "deal", gettext_lazy("Leave this empty: a game is cancelled as a whole.")
                )
        elif deal is None:
            self.add_error("deal", gettext_lazy("Choose the deal."))
        elif deal.table != cleaned.get("table"):
            self.add_error("deal", gettext_lazy("Choose a deal of this table."))
        return cleaned


@admin.register(Ruling)
class RulingAdmin(AutocompleteAdmin, CreateOnlyAdmin):
    """A ruling takes effect when saved; players see its reason."""

    is_previewed = True
    form = RulingForm
    fields = ("table", "kind", "deal", "reason")
    autocomplete_fields = ("table", "deal")
    list_display = ("table", "kind", "deal", "reason", "by", "at")
    list_filter = ("kind",)
    list_select_related = ("table", "deal", "by")
    date_hierarchy = "at"

    def save_by_action(self, row: Ruling, form: Any, by: User) -> Ruling:
        if row.deal_id is None:
            return rulings.cancel_game(table_id=row.table_id, by=by, reason=row.reason)
        return rulings.void_deal(deal_id=row.deal_id, by=by, reason=row.reason)


@admin.register(Drain)
class DrainAdmin(CreateOnlyAdmin):
    """Adding a drain stops new deals at all tables; lifting it resumes them."""

    fields = ("reason",)
    list_display = ("reason", "by", "at", "lifted_by", "lifted_at", "still_played")
    list_select_related = ("by", "lifted_by")
    actions = ("lift",)

    def save_by_action(self, row: Drain, form: Any, by: User) -> Drain:
        return drains.begin(by=by, reason=row.reason)

    has_lift_permission = permitted("tables.change_drain")

    lift = action_on_each(
        lambda drain, by: drains.lift(drain=drain, by=by),
        label=gettext_lazy("End maintenance mode"),
        message=gettext_lazy("Maintenance mode ended"),
        permission="lift",
    )

    @admin.display(description=gettext_lazy("Deals in progress"))
    def still_played(self, drain: Drain) -> str:
        return "-" if drain.lifted_at else str(drains.live_deals())


@admin.register(ReviewFlag)
class ReviewFlagAdmin(ServiceAdmin):
    """Pairs of one network or device at one table, for review; not an accusation."""

    list_display = ("table", "kind", "who", "beside", "at", "reviewed_by", "note")
    list_filter = ("kind", "reviewed_at")
    list_select_related = ("table", "seat__player", "other__player", "reviewed_by")
    search_fields = ("seat__player__handle", "other__player__handle", "=table__public_id")
    date_hierarchy = "at"
    fields = (
        "table",
        "kind",
        "who",
        "beside",
        "at",
        "together",
        "note",
        "reviewed_by",
        "reviewed_at",
    )
    readonly_fields = tuple(name for name in fields if name != "note")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_by_action(self, row: ReviewFlag, form: Any, by: User) -> ReviewFlag:
        return reviews.review_pair(flag_id=row.pk, by=by, note=row.note)

    who = text_column("seat.player.handle", gettext_lazy("Seat"))
    beside = text_column("other.player.handle", gettext_lazy("Beside"))

    @admin.display(description=gettext_lazy("Common deals"))
    def together(self, flag: ReviewFlag) -> str:
        """Return how often each of the two dropped in deals that the other won."""
        one, other = flag.seat.player, flag.other.player
        pair = reviews.pair_of(one.pk, other.pk)
        text = gettext(
            "%(deals)s deals together. %(one)s dropped in %(one_dropped_to_other)s of the"
            " %(other_won)s that %(other)s won; %(other)s in %(other_dropped_to_one)s of the"
            " %(one_won)s that %(one)s won."
        )
        return text % {**asdict(pair), "one": one.handle, "other": other.handle}
