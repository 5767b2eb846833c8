"""Read-only pages of the admin, and lists of rows within them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline
from unfold.views import ChangeList

from core.admin.dates import DatedLists
from core.audit_log import SECRETS

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as DjangoModelAdmin

    Base = DjangoModelAdmin[Any]
else:
    Base = object


class ProtectedLookups(Base):
    """Mixin for an admin page that refuses lookups on secret columns.

    With `?session_key__startswith=a` a user of the list could guess a key letter by letter.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        if not SECRETS.isdisjoint(lookup.split("__")):
            return False
        return bool(super().lookup_allowed(lookup, value, request))  # type: ignore[arg-type]


class NoChange:
    """Mixin for an admin page without changing and deleting, for superusers too."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(NoChange, ProtectedLookups):
    """Mixin for an admin page on which rows cannot be added, changed or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class OnceCountedList(ChangeList):
    """A list that offers "Show all" only if it is filtered or searched."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.get_filters_params() and not self.query:
            self.full_result_count = self.result_count


class ReadOnlyAdmin(ReadOnly, DatedLists, ModelAdmin):
    """A list of rows and a page of each; `fields` may name columns of the class."""

    # Counting all rows of a filtered list is slow in large tables.
    show_full_result_count = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return OnceCountedList


class ReadOnlyInline(ReadOnly, TabularInline):
    """Rows within the page of another row; `fields` may name columns of the class."""

    extra = 0

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.get_fields(request, obj)
