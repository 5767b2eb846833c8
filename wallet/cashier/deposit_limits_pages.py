"""The page of a player's deposit limits."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy
from moneyed import Money

from players.limits.models import OwnLimit
from players.limits.own_limits import RAISE_WAITS, confirmation_of
from players.sign_in.security.proof import is_proved
from players.sign_in.security.views import LimitFormView
from wallet.cashier.pages import quick_amounts
from wallet.deposits.limits import set_limit
from wallet.deposits.remaining_limits import PERIOD_CHOICES, remaining_limits
from wallet.ledger.forms import AMOUNT, FiguresField


class LimitForm(forms.Form):
    period = forms.ChoiceField(label=gettext_lazy("Within"), choices=PERIOD_CHOICES)
    amount = FiguresField(
        label=gettext_lazy("Limit"),
        help_text=gettext_lazy("Leave empty to remove your limit."),
        required=False,
        **AMOUNT,  # type: ignore[arg-type]
    )

    def money(self) -> Money | None:
        amount = self.cleaned_data["amount"]
        return None if amount is None else Money(amount, settings.CASH_CURRENCIES[0])


class LimitsView(LimitFormView):
    template_name = "wallet/cashier/limits.html"
    form_class = LimitForm
    refused_field = "amount"
    success_url = reverse_lazy("deposit-limits")

    def carry_out(self, form: LimitForm) -> str:
        act = set_limit(
            player=self.player,
            period=OwnLimit.Period(form.cleaned_data["period"]),
            currency=settings.CASH_CURRENCIES[0],
            amount=form.money(),
            is_proved=is_proved(self.request),
        )
        return confirmation_of(act)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        currency = settings.CASH_CURRENCIES[0]
        return super().get_context_data(
            limits=remaining_limits(player=self.player, currency=currency),
            wait=int(RAISE_WAITS.total_seconds()) // 3600,
            quick=quick_amounts(None, currency),
            **kwargs,
        )
