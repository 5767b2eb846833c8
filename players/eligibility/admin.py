"""Admin of holds by staff."""

from __future__ import annotations

from django.contrib import admin

from core.admin.read_only import ReadOnlyAdmin
from players.eligibility.hold_models import Hold


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    """Read-only: holds are set and lifted on the player's page, with a reason."""

    list_display = ("__str__", "reason", "set_by", "set_at", "lifted_by", "lifted_at")
    list_filter = ("kind", ("lifted_at", admin.EmptyFieldListFilter))
    list_select_related = ("player", "set_by", "lifted_by")
    search_fields = ("player__handle", "=player__public_id")
