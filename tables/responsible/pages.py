"""The page "Play responsibly": a player's own limits, breaks and figures."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from moneyed import Money

from core.pages.charts import Chart, Value, bar_chart
from players.accounts.models import REALITY_CHECK_MINUTES
from players.accounts.pages import PlayerView
from players.eligibility.breaks import break_in_force
from players.limits.models import OF_NUMBERS, OwnLimit
from players.limits.own_limits import RAISE_WAITS, Scope, confirmation_of, scopes_in, set_own_limit
from players.sign_in.security.proof import is_proved
from players.sign_in.security.views import LimitFormView
from tables.responsible.figures import WeekFigures, reality_check, weekly_figures
from tables.responsible.limit_rows import limit_rows
from tables.responsible.verdicts import choose_reality_check
from wallet.ledger.cash_offered import is_cash_offered
from wallet.ledger.forms import AMOUNT, FiguresField
from wallet.ledger.models import Account
from wallet.ledger.money import PLAY_POINTS, minor_units


def _scope_choices() -> list[tuple[str, str]]:
    found = []
    for scope in scopes_in(settings.CASH_CURRENCIES[0]):
        name = str(OwnLimit.Kind(scope.kind).label)
        period = f", {OwnLimit.Period(scope.period).label}" if scope.period else ""
        unit = _(" (minutes)") if scope.kind == OwnLimit.Kind.TIME else ""
        found.append((f"{scope.kind}:{scope.period}", f"{name}{period}{unit}"))
    return found


class OwnLimitForm(forms.Form):
    what = forms.ChoiceField(label=gettext_lazy("Limit"), choices=_scope_choices)
    most = FiguresField(
        label=gettext_lazy("At most"),
        help_text=gettext_lazy("Leave empty for no limit."),
        required=False,
        **AMOUNT,  # type: ignore[arg-type]
    )

    def scope(self) -> Scope:
        kind, _colon, period = self.cleaned_data["what"].partition(":")
        currency = "" if kind in OF_NUMBERS else settings.CASH_CURRENCIES[0]
        return Scope(OwnLimit.Kind(kind), currency, period)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        most = cleaned.get("most")
        if most is None or "what" not in cleaned:
            return cleaned
        currency = self.scope().currency
        if not currency and most != int(most):
            raise forms.ValidationError(_("Enter a whole number of tables or minutes."))
        cleaned["figure"] = minor_units(Money(most, currency)) if currency else int(most)
        return cleaned


class RealityCheckForm(forms.Form):
    minutes = forms.TypedChoiceField(label=gettext_lazy("Remind me"), coerce=int)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["minutes"].choices = [  # type: ignore[attr-defined]
            (minutes, _("every %(n)d minutes") % {"n": minutes} if minutes else _("never"))
            for minutes in REALITY_CHECK_MINUTES
        ]


class OwnPlayView(LimitFormView):
    """Shows the caller's limits and figures, and sets a limit."""

    template_name = "players/own_play.html"
    form_class = OwnLimitForm
    refused_field = "most"
    success_url = reverse_lazy("own-play")

    def carry_out(self, form: OwnLimitForm) -> str:
        most = form.cleaned_data.get("figure")
        limit = set_own_limit(
            player=self.player, scope=form.scope(), most=most, is_proved=is_proved(self.request)
        )
        return confirmation_of(limit)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        currency = self._currency()
        weeks = weekly_figures(self.player, currency)
        chosen = {"minutes": self.player.reality_check_minutes}
        return super().get_context_data(
            reminders=RealityCheckForm(initial=chosen),
            rows=limit_rows(self.player, settings.CASH_CURRENCIES[0]),
            running=break_in_force(self.player),
            now=reality_check(self.player, self.request.session.session_key),
            weeks=weeks,
            charts=charts_of(weeks),
            currency=currency,
            currencies=[PLAY_POINTS, *settings.CASH_CURRENCIES],
            wait=int(RAISE_WAITS.total_seconds()) // 3600,
            **kwargs,
        )

    def _currency(self) -> str:
        """Return the currency of the figures: as requested, else a real one if there is one."""
        cash: str = settings.CASH_CURRENCIES[0]
        asked = self.request.GET.get("currency")
        if asked in (PLAY_POINTS, *settings.CASH_CURRENCIES):
            return str(asked)
        has_cash = Account.objects.buckets_of(self.player).filter(currency=cash).exists()
        may_have = bool(self.player.country) and is_cash_offered(self.player)
        return cash if has_cash or may_have else PLAY_POINTS


class RealityCheckView(PlayerView):
    """Saves how often tables remind the caller."""

    def post(self, request: HttpRequest) -> HttpResponse:
        form = RealityCheckForm(request.POST)
        if form.is_valid():
            choose_reality_check(player=self.player, minutes=form.cleaned_data["minutes"])
            messages.success(request, _("Saved."))
        return redirect("own-play")


def charts_of(weeks: list[WeekFigures]) -> list[Chart]:
    """Return the charts of time, stakes and net result, with one bar per week."""
    names = [date_format(week.week, "j M") for week in weeks]
    series = {
        _("Minutes at tables"): [(week.minutes, str(week.minutes)) for week in weeks],
        _("Put into games"): [(week.paid.minor, week.paid.text) for week in weeks],
        _("Won or lost"): [(week.net.minor, week.net.text) for week in weeks],
    }
    return [
        bar_chart(title, [Value(name, *pair) for name, pair in zip(names, values, strict=True)])
        for title, values in series.items()
    ]
