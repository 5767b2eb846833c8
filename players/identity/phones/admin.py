"""Mobile numbers that several players have given: staff tell two of them apart."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from core.admin.edit_pages import action_on_each
from core.admin.read_only import ReadOnlyAdmin
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import masked, readable_number, tell_apart


@admin.register(PhoneNumber)
class PhoneNumberAdmin(ReadOnlyAdmin, ModelAdmin):
    """Numbers are masked; nobody changes or removes one but its player."""

    list_display = ("player", "number", "given_at", "proved_at", "replaced_at", "told_apart_at")
    list_filter = (("told_apart_at", admin.EmptyFieldListFilter),)
    list_select_related = ("player", "told_apart_by")
    search_fields = ("player__handle", "=player__public_id")
    fields = (
        "player",
        "number",
        "given_at",
        "proved_at",
        "replaced_at",
        "told_apart_at",
        "told_apart_by",
    )
    actions = ("tell_apart",)

    tell_apart = action_on_each(
        lambda row, by: tell_apart(number_id=row.pk, by=by),
        label="Another person than the excluded one, as their documents show",
        message="Told apart",
        permission="decide",
    )

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("players.decide_identitycheck")

    @admin.display(description="Mobile number")
    def number(self, row: PhoneNumber) -> str:
        return masked(readable_number(row)) or "-"
