"""Bases of admin pages that edit: refusals as messages, bulk actions, create-only rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_permission_codename
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.dates import DatedLists
from core.admin.previews import Preview, is_agreed, moved_now, preview, preview_page, rolled_back
from core.admin.read_only import NoChange, OnceCountedList
from core.exceptions import Refusal
from core.text_validation import one_line, readable

# The database constraints on dates allow these years.
FIRST_YEAR, LAST_YEAR = 1000, 8999
# The most rows that a message names; further ones are counted.
NAMED_MAX = 5
APPROVE, APPROVED = gettext_lazy("Approve"), gettext_lazy("Approved")
AdminAction = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]
REJECT, REJECTED = gettext_lazy("Reject"), gettext_lazy("Rejected")


@contextmanager
def refusals_as_messages(request: HttpRequest, *, of: Any = None) -> Iterator[None]:
    """Show a refusal as a message on the next page; actions manage their own transactions.

    `of` is the refused row, which the message names if there are others.
    """
    try:
        yield
    except Refusal as refusal:
        said = f"{refusal} ({refusal.code})"
        messages.error(request, said if of is None else f"{of}: {said}")


def apply_to_each(
    request: HttpRequest,
    chosen: QuerySet[Any],
    action: Callable[[Any, Any], object],
    *,
    message: str,
    previewed: bool = False,
) -> HttpResponse | None:
    """Call an action for each selected row and report the rows for which it succeeded.

    Each call commits separately; a refusal is shown and does not stop the others. A previewed
    action first shows its postings and then posts exactly these.
    """
    rows, done = list(chosen.order_by("pk")), []
    if previewed and (page := _preview_first(request, rows, action)):
        return page
    for row in rows:
        with refusals_as_messages(request, of=row if len(rows) > 1 else None):
            action(row, request.user)
            done.append(str(row))
    if done:
        count = gettext("%(done)s of %(all)s") % {"done": len(done), "all": len(rows)}
        names = "; ".join(done) if len(done) <= NAMED_MAX else count
        messages.success(request, f"{message}: {names}")
    return None


def _preview_first(
    request: HttpRequest, rows: list[Any], action: Callable[[Any, Any], object]
) -> HttpResponse | None:
    """Return the preview page; None if nothing would be posted or the preview was confirmed."""
    previews = []
    for row in rows:
        with suppress(Refusal):  # The refusal is shown when the action runs.
            previews.append(preview(row, partial(action, row, request.user)))
    if not any(each.lines for each in previews) or is_agreed(request, previews):
        return None
    return preview_page(request, previews)


def action_on_each(
    action: Callable[[Any, Any], object],
    *,
    label: Any,
    message: Any,
    permission: str,
    previewed: bool = False,
) -> AdminAction:
    """Return an admin action that calls a function for each selected row and the user.

    `label` and `message` are lazy translations; `permission` is that of `admin.action`.
    """
    return action_with_remark(
        lambda row, by, remark: action(row, by),
        label=label,
        message=message,
        permission=permission,
        previewed=previewed,
    )


def action_with_remark(
    action: Callable[[Any, Any, str], object],
    *,
    label: Any,
    message: Any,
    permission: str,
    previewed: bool = False,
) -> AdminAction:
    """Return an action like `action_on_each` that also gets the remark of the action form."""

    @admin.action(description=label, permissions=[permission])
    def run(page: Any, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        remark = request.POST.get("remark", "")
        return apply_to_each(
            request,
            chosen,
            lambda row, by: action(row, by, remark),
            message=str(message),
            previewed=previewed,
        )

    return run


def permitted(permission: str) -> Callable[[Any, HttpRequest], bool]:
    """Return a method `has_..._permission` of an admin page, for the actions that name it."""

    def has_permission(page: Any, request: HttpRequest) -> bool:
        return request.user.has_perm(permission)

    return has_permission


def storable(day: date) -> None:
    """Raise `ValidationError` for a date or datetime outside the years that the database allows."""
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        years = {"first": FIRST_YEAR, "last": LAST_YEAR}
        raise forms.ValidationError(gettext("Choose a year from %(first)d to %(last)d.") % years)


class EditableAdmin(DatedLists, ModelAdmin):
    """An admin page whose rows are added or changed, but not deleted.

    Refuses control characters in texts, which appear in memos, subjects of e-mails and reports,
    and dates out of range.
    """

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Show a refusal as a message, after the transaction was rolled back."""
        with refusals_as_messages(request):
            return self.serve_form(request, object_id, form_url, extra_context)
        return HttpResponseRedirect(request.get_full_path())

    def serve_form(self, *form: Any) -> HttpResponse:
        """Show or save the form; the arguments are those of `changeform_view`."""
        answer: HttpResponse = super().changeform_view(*form)
        return answer

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        is_long = isinstance(db_field, models.TextField)
        # Choices and arrays have other form fields.
        is_text = is_long or isinstance(db_field, models.CharField)
        if is_text and isinstance(field, forms.CharField):
            field.validators = [*field.validators, readable if is_long else one_line]
        if isinstance(field, forms.DateField | forms.DateTimeField | forms.SplitDateTimeField):
            field.validators = [*field.validators, storable]
        return field

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ServiceAdmin(EditableAdmin):
    """An admin page whose forms are saved by an action in its own transaction.

    A previewed action first shows its postings and then posts exactly these.
    """

    is_previewed: ClassVar[bool] = False

    def save_by_action(self, row: Any, form: Any, by: Any) -> models.Model:
        """Call the action that saves the row of a valid form, and return the stored row."""
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        # Success messages and redirects read the form's row.
        obj.__dict__.update(self.save_by_action(obj, form, request.user).__dict__)

    def serve_form(self, request: HttpRequest, *form: Any) -> HttpResponse:
        # Django's `changeform_view` would open a transaction around the action's own.
        view = partial(self._changeform_view, request, *form)
        if self.is_previewed and request.method == "POST":
            return self._previewed(request, view)
        return cast(HttpResponse, view())

    def _previewed(self, request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
        with rolled_back():
            answer, lines = view(), moved_now()
        if answer.status_code != HTTPStatus.FOUND:
            return answer  # The form with its errors.
        list(messages.get_messages(request))  # Nothing was saved, so there is no success message.
        found = [Preview(str(self.opts.verbose_name), lines)]
        if lines and not is_agreed(request, found):
            return preview_page(request, found)
        return view()


class CreateOnlyAdmin(NoChange, ServiceAdmin):
    """An admin page on which an action adds rows, which cannot be changed or deleted."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return OnceCountedList


class DecidedOnPage:
    """Mixin for an admin page of requests whose decision is offered on their own page too."""

    change_form_outer_before_template: ClassVar[Any] = "admin/decide_request.html"

    def decision_of(self, row: Any, request: HttpRequest) -> tuple[Any, list[tuple[str, Any]]]:
        """Return the maker of a request, and the list's actions with their labels; none: []."""
        raise NotImplementedError

    def render_change_form(self, *args: Any, **form: Any) -> Any:
        """Add the decision to the context; the arguments are those of Django's method."""
        request, context = args
        if form.get("obj") is not None:
            context["maker"], context["decisions"] = self.decision_of(form["obj"], request)
        return super().render_change_form(request, context, **form)  # type: ignore[misc]


class CheckedAdmin(DecidedOnPage):
    """Mixin for an admin page of requests that a second person decides (`core.maker_checker`)."""

    # The permission to decide, with the app's label; by default `check_` and the model's name.
    checked_with: ClassVar[str] = ""
    list_filter: ClassVar[Any] = ("status",)
    list_select_related: ClassVar[Any] = ("made_by", "checked_by")
    actions: ClassVar[Any] = ("approve", "reject")

    def decision_of(self, row: Any, request: HttpRequest) -> tuple[Any, list[tuple[str, Any]]]:
        offered = row.status == "requested" and self.has_check_permission(request)
        return row.made_by, [("approve", APPROVE), ("reject", REJECT)] if offered else []

    def has_check_permission(self, request: HttpRequest) -> bool:
        meta = self.opts  # type: ignore[attr-defined]
        decide = f"{meta.app_label}.{get_permission_codename('check', meta)}"
        return request.user.has_perm(self.checked_with or decide)


class MakerCheckerAdmin(CheckedAdmin, CreateOnlyAdmin):
    """An admin page on which one person makes requests and another decides them."""

    # List columns: the outcome, who asked and who decided.
    DECISION = ("status", "made_by", "made_at", "checked_by", "checked_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the decision to the fields of a request that was made."""
        asked = list(super().get_fields(request, obj))
        return asked if obj is None else list(dict.fromkeys((*asked, *self.DECISION)))


def approval(
    action: Callable[[Any, Any], object],
    *,
    label: Any = APPROVE,
    message: Any = APPROVED,
    previewed: bool = False,
) -> AdminAction:
    """Return the action of a `CheckedAdmin` that approves."""
    return action_on_each(
        action, label=label, message=message, permission="check", previewed=previewed
    )


def rejection(action: Callable[[Any, Any], object]) -> AdminAction:
    """Return the action of a `CheckedAdmin` that rejects."""
    return action_on_each(action, label=REJECT, message=REJECTED, permission="check")
