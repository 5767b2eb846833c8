"""The case pages for staff: the queue, and one case with its remarks and actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.admin.edit_pages import storable
from core.admin.links import link_to
from core.exceptions import Refusal
from players.accounts.models import User
from players.cases import actions
from players.cases.models import CannedAnswer, Case, Remark
from staff.cases.choices import Choice, Link
from staff.cases.exports import export_queue
from staff.cases.kinds import Kind, kinds_of
from staff.cases.queue import MINE, UNASSIGNED, Filters, queue, waiting
from tables.integrity.moderation.board import board_of
from tables.integrity.moderation.dispute_models import Dispute
from tables.manners.models import PlayerReport

ROWS_PER_PAGE: Final = 25


class TextForm(forms.Form):
    """A note, a message to the player, or the answer to the subject."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=Remark.LONGEST,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class RankForm(forms.Form):
    priority = forms.TypedChoiceField(
        label=gettext_lazy("Priority"), choices=Case.Priority.choices, coerce=int
    )
    due_at = forms.DateTimeField(
        label=gettext_lazy("Due"),
        required=False,
        help_text=gettext_lazy("Leave empty for the default."),
        validators=[storable],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )


def _staff() -> Any:
    return User.objects.filter(is_staff=True, is_active=True).order_by("handle")


