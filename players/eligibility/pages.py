"""The page on which players take a break, and the form of its length."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.accounts.pages import PlayerFormView
from players.eligibility.break_models import Break
from players.eligibility.breaks import break_in_force, take_break
from players.eligibility.verdicts import Act, may
from players.exceptions import PlayHeld

COOL_OFF_DAYS: Final = (1, 3, 7, 14, 28, 42)
EXCLUSION_MONTHS: Final = {183: 6, 365: 12, 730: 24, 1826: 60}
FOR_GOOD: Final = "for-good"


def _lengths() -> list[tuple[Any, Any]]:
    days = [
        (f"{Break.Kind.COOL_OFF}:{n}", ngettext("%(n)d day", "%(n)d days", n) % {"n": n})
        for n in COOL_OFF_DAYS
    ]
    months = [
        (f"{Break.Kind.EXCLUSION}:{n}", _("%(n)d months") % {"n": months})
        for n, months in EXCLUSION_MONTHS.items()
    ]
    return [
        (_("A break"), days),
        (_("Self-exclusion"), [*months, (f"{Break.Kind.EXCLUSION}:{FOR_GOOD}", _("For good"))]),
    ]


class BreakForm(forms.Form):
    length = forms.ChoiceField(label=gettext_lazy("How long"), choices=_lengths)
    is_sure = forms.BooleanField(
        label=gettext_lazy("I understand that nobody can lift it early, not even staff."),
    )

    def kind(self) -> Break.Kind:
        return Break.Kind(self.cleaned_data["length"].partition(":")[0])

    def duration(self) -> timedelta | None:
        days = self.cleaned_data["length"].partition(":")[2]
        return None if days == FOR_GOOD else timedelta(days=int(days))


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
