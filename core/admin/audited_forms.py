"""Admin forms whose changes are written to the audit log, in the admin's transaction."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from core import audit_log
from core.admin.edit_pages import EditableAdmin


class AuditedAdmin(EditableAdmin):
    """An admin page that writes audit entries for rows added, changed and deleted."""

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        row = super().save_form(request, form, change)
        form.facts_before = None
        if change:  # The form has changed the instance; the database still has the old row.
            stored = type(row)._base_manager.get(pk=row.pk)
            form.facts_before = audit_log.facts_with_links(stored)
        return row

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        row = type(form.instance)._base_manager.get(pk=form.instance.pk)
        after = audit_log.facts_with_links(row)
        if form.facts_before == after:
            return
        audit_log.record(
            by=cast(AbstractBaseUser, request.user),
            act="change" if change else "add",
            row=row,
            before=form.facts_before,
            after=after,
            about=row if isinstance(row, get_user_model()) else None,
        )

    def delete_model(self, request: HttpRequest, obj: models.Model) -> None:
        self._record_deletion(request, obj)
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[models.Model]) -> None:
        for row in queryset:
            self._record_deletion(request, row)
        super().delete_queryset(request, queryset)

    def _record_deletion(self, request: HttpRequest, row: models.Model) -> None:
        by, before = cast(AbstractBaseUser, request.user), audit_log.facts_with_links(row)
        audit_log.record(by=by, act="delete", row=row, before=before, after={})
