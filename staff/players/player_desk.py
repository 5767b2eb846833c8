"""The player's page for staff: accounts, games, history, and staff actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from core.models import AuditEntry
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.eligibility import holds
from players.eligibility.hold_models import Hold
from players.eligibility.places.doubts import open_doubt, settle_by_staff
from players.identity.phones.numbers import masked, number_of
from players.sign_in import actions as sign_ins
from staff.players.player_sections import sections_of


@dataclass(frozen=True)
class DeskAction:
    """A staff action on a player: permission, function (player, by, reason), success message."""

    permission: str
    do: Callable[[User, User, str], object]
    message: Any


def _lift(player: User, by: User, reason: str, kind: Hold.Kind) -> None:
    hold = Hold.objects.active().filter(player=player, kind=kind).first()
    if hold is not None:  # Otherwise it was lifted concurrently.
        holds.lift_hold(hold_id=hold.pk, by=by, reason=reason)


def _hold(player: User, by: User, reason: str, kind: Hold.Kind) -> None:
    holds.set_hold(player_id=player.pk, kind=kind, by=by, reason=reason)


ACTIONS: Final = {
    "block": DeskAction(
        "players.block_user",
        lambda player, by, reason: sign_ins.block(player_id=player.pk, by=by, reason=reason),
        gettext_lazy("%(player)s is blocked."),
    ),
    "unblock": DeskAction(
        "players.block_user",
        lambda player, by, reason: sign_ins.unblock(player_id=player.pk, by=by, reason=reason),
        gettext_lazy("%(player)s may sign in again."),
    ),
    "note": DeskAction(
        "players.add_hold",
        lambda player, by, reason: sign_ins.note(player_id=player.pk, by=by, reason=reason),
        gettext_lazy("Note saved."),
    ),
    "settle-place": DeskAction(
        "players.change_hold",
        lambda player, by, reason: settle_by_staff(player_id=player.pk, by=by, reason=reason),
        gettext_lazy("The location doubt about %(player)s is settled."),
    ),
    **{
        f"hold-{kind}": DeskAction(
            "players.add_hold", partial(_hold, kind=kind), gettext_lazy("Hold set for %(player)s.")
        )
        for kind in Hold.Kind
    },
    **{
        f"lift-{kind}": DeskAction(
            "players.change_hold",
            partial(_lift, kind=kind),
            gettext_lazy("Hold lifted for %(player)s."),
        )
        for kind in Hold.Kind
    },
}


class ReasonForm(forms.Form):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200)


def desk_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a player; a POST runs one of `ACTIONS` on them, with a reason."""
    viewer = cast(User, request.user)
    if not viewer.has_perm("players.view_user"):
        raise PermissionDenied
    player = get_object_or_404(User, pk=pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST":
        act = ACTIONS.get(request.POST.get("act", ""))
        if act is None:
            raise BadRequest("unknown action")
        if not viewer.has_perm(act.permission):
            raise PermissionDenied
        if form.is_valid() and _done(request, act, player, form.cleaned_data["reason"]):
            return redirect("player-desk", pk)
    sections = sections_of(player, viewer)
    context = {
        **admin.site.each_context(request),
        "title": player.handle,
        "player": player,
        "is_verified": has_verified_email(player),
        "mobile_number": masked(number_of(player)),
        "has_factor": is_mfa_enabled(player),
        "sections": [section for section in sections if section.rows],
        "empty": [section for section in sections if not section.rows],
        "form": form,
        "may_block": viewer.has_perm("players.block_user") and player.pk != viewer.pk,
        "may_note": viewer.has_perm("players.add_hold") and player.pk != viewer.pk,
        "notes": AuditEntry.objects.about(player).filter(act="note").select_related("by")[:8],
        "holds": _holds(player, viewer),
        "doubt": open_doubt(player) if viewer.has_perm("players.view_placedoubt") else None,
        "may_settle": viewer.has_perm("players.change_hold") and player.pk != viewer.pk,
        "may_change": viewer.has_perm("players.change_user"),
    }
    return TemplateResponse(request, "admin/staff/player.html", context)


def _done(request: HttpRequest, act: DeskAction, player: User, reason: str) -> bool:
    try:
        act.do(player, cast(User, request.user), reason)
    except Refusal as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")
        return False
    messages.success(request, act.message % {"player": player.handle})
    return True


def _holds(player: User, viewer: User) -> list[dict[str, Any]]:
    """Return each kind of hold with the active hold, if any, and the action the viewer may do."""
    if player.pk == viewer.pk or not viewer.has_perm("players.view_hold"):
        return []
    active = {hold.kind: hold for hold in Hold.objects.active().filter(player=player)}
    rows = []
    for kind in Hold.Kind:
        act = f"lift-{kind}" if kind in active else f"hold-{kind}"
        may = viewer.has_perm(ACTIONS[act].permission)
        rows.append({"kind": kind, "hold": active.get(kind), "act": act if may else ""})
    return rows
