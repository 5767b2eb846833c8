"""The page of a player for staff: their accounts, games and history, and the acts on them."""

from __future__ import annotations

from typing import cast

from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.sign_in import actions as sign_ins
from staff.players.player_sections import sections_of


class ReasonForm(forms.Form):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200)


def desk_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a player; a POST blocks or unblocks the account, with a reason."""
    viewer = cast(User, request.user)
    if not viewer.has_perm("players.view_user"):
        raise PermissionDenied
    player = get_object_or_404(User, pk=pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST":
        if not viewer.has_perm("players.block_user"):
            raise PermissionDenied
        if form.is_valid() and _turned(request, player, form.cleaned_data["reason"]):
            return redirect("player-desk", pk)
    sections = sections_of(player, viewer)
    context = {
        **admin.site.each_context(request),
        "title": player.handle,
        "player": player,
        "is_verified": has_verified_email(player),
        "has_factor": is_mfa_enabled(player),
        "sections": [section for section in sections if section.rows],
        "empty": [section for section in sections if not section.rows],
        "form": form,
        "may_block": viewer.has_perm("players.block_user") and player.pk != viewer.pk,
        "may_change": viewer.has_perm("players.change_user"),
    }
    return TemplateResponse(request, "admin/staff/player.html", context)


def _turned(request: HttpRequest, player: User, reason: str) -> bool:
    turn = sign_ins.unblock if request.POST.get("act") == "unblock" else sign_ins.block
    try:
        turned = turn(player_id=player.pk, by=cast(User, request.user), reason=reason)
    except Refusal as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")
        return False
    said = _("%(player)s may sign in again.") if turned.is_active else _("%(player)s is blocked.")
    messages.success(request, said % {"player": player.handle})
    return True
