"""The page on which players see their deposit limits and set their own."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import FormView
from moneyed import Money

from core.exceptions import Refusal
from players.accounts.models import User
from wallet.cashier.pages import quick_amounts
from wallet.deposits.limits import set_limit
from wallet.deposits.remaining_limits import PERIOD_CHOICES, remaining_limits
from wallet.ledger.forms import AMOUNT, FiguresField
from wallet.limits.models import OwnLimit
from wallet.limits.standing import RAISE_WAITS


class LimitForm(forms.Form):
    period = forms.ChoiceField(label=gettext_lazy("Within"), choices=PERIOD_CHOICES)
    amount = FiguresField(
        label=gettext_lazy("At most"),
        help_text=gettext_lazy("Leave it empty for no limit of your own."),
        required=False,
        **AMOUNT,  # type: ignore[arg-type]
    )

    def money(self) -> Money | None:
        amount = self.cleaned_data["amount"]
        return None if amount is None else Money(amount, settings.CASH_CURRENCIES[0])


class LimitsView(LoginRequiredMixin, FormView[LimitForm]):
    template_name = "wallet/cashier/limits.html"
    form_class = LimitForm
    success_url = reverse_lazy("deposit-limits")

    def form_valid(self, form: LimitForm) -> HttpResponse:
        try:
            act = set_limit(
                player=cast(User, self.request.user),
                period=OwnLimit.Period(form.cleaned_data["period"]),
                currency=settings.CASH_CURRENCIES[0],
                amount=form.money(),
            )
        except Refusal as refusal:
            form.add_error("amount", str(refusal))
            return self.form_invalid(form)
        if act.applies_at == act.asked_at:
            messages.success(self.request, _("Your limit applies from now on."))
        else:
            messages.success(self.request, _("Your limit is raised after 24 hours."))
        return super().form_valid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        player = cast(User, self.request.user)
        currency = settings.CASH_CURRENCIES[0]
        return super().get_context_data(
            rooms=remaining_limits(player=player, currency=currency),
            wait=int(RAISE_WAITS.total_seconds()) // 3600,
            quick=quick_amounts(None, currency),
            **kwargs,
        )
