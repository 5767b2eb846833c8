"""Admin of holds by staff, regions, region changes, and doubts about players' locations."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from core.admin.edit_pages import MakerCheckerAdmin, approval, rejection
from core.admin.links import text_column
from core.admin.read_only import ReadOnlyAdmin
from core.clock import database_now
from players.accounts.models import User
from players.accounts.places import REGION_NAME_MAX, countries, place_name, region_code
from players.eligibility.hold_models import Hold
from players.eligibility.places import region_changes
from players.eligibility.places.models import Offer, PlaceDoubt, Region, RegionChange


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    """Read-only: holds are set and lifted on the player's page, with a reason."""

    list_display = ("__str__", "reason", "set_by", "set_at", "lifted_by", "lifted_at")
    list_filter = ("kind", ("lifted_at", admin.EmptyFieldListFilter))
    list_select_related = ("player", "set_by", "lifted_by")
    search_fields = ("player__handle", "=player__public_id")


# Fields of a row besides the place and its offer.
TERMS: Final = ("age_min", "withdrawal_needs_identity", "begins_at", "reason")


@admin.register(Region)
class RegionAdmin(ReadOnlyAdmin):
    """What is offered in each place. The latest row that has begun is in force."""

    list_display = ("__str__", "country", "region", "offer", *TERMS)
    list_filter = ("offer", "country")
    fields = ("country", "region", "offer", *TERMS, "change", "added_at")


class ChangeForm(forms.ModelForm[RegionChange]):
    class Meta:
        model = RegionChange
        fields = ("country", "region", "offer", *TERMS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["country"] = forms.ChoiceField(
            label=gettext_lazy("Country"), choices=countries(), widget=UnfoldAdminSelectWidget()
        )
        self.fields["region"] = forms.CharField(
            label=gettext_lazy("Region"),
            required=False,
            max_length=REGION_NAME_MAX,
            help_text=gettext_lazy(
                "A code of ISO 3166-2 (KA for IN-KA) or a name; empty for the whole country."
            ),
            widget=UnfoldAdminTextInputWidget(),
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        country, given = cleaned.get("country", ""), cleaned.get("region", "")
        if country and given:
            cleaned["region"] = region_code(country, given)
            if not cleaned["region"]:
                names = {"country": place_name(country), "region": given}
                said = gettext("%(country)s has no region %(region)s.") % names
                self.add_error("region", said)
        return cleaned

    def clean_begins_at(self) -> Any:
        begins = self.cleaned_data["begins_at"]
        if begins < database_now():
            raise forms.ValidationError(gettext("Choose a time that is not in the past."))
        return begins


@admin.register(RegionChange)
class RegionChangeAdmin(MakerCheckerAdmin):
    """One member of staff requests a change of the offer in a place, another decides."""

    form = ChangeForm
    fields = ("country", "region", "offer", *TERMS)
    list_display = ("__str__", "begins_at", "reason", *MakerCheckerAdmin.DECISION[:4])
    checked_with = "players.add_regionchange"

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {
            "begins_at": database_now() + timedelta(minutes=10),
            "withdrawal_needs_identity": True,
        }

    def save_by_action(self, row: RegionChange, form: Any, by: User) -> RegionChange:
        return region_changes.request_change(
            country=row.country,
            region=row.region,
            offer=Offer(row.offer),
            age_min=row.age_min,
            withdrawal_needs_identity=row.withdrawal_needs_identity,
            begins_at=row.begins_at,
            reason=row.reason,
            by=by,
        )

    approve = approval(lambda change, by: region_changes.approve_change(change_id=change.pk, by=by))
    reject = rejection(lambda change, by: region_changes.reject_change(change_id=change.pk, by=by))


@admin.register(PlaceDoubt)
class PlaceDoubtAdmin(ReadOnlyAdmin):
    """Read-only: doubts are settled on the player's page."""

    list_display = (
        *("player", "kind", "lives_in", "seen_in"),
        *("noticed_at", "settlement", "settled_at"),
    )
    list_filter = ("kind", "settlement", ("settled_at", admin.EmptyFieldListFilter))
    list_select_related = ("player", "settled_by")
    search_fields = ("player__handle", "=player__public_id")
    fields = (*list_display, "settled_by", "reason")

    lives_in = text_column("declared", gettext_lazy("Declared place"))
    seen_in = text_column("seen", gettext_lazy("Place of the connection"))
