"""The page on which players take a break or see the running one."""

from __future__ import annotations

from typing import Any

from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from players.accounts.pages import PlayerFormView
from players.eligibility.breaks import break_in_force, take_break
from players.eligibility.forms import BreakForm
from players.eligibility.verdicts import Act, may
from players.exceptions import PlayHeld


class BreakView(PlayerFormView):
    """Shows the running break, and starts one."""

    template_name = "players/break.html"
    form_class = BreakForm
    refused_field = "length"
    success_url = reverse_lazy("break")

    def carry_out(self, form: BreakForm) -> str:
        take_break(player=self.player, kind=form.kind(), length=form.duration())
        return _("Your break has begun.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        verdict = may(self.player, Act.POINTS)
        stopped = verdict.sentence if verdict.refusal is PlayHeld else ""
        running = break_in_force(self.player)
        return super().get_context_data(running=running, stopped=stopped, **kwargs)