class OwnerForm(forms.Form):
    owner = forms.ModelChoiceField(
        label=gettext_lazy("Owner"),
        queryset=User.objects.none(),
        required=False,
        empty_label=gettext_lazy("Unassigned"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ModelChoiceField[User], self.fields["owner"]).queryset = _staff()


def queue_view(request: HttpRequest) -> HttpResponseBase:
    """Show the queue, filtered by `?kind=`, `?owner=me|unassigned`, `?late=1`; or `?format=csv`."""
    viewer = _viewer(request)
    filters = Filters(
        kind=request.GET.get("kind", ""),
        owner=request.GET.get("owner", ""),
        only_late="late" in request.GET,
    )
    if request.GET.get("format") == "csv":
        return export_queue(request, viewer, filters)
    page = Paginator(queue(viewer, filters), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **admin.site.each_context(request),
        "title": _("Cases"),
        "page": page,
        "rows": waiting(viewer, list(page)),
        "kinds": kinds_of(viewer),
        "filters": filters,
        "owners": [("", _("All")), (MINE, _("Mine")), (UNASSIGNED, _("Unassigned"))],
    }
    return TemplateResponse(request, "admin/staff/cases.html", context)


def case_view(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Show one case; a POST runs one of `ACTIONS` on it."""
    viewer = _viewer(request)
    found = next((each for each in kinds_of(viewer) if each.name == kind), None)
    if found is None:
        raise Http404
    row = get_object_or_404(found.rows(viewer), pk=pk)
    if request.method == "POST":
        if not viewer.has_perm("players.change_case"):
            raise PermissionDenied
        if "choice" in request.POST:
            return _chosen(request, found, row)
        act = ACTIONS.get(request.POST.get("act", ""))
        if act is None:
            raise BadRequest("unknown action")
        if _done(request, act, found, row):
            return redirect("case", kind, pk)
    return TemplateResponse(request, "admin/staff/case.html", _context(request, found, row))


def _context(request: HttpRequest, kind: Kind, row: Any) -> dict[str, Any]:
    viewer = cast(User, request.user)
    case = Case.objects.filter(kind=kind.name, row=row.pk).select_related("owner").first()
    subject = kind.subject(row)
    is_open = kind.open_rows(kind.rows(viewer)).filter(pk=row.pk).exists()
    canned = CannedAnswer.objects.offered()
    written_in = getattr(row, "language", "") or getattr(subject.player, "language", "en")
    language = request.GET.get("language") or written_in
    chosen = canned.filter(pk=_number(request.GET.get("canned"))).first()
    text = chosen.text_in(language) if chosen else ""
    ranked = {"priority": case.priority, "due_at": case.due_at} if case else {"priority": 3}
    return {
        **admin.site.each_context(request),
        "title": kind.sentence(row),
        "kind": kind,
        "row": row,
        "thing": link_to(row, kind.label),
        "is_open": is_open,
        "facts": kind.facts(row),
        "choices": _offered(request, kind, row) if is_open else [],
        "board": board_of(row, viewer) if isinstance(row, Dispute | PlayerReport) else None,
        "player": subject.player,
        "case": case,
        "remarks": case.remarks.select_related("by") if case else (),
        "canned": canned,
        "language": language,
        "form": TextForm(request.POST if "text" in request.POST else None, initial={"text": text}),
        "rank": RankForm(initial=ranked),
        "owner": OwnerForm(initial={"owner": case.owner_id if case else None}),
        "may_work": viewer.has_perm("players.change_case"),
        "may_answer": kind.answer is not None and viewer.has_perm(kind.answer.permission),
    }


def _offered(request: HttpRequest, kind: Kind, row: Any) -> list[dict[str, Any]]:
    """Return the decisions that this person may take, as the template shows them."""
    shown: list[dict[str, Any]] = []
    for each in kind.choices:
        if isinstance(each, Link):
            if request.user.has_perm(each.permission) and (url := each.url(row)):
                shown.append({"label": each.label, "effect": each.effect, "url": url})
            continue
        page, action = _action(kind, each)
        if each.is_offered(row) and _may(page, action, request):
            label = each.label or action.short_description
            asked = {"name": each.name, "asks": each.asks}
            shown.append({"label": label, "effect": each.effect(row), **asked})
    return shown


def _action(kind: Kind, choice: Choice) -> tuple[Any, Any]:
    """Return the admin page of the case's rows, and its action for a decision."""
    page: Any = admin.site._registry[kind.model]
    return page, getattr(type(page), choice.name)


def _may(page: Any, action: Any, request: HttpRequest) -> bool:
    return all(
        getattr(page, f"has_{permission}_permission")(request)
        for permission in action.allowed_permissions
    )


def _chosen(request: HttpRequest, kind: Kind, row: Any) -> HttpResponse:
    """Take the decision named by `choice` by the action of the rows' list."""
    named = {each.name: each for each in kind.choices if isinstance(each, Choice)}
    choice = named.get(request.POST["choice"])
    if choice is None:
        raise BadRequest("unknown decision")
    page, action = _action(kind, choice)
    if not _may(page, action, request):
        raise PermissionDenied
    # Only rows that this person may see as a case.
    seen = kind.rows(cast(User, request.user)).filter(pk=row.pk).values("pk")
    answer: HttpResponse | None = action(
        page, request, page.get_queryset(request).filter(pk__in=seen)
    )
    return answer or redirect("case", kind.name, row.pk)


def _done(
    request: HttpRequest,
    act: Callable[[HttpRequest, Kind, Any], str | None],
    kind: Kind,
    row: Any,
) -> bool:
    """Run an action and show a message; return False if its form or the action was refused."""
    try:
        message = act(request, kind, row)
    except Refusal as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")
        return False
    if message is None:
        messages.error(request, _("Fill in the form."))
        return False
    messages.success(request, message)
    return True


def _take(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    by = cast(User, request.user)
    actions.take_case(subject=kind.subject(row), by=by)
    return _("The case is assigned to you.")


def _give(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    form = OwnerForm(request.POST)
    if not form.is_valid():
        return None
    owner, by = form.cleaned_data["owner"], cast(User, request.user)
    actions.give_case(subject=kind.subject(row), owner=owner, by=by)
    return _("The case is assigned.")


def _rank(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    form = RankForm(request.POST)
    if not form.is_valid():
        return None
    actions.rank_case(
        subject=kind.subject(row),
        priority=Case.Priority(form.cleaned_data["priority"]),
        due_at=form.cleaned_data["due_at"],
        by=cast(User, request.user),
    )
    return _("Saved.")


def _note(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    return _write(
        request, lambda text, by: actions.note_on_case(subject=kind.subject(row), text=text, by=by)
    )


def _message(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    return _write(
        request,
        lambda text, by: actions.write_to_player(subject=kind.subject(row), text=text, by=by),
    )


def _answer(request: HttpRequest, kind: Kind, row: Any) -> str | None:
    answer = kind.answer
    if answer is None or not request.user.has_perm(answer.permission):
        raise PermissionDenied
    return _write(request, lambda text, by: answer.send(row.pk, by, text))


def _write(request: HttpRequest, send: Callable[[str, Any], object]) -> str | None:
    form = TextForm(request.POST)
    if not form.is_valid():
        return None
    send(form.cleaned_data["text"], cast(User, request.user))
    return _("Saved.")


ACTIONS: Final[dict[str, Callable[[HttpRequest, Kind, Any], str | None]]] = {
    "take": _take,
    "give": _give,
    "rank": _rank,
    "note": _note,
    "message": _message,
    "answer": _answer,
}


def _viewer(request: HttpRequest) -> User:
    viewer = cast(User, request.user)
    if not viewer.has_perm("players.view_case"):
        raise PermissionDenied
    return viewer


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
