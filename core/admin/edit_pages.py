"""Bases of admin pages that edit: refusals as messages, acts on many rows, create-only rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from core.texts import one_line, readable

# The most rows named in a message; more are counted.
NAMED_MAX = 5
APPROVE, APPROVED = gettext_lazy("Approve"), gettext_lazy("Approved")
REJECT, REJECTED = gettext_lazy("Reject"), gettext_lazy("Rejected")


@contextmanager
def refusals_as_messages(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a message on the next page; actions manage their own transactions."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")


def apply_to_each(
    request: HttpRequest,
    chosen: QuerySet[Any],
    action: Callable[[Any, Any], object],
    *,
    message: str,
) -> None:
    """Call an action for each selected row and report the rows that it succeeded for.

    Each call commits on its own; a refusal is shown and does not stop the others.
    """
    rows, done = list(chosen.order_by("pk")), []
    for row in rows:
        with refusals_as_messages(request):
            action(row, request.user)
            done.append(str(row))
    if done:
        names = "; ".join(done) if len(done) <= NAMED_MAX else f"{len(done)} of {len(rows)}"
        messages.success(request, f"{message}: {names}")


def action_on_each(
    action: Callable[[Any, Any], object], *, label: Any, message: Any, permission: str
) -> Callable[[Any, HttpRequest, QuerySet[Any]], None]:
    """Return an action of an admin page that is called for each selected row and the user.

    `label` and `message` are lazy translations; `permission` is as of `admin.action`.
    """

    @admin.action(description=label, permissions=[permission])
    def run(page: Any, request: HttpRequest, chosen: QuerySet[Any]) -> None:
        apply_to_each(request, chosen, action, message=str(message))

    return run


def action_with_remark(
    action: Callable[[Any, Any, str], object], *, label: Any, message: Any, permission: str
) -> Callable[[Any, HttpRequest, QuerySet[Any]], None]:
    """Return such an action that is given the remark of the page's action form, too."""

    @admin.action(description=label, permissions=[permission])
    def run(page: Any, request: HttpRequest, chosen: QuerySet[Any]) -> None:
        remark = request.POST.get("remark", "")
        apply_to_each(
            request, chosen, lambda row, by: action(row, by, remark), message=str(message)
        )

    return run


class ValidatedTextAdmin:
    """Mixin for a `ModelAdmin`: refuse control characters in text fields.

    Names are used in memos, subjects of e-mails and reports.
    """

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(  # type: ignore[misc]
            db_field, request, **kwargs
        )
        is_long = isinstance(db_field, models.TextField)
        # Choices and arrays have other form fields.
        is_text = is_long or isinstance(db_field, models.CharField)
        if is_text and isinstance(field, forms.CharField):
            field.validators = [*field.validators, readable if is_long else one_line]
        return field


class ServiceAdmin(ValidatedTextAdmin):
    """Forms are saved by an action in its own transaction, not in the admin's."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        with refusals_as_messages(request):
            shown: HttpResponse = self._changeform_view(  # type: ignore[attr-defined]
                request, object_id, form_url, extra_context
            )
            return shown
        return HttpResponseRedirect(request.get_full_path())


class NoChangeAdmin:
    """Rows are added and never changed or deleted."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CreateOnlyAdmin(NoChangeAdmin, ServiceAdmin):
    """Rows are added by an action and never changed or deleted."""


class CheckedAdmin:
    """What one person asked for and another decides here (`core.maker_checker.Checked`)."""

    # The permission to decide, with its app's label.
    checked_with: ClassVar[str]
    list_filter: ClassVar[Any] = ("status",)
    list_select_related: ClassVar[Any] = ("made_by", "checked_by")
    actions: ClassVar[Any] = ("approve", "reject")

    def has_check_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(self.checked_with)


class MakerCheckerAdmin(CheckedAdmin, CreateOnlyAdmin):
    """What one person asks for here and another decides."""


def approval(
    action: Callable[[Any, Any], object],
    *,
    label: Any = APPROVE,
    message: Any = APPROVED,
) -> Callable[[Any, HttpRequest, QuerySet[Any]], None]:
    """Return the action of a `CheckedAdmin` that approves."""
    return action_on_each(action, label=label, message=message, permission="check")


def rejection(
    action: Callable[[Any, Any], object],
) -> Callable[[Any, HttpRequest, QuerySet[Any]], None]:
    """Return the action of a `CheckedAdmin` that rejects."""
    return action_on_each(action, label=REJECT, message=REJECTED, permission="check")
