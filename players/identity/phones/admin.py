"""Admin of mobile numbers: staff distinguish players who share a number."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.edit_pages import action_on_each, permitted
from core.admin.read_only import ReadOnlyAdmin
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import distinguish_player, masked, readable_number


@admin.register(PhoneNumber)
class PhoneNumberAdmin(ReadOnlyAdmin):
    """Numbers are masked and read-only; only the player changes or removes one."""

    list_display = ("player", "number", "given_at", "proved_at", "replaced_at", "distinguished_at")
    list_filter = (("distinguished_at", admin.EmptyFieldListFilter),)
    list_select_related = ("player", "distinguished_by")
    search_fields = ("player__handle", "=player__public_id")
    fields = (*list_display, "distinguished_by")
    actions = ("distinguish_player",)

    distinguish_player = action_on_each(
        lambda row, by: distinguish_player(number_id=row.pk, by=by),
        label=gettext_lazy("Not the excluded player, according to documents"),
        message=gettext_lazy("Distinguished"),
        permission="decide",
    )

    has_decide_permission = permitted("players.decide_identitycheck")

    @admin.display(description=gettext_lazy("Mobile number"))
    def number(self, row: PhoneNumber) -> str:
        return masked(readable_number(row)) or "-"
